"""What bots written for NLPCraft rely on: its language, its synonyms, its files, its memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from anaphora import Engine, GrammarError, Model, load_model
from anaphora.grammar.idl.compiler import Compiler
from anaphora.grammar.synonyms.expansion import expand_synonym
from anaphora.grammar.synonyms.spacing import insert_blanks
from tests.grammar.functions.evaluation import evaluate, evaluation_error

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)

# Each must be true.
EXPRESSIONS = r"""
trim(' boat ') == 'boat' && strip(' a b ') == 'a b' && uppercase(lowercase('KaY')) == 'KAY'
is_alpha('sea') && !is_alpha('sea2') && is_alphanum('sea2') && is_alphanumspace('sea 2')
is_num('42') && !is_num('-42') && !is_num('4.2') && is_numspace('4 2') && is_numspace('')
is_whitespace('  ') && is_whitespace('') && !is_whitespace(' x ')
split('red green', ' ') == list('red', 'green') && split_trim('a ,  b', ',') == list('a', 'b')
starts_with('harbour', 'har') && ends_with('harbour', 'bour') && contains('harbour', 'arb')
index_of('port', 'r') == 2 && index_of('port', 'z') == -1 && substr('port', 0, 3) == 'por'
replace('harbour', '[aou]+', '-') == 'h-rb-r' && replace('ab', '(a)(b)', '$2$1') == 'ba'
regex('harbour', 'h.*r') && !regex('harbour', 'arb')
to_int('17') == 17 && to_int(2.5) == 3 && to_int(-2.5) == -2 && to_double('0.5') == 0.5
to_string(2) == '2' && to_string(2.0) == '2.0' && to_string(list(1, 'b')) == list('1', 'b')
length('four') == 4 && size(list(1, 2)) == 2 && count(json('{"a": 1, "b": 2}')) == 2
abs(-7) == 7 && abs(-7.5) == 7.5 && square(-3) == 9 && square(1.5) == 2.25
ceil(0.2) == 1 && floor(-0.2) == -1.0 && rint(2.5) == 2 && round(2.5) == 3 && round(-2.5) == -2
signum(-0.4) == -1.0 && signum(0.0) == 0 && sqrt(9) == 3 && cbrt(8) == 2
pow(2, 5) == 32 && hypot(5, 12) == 13.0 && log10(1000.0) == 3 && log1p(0.0) == 0
acos(2.0) != 1 && sqrt(-4.0) != sqrt(-4.0) && log(-1.0) != 0 && exp(9999.0) > 1
radians(180.0) == pi && pi() > 3.14 && euler < 2.72 && rand >= 0 && rand() < 1
min(list(4, 2, 9)) == 2 && max(list(4.5, 2.5)) == 4.5 && avg(list(1, 2.0, '6')) == 3
stdev(list(3, 3, 3)) == 0 && stdev(list(2, 4)) == 1
list(1, 2, 3) == list(3, 1, 2) && list(1, 2) != list(1.0, 2) && list(1, 1) != list(1)
get(list('a', 'b'), 1) == 'b' && get(json('{"k": [5]}'), 'k') == list(5)
get(json('{"k": 5}'), 'none') == null && first(list()) == null && last(list(1, 2)) == 2
has(list(1, 'x'), 'x') && !has(list(1), 1.0) && !has(list('1'), 1)
has_any(list(1, 2), list(2, 7)) && !has_any(list(1), list()) && has_all(list(1, 2), list())
keys(json('{"a": 1, "b": "z"}')) == list('a', 'b') && has(values(json('{"b": "z"}')), 'z')
first(sort(list(5, 3, 4))) == 3 && first(reverse(list(5, 3, 4))) == 4
distinct(list(1, 1, 1.0)) == list(1, 1.0) && size(concat(list(1), list(1))) == 2
is_empty('') && non_empty(list(0)) && is_empty(json('{}')) && non_empty(json('{"a": 0}'))
if(1 < 2, 'yes', 'no') == 'yes' && or_else(null, 5) == 5 && or_else('x', 5) == 'x'
if(true, true, first(sort(list(1, 'a')))) && (false && get(list(), 0) == 1) == false
5 / 2 == 2 && -5 / 2 == -2 && 5 / 2.0 == 2.5 && 5 % 3 == 2 && -5 % 3 == -2
1 == 1.0 && 1_000 == 1000 && 2e3 == 2000 && null == null && null != 0 && 'a' != 1
2 + 3 * 4 == 14 && (2 + 3) * 4 == 20 && - 2 * 3 == -6 && --1 == 1 && !!true
(true || false && false) == false
'sea' + "side" == 'seaside' && "it's" == 'it\'s' && 'say "ah"' == "say \"ah\""
@a = 4 @b = @a / 3 @b == 1
@near-by = 'quay' @near-by == 'quay'
# == tok_id && #() == ent_type() && tok_id(tok_this) == ent_type(ent_this()) && #(tok_this) == #
year > 1970 && month() <= 12 && day_of_week >= 1 && quarter() <= 4 && now - now() == 0
"""

FAILING = (  # when they are evaluated
    "substr('abc', 1, 9); substr('abc', 2, 1); get(list(1), 1); to_int('four'); to_double('x'); "
    "min(list()); avg(list('x')); stdev(list()); sort(list(1, 'a')); json('{'); "
    "tok_find_part(tok_this, 'nobody')"
)

GOOD = {
    "a flow and metadata": "intent=i flow='^(?:greet )*(a|b)' meta={'k': {'m': [1, null, -2.5]}} "
    "term(t)={# == 'x'}[1,3]",
    "0.9's order": "intent=i ordered=true term={# == 'x'}",
    "the options of 0.9": "intent=i options={'ordered': true, 'unused_free_words': false, "
    "'unused_sys_toks': true, 'unused_usr_toks': false, 'allow_stm_only': true} term={# == 'x'}",
    "the options of 1.0": 'intent=i options={"unused_entities": true} term={ent_type == "x"}?',
    "variables": "intent=i term={@all = list(1, 2) @ok = has(@all, 2) # == 'x' && @ok}",
    "a fragment in a fragment": "fragment=a term(x)={# == 'x'} fragment=b fragment(a) "
    "intent=i fragment(b, {'deep': {'q': []}}) term(y)~{# == 'y'}*",
    "comments": "// one\nintent=i /* two\n two */ term={'//' == '/*' || 4 / /* 2 */ 2 == 2}",
    "ids of functions": "intent=size term(max)={# == 'min'}",
    "other scripts": 'intent=свет term(где)={has(list("дом", "مطبخ"), meta_tok("место"))}',
    "quantifiers": "intent=i term={# == 'x'}? term={# == 'y'}* term={# == 'z'}+ term={true}[0,100]",
}

BAD = """
intent=i
intent=i term={true}[2,1]
intent=i term={true}[1,101]
intent=i term={@x == 1}
intent=i term={@x = 1 @x = 2 true}
intent=i term(t)={true} term(t)={true}
intent=i term={true} intent=i term={true}
intent=i flow='[a' term={true}
intent=i meta={k: 1} term={true}
intent=i options={'ordered': 'true'} term={true}
intent=i options={'sorted': true} term={true}
intent=i fragment(nowhere) term={true}
fragment=f term={true} fragment=f term={true}
fragment=f term(t)={true} intent=i fragment(f) term(t)={true}
import('no/such/file.idl')
intent=i term={# == 'a' and true}
term={true}
"""

MACROS = {"<CALL>": "{ring|call}", "<WHO>": "my {mum|dad}", "<BOTH>": "<CALL> <WHO>"}

EXPANSIONS = [
    ("<CALL> {back|_}", ["ring back", "call back", "ring", "call"]),
    ("<BOTH>", ["ring my mum", "ring my dad", "call my mum", "call my dad"]),
    ("{up|down}[1,2]", ["up", "up up", "down", "down down"]),
    ("{up}[0,1] town", ["town", "up town"]),
    ("{{{up}}|_} town", ["up town", "town"]),
    ("{go {up|down}|_} now", ["go up now", "go down now", "now"]),
    ("car{d|t}, please", ["car d , please", "car t , please"]),
    ("{rock|_}.", ["rock .", "."]),
    ("{w/o|tl;dr}", ["w/o", "tl;dr"]),
    (r"\{up\} \[1\] a\_b {c\|d|e}", ["{up} [1] a_b c|d", "{up} [1] a_b e"]),
]

NO_SYNONYMS = (
    "{up{down} {up|down|up}} {up|{_} {} {|} {up||down} up_ {up}[2,1] {up}[0,0] {up}[1] "
    "{up}[a,b] {up}[1:2] [1,2] <NOBODY> <CALL"
)


@pytest.mark.parametrize("expression", EXPRESSIONS.strip().splitlines())
def test_an_expression_has_the_value_that_it_has_there(expression: str) -> None:
    assert evaluate(expression) is True


@pytest.mark.parametrize("expression", FAILING.split("; "))
def test_an_expression_that_fails_there_has_no_value(expression: str) -> None:
    assert evaluation_error(expression)


@pytest.mark.parametrize("text", GOOD.values(), ids=GOOD.keys())
def test_an_intent_that_compiles_there_compiles(text: str) -> None:
    assert len(Compiler().compile(text).intents) == 1


@pytest.mark.parametrize("text", BAD.strip().splitlines())
def test_an_intent_that_is_refused_there_is_refused(text: str) -> None:
    with pytest.raises(GrammarError):
        Compiler().compile(text)


@pytest.mark.parametrize(("text", "phrases"), EXPANSIONS)
def test_a_synonym_of_theirs_stands_for_the_same_phrases(text: str, phrases: list[str]) -> None:
    macros = {name: insert_blanks(body, MACROS) for name, body in MACROS.items()}
    assert sorted(expand_synonym(insert_blanks(text, MACROS), macros)) == sorted(
        (one,) for one in phrases
    )


@pytest.mark.parametrize("text", NO_SYNONYMS.split())
def test_a_synonym_that_is_refused_there_is_refused(text: str) -> None:
    with pytest.raises(GrammarError):
        expand_synonym(insert_blanks(text, MACROS), MACROS)


Load = Callable[..., Model]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Reads a file of 0.9 with these elements (id: synonyms, or what else stands there)."""

    def read(elements: dict[str, Any], *intents: str, **keys: Any) -> Model:
        listed = [
            {"id": id, **(body if isinstance(body, dict) else {"synonyms": body})}
            for id, body in elements.items()
        ]
        head = {"id": "bot", "name": "Bot", "version": "1.0", "enabledBuiltInTokens": []}
        path = tmp_path / "bot.json"
        path.write_text(json.dumps(head | {"elements": listed, "intents": intents} | keys))
        return load_model(path)

    return read


def intents_of(engine: Engine, *steps: str | int) -> Sequence[str | None]:
    """The intents that answer questions asked a second apart; a number lets seconds pass."""
    now, found = NOON, []
    for step in steps:
        if isinstance(step, int):
            now += timedelta(seconds=step)
            continue
        now += timedelta(seconds=1)
        found.append(engine.ask(step, at=now).intent)
    return found


def engine_of(model: Model) -> Engine:
    return Engine(model, clock=lambda: NOON)


AB = {"a": ["apple"], "b": ["bread"], "c": ["cheese"]}
BOTH = "term(a)={# == 'a'} term(b)={# == 'b'}"


ORDERED, NO_FREE_WORDS = "options={'ordered': true}", "options={'unused_free_words': false}"


@pytest.mark.parametrize(
    ("options", "question", "answers"),
    [
        ("", "bread and apple", ["i"]),
        ("", "apple bread cheese", [None]),
        (ORDERED, "bread apple", [None]),
        (NO_FREE_WORDS, "apple crunchy bread", [None]),
        ("options={'unused_usr_toks': true}", "apple bread cheese", ["i"]),
    ],
)
def test_options_decide(load: Load, options: str, question: str, answers: list[str | None]) -> None:
    assert intents_of(engine_of(load(AB, f"intent=i {options} {BOTH}")), question) == answers


def test_all_from_memory_is_allowed_by_an_option_alone(load: Load) -> None:
    term = "term~{# == 'a'}"
    strict = engine_of(load(AB, f"intent=i {term}"))
    assert intents_of(strict, "apple", "anything else") == ["i", None]
    loose = engine_of(load(AB, f"intent=i options={{'allow_stm_only': true}} {term}"))
    assert intents_of(loose, "apple", "anything else") == ["i", "i"]


def test_the_conversation_lasts_as_many_milliseconds_as_the_file_says(load: Load) -> None:
    intent = "intent=i term~{# == 'a'} term={# == 'b'}"
    engine = engine_of(load(AB, intent, conversationTimeout=3000))
    asked = ("bread", "apple bread", "bread", 2, "bread", 3, "bread")
    assert intents_of(engine, *asked) == [None, "i", "i", "i", None]


def test_a_flow_looks_at_the_intents_that_matched_before(load: Load) -> None:
    flows = {"a": "", "b": "flow='a$'", "c": "flow='^a b$'"}
    texts = [f"intent={id} {flow} term={{# == '{id}'}}" for id, flow in flows.items()]
    engine = engine_of(load(AB, *texts))
    asked = ("bread", "apple", "cheese", "bread", "cheese", "cheese")
    assert intents_of(engine, *asked) == [None, "a", None, "b", "c", None]


def test_words_of_a_synonym_may_stand_apart_or_change_places(load: Load) -> None:
    elements = {
        "sparse": {"synonyms": ["open window"], "sparse": True},
        "moved": {"synonyms": ["close door"], "permutateSynonyms": True},
    }
    texts = [f"intent={id} term={{# == '{id}'}}" for id in elements]
    asked = ("open that kitchen window", "window open", "door close", "close that big door")
    assert intents_of(engine_of(load(elements, *texts)), *asked) == ["sparse", None, "moved", None]


def test_elements_are_composed_of_elements(load: Load) -> None:
    elements = {
        "town": ["//[a-z]+ton//"],
        "trip": ["from ^^[start]{# == 'town'}^^ to ^^[end]{tok_id() == 'town'}^^"],
    }
    intent = (
        "intent=go term={# == 'trip' && tok_has_part(tok_this, 'start') "
        "&& starts_with(tok_txt(tok_find_part(tok_this(), 'end')), 'b')}"
    )
    engine = engine_of(load(elements, intent, abstractTokens=["town"]))
    assert intents_of(engine, "from ashton to bolton", "from bolton to ashton") == ["go", None]


def test_values_parents_and_metadata_are_there_for_predicates(load: Load) -> None:
    elements = {
        "tool": ["tool"],
        "saw": {
            "values": [{"value": "jigsaw", "synonyms": ["{scroll|fret} saw"]}],
            "parentId": "tool",
            "metadata": {"teeth": {"per": [9, 12]}},
        },
    }
    intent = (
        "intent=i meta={'ok': true} term={has(tok_ancestors, 'tool') && tok_value == 'jigsaw' && "
        "has(get(meta_tok('teeth'), 'per'), 12) && meta_model('shop') == 7 && meta_intent('ok')}"
    )
    engine = engine_of(load(elements, intent, metadata={"shop": 7}))
    assert intents_of(engine, "a fret saw", "a tool") == ["i", None]


def test_a_file_of_1_0_with_the_intents_of_its_bot(tmp_path: Path) -> None:
    path = tmp_path / "florist.yaml"
    path.write_text(
        'macros: {"<NEED>": "{i|we|_} {need|want}"}\n'
        "elements:\n"
        '- {type: "shop:order", synonyms: ["<NEED> {some|_}"]}\n'
        '- {type: "shop:flower", values: {rose: ["{red|white} rose"], tulip: []}}\n'
        '- {type: "shop:done", synonyms: ["that is {all|it}"], properties: {final: true}}\n'
    )
    model = load_model(
        path,
        intents=[
            "intent=rose term={meta_ent('shop:flower:value') == 'rose'} term~{# == 'shop:order'}?",
            "intent=tulip term(all)={# == 'shop:flower'}+ term~{# == 'shop:order'}",
            "intent=done flow='rose|tulip' term={meta_ent('shop:done:final') == true}",
        ],
    )
    engine = engine_of(model)
    asked = ("that is all", "we need some tulips", "white roses", "that is it")
    assert intents_of(engine, *asked) == [None, "tulip", "tulip", "done"]
