"""Free words as entities that the terms of intents may take, as in NLPCraft 0.9."""

from __future__ import annotations

import pytest

from anaphora import Engine, parse_model
from tests.models.nlpcraft.translation_helpers import data, notes_of

MODEL = """
id: echo
free_words: true
elements:
  - {id: stop}
  - {id: say, synonyms: [say]}
intents:
  - "intent=stop term={# == 'stop'}"
  - "intent=say term={# == 'say'} term(words)={# == 'nlpcraft:nlp'}[1,3]"
  - "intent=any term={true}"
"""


def test_a_predicate_that_is_always_true_matches_any_sentence() -> None:
    engine = Engine(parse_model(MODEL))
    assert [engine.ask(text).intent for text in ("stop", "whatever comes", "stop it")] == [
        "stop",
        "any",
        "stop",
    ]


def test_terms_take_words_that_no_entity_covers() -> None:
    reply = Engine(parse_model(MODEL)).ask("say green apples to the neighbours, please")
    assert reply.intent == "say"
    assert reply.slots["words"].value == ["green", "apples", "neighbours"]
    assert not reply.unused


def test_they_are_not_remembered() -> None:
    engine = Engine(parse_model(MODEL))
    engine.ask("say zebra")
    assert [one.entity.element for one in engine.conversation().remembered] == ["say"]


def test_stop_words_and_a_sentence_without_words_are_none() -> None:
    engine = Engine(parse_model(MODEL))
    assert engine.ask("the of").intent is None


def test_without_the_option_predicates_see_entities_alone() -> None:
    engine = Engine(parse_model(MODEL.replace("free_words: true\n", "free_words: false\n")))
    assert engine.ask("whatever comes").intent is None
    assert engine.ask("say zebra").intent == "any"  # true for the entity "say"


HEAD = "id: m\nenabledBuiltInTokens: []\nelements: [{id: a, groups: [g]}]\n"


@pytest.mark.parametrize(
    ("predicate", "expected"),
    [
        ("true", True),
        ("!tok_is_user()", True),
        ("tok_is_freeword()", True),
        ("# == 'nlpcraft:nlp'", True),
        ("# == 'a'", False),
        ("has(tok_groups(), 'g') && tok_is_user()", False),
        ("meta_tok('nlpcraft:nlp:stem') == 'x' && # == 'a'", False),
    ],
)
def test_an_imported_file_of_0_9_has_it_where_a_term_may_take_them(
    predicate: str,
    expected: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    text = f'{HEAD}intents: ["intent=i term={{{predicate}}}"]\n'
    assert data(text).get("free_words", False) is expected
    assert ("free words" in notes_of(text)) is expected


def test_words_of_the_user_are_told_from_others() -> None:
    text = (
        f'{HEAD}intents: ["intent=i term(x)={{!tok_is_user()}}", "intent=a term={{# == \'a\'}}"]\n'
    )
    engine = Engine(parse_model(text))
    assert engine.ask("a").intent == "a"
    assert engine.ask("zebra").slots["x"].value == "zebra"


def test_unused_free_words_are_those_that_no_term_takes() -> None:
    model = MODEL.replace("intent=say ", "intent=say options={'unused_free_words': false} ")
    engine = Engine(parse_model(model))
    assert engine.ask("say green apples").intent == "say"
    assert engine.ask("say green apples cheer neighbours").intent == "any"


@pytest.mark.parametrize(
    ("predicate", "taken"),
    [("true", None), ("tok_is_freeword", ["green", "apples"]), ("# != 'say'", ["green", "apples"])],
)
def test_a_predicate_that_reads_nothing_of_a_word_takes_none(
    predicate: str, taken: list[str] | None
) -> None:
    model = MODEL.replace("{# == 'nlpcraft:nlp'}[1,3]", f"{{{predicate}}}*")
    reply = Engine(parse_model(model)).ask("say green apples to them")
    assert reply.intent == "say"
    assert (reply.slots["words"].value if "words" in reply.slots else None) == taken


def test_a_sign_between_blanks_is_one() -> None:
    say = "term(words)={# == 'nlpcraft:nlp'}[1,3]"
    sign = "term={# == 'say'} term(words)={has(list('+', '-', '*'), meta_ent('nlpcraft:nlp:text'))}"
    engine = Engine(parse_model(MODEL.replace(f"term={{# == 'say'}} {say}", sign)))
    asked = ("say 2 + 2", "say 3 * 4", "say two - 1", "say two+two", "say - well")
    found = [engine.ask(text).slots.get("words") for text in asked]
    assert [slot and slot.value for slot in found] == ["+", "*", "-", None, None]


def test_the_words_of_a_bot_of_1_0_are_free_words() -> None:
    text = (
        "elements: [{type: x}]\n"
        "intents: [\"intent=i term(op)={has(list('+', '*'), meta_ent('nlp:entity:text'))}\"]\n"
    )
    assert data(text, "1.0")["free_words"] is True
    assert Engine(parse_model(text)).ask("2 * 2").slots["op"].value == "*"
