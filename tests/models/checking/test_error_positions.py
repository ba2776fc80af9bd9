"""Every mistake of a model file is found, with its place; all of them at once."""

from __future__ import annotations

import pytest

from anaphora.errors import ModelError
from anaphora.models.loader import parse_model
from tests.models.model_texts import GOOD, START, positions_of, problems_of

# Each case is put below the three lines of START, so that its first line is line 4.
BELOW_START = {
    "unknown key": ("nmae: x", 4, 1, "unknown key 'nmae'", "did you mean 'name'?"),
    "unknown key deeper": (
        "conversation: {depht: 2}",
        *(4, 16, "unknown key 'depht'", "did you mean 'depth'?"),
    ),
    "unknown key unlike any": ("conversation: {x: 2}", 4, 16, "unknown key 'x'", "timeout, depth"),
    "duplicate key": ("id: n", 4, 1, "duplicate key 'id'; first on line 1", ""),
    "text for a list": ("reset: stop", 4, 8, "expected a list of texts, or a mapping", "[a, b]"),
    "list for a mapping": ("macros: [x]", 4, 9, "expected a mapping, not a list", "without '- '"),
    "text for a mapping": ("macros: x", 4, 9, "expected a mapping, not text", ""),
    "list for a text": ("name: [a]", 4, 7, "expected text, not a list", ""),
    "true for a text": ("name: true", 4, 7, "expected text, not true", '"true"'),
    "nothing for a text": ("name:", 4, 1, "expected text, not nothing", ""),
    "timeout without unit": (
        "conversation: {timeout: 300}",
        *(4, 25, "the duration 300 needs a unit", "write 300s"),
    ),
    "bad timeout": ("conversation: {timeout: soon}", 4, 25, "'soon' is not a duration", ""),
    "no timeout at all": ("conversation: {timeout: 0s}", 4, 25, "longer than nothing", ""),
    "depth of zero": ("conversation: {depth: 0}", 4, 23, "expected at least 1, not 0", ""),
    "depth in words": ("conversation: {depth: three}", 4, 23, "a whole number, not text", ""),
    "unknown built-in entity": (
        "entities: [dates]",
        *(4, 12, "there is no built-in entity 'dates'", "did you mean 'date'?"),
    ),
    "bad language": ("language: English", 4, 11, "'English' is not the code", ""),
    "unknown language": ("language: xy", 4, 11, "'xy' is not a language that spaCy knows", "'en'"),
    "unknown language in a list": ("language: [en, xy-GB]", 4, 16, "'xy' is not a language", ""),
    "language twice": ("language: [en, en]", 4, 16, "duplicate language 'en'", ""),
    "no language": ("language: []", 4, 11, "the list of languages is empty", ""),
    "macro without brackets": ('macros: {ASK: "x"}', 4, 10, "not the name of a macro", "<WORDS>"),
    "bad macro": ('macros: {"<A>": "{x"}', 4, 20, "'{' is not closed", ""),
    "macro of itself": ('macros: {"<A>": "x <A>"}', 4, 20, "<A> contains itself", ""),
    "unknown macro": ('reset: ["no <A>"]', 4, 13, "there is no macro <A>", ""),
    "empty reset phrase": ('reset: [x, " "]', 4, 12, "the phrase is empty", ""),
    "foreign language": ("reset: {de: [x]}", 4, 9, "the model has no language 'de'", "it has en"),
    "response to nothing": ("responses: {j: x}", 4, 13, "unknown intent 'j'", "there is: i"),
    "empty response": ('responses: {i: ""}', 4, 16, "the text is empty", ""),
    "broken template": ('responses: {i: "{{ t"}', 4, 17, "not a valid template", ""),
    "unknown variable": (
        'responses: {i: "{{ t }} {{ tex }}"}',
        *(4, 28, "unknown variable 'tex'", "did you mean 'text'?"),
    ),
    "unknown filter": ('responses: {i: "{{ t|uper }}"}', 4, 22, "unknown filter 'uper'", "'upper'"),
    "filter unlike any": ('responses: {i: "{{ t|q }}"}', 4, 22, "filter 'q'", "is: date, time, "),
    "variable unlike any": ('responses: {i: "{{ q }}"}', 4, 20, "'q'", "there is: t, result, "),
    "misspelt reason": ("fallback: {txt: x}", 4, 12, "unknown key 'txt'", "did you mean 'text'?"),
    "missing module": ("code: qx\nhandlers: {i: '#a'}", 4, 7, "no Python module 'qx'", "its file"),
    "prompt for no intent": ("prompts: {j: {t: x}}", 4, 11, "unknown intent 'j'", ""),
    "prompt for no term": (
        "prompts: {i: {u: x}}",
        4,
        15,
        "unknown term of the intent 'i': 'u'",
        "",
    ),
    "sample is no list": ("samples: {a: b}", 4, 10, "expected a list, not a mapping", ""),
    "sample without steps": ("samples: [{dialog: []}]", 4, 20, "at least one item", ""),
    "sample without dialog": ("samples: [{name: x}]", 4, 11, "the sample has no 'dialog'", ""),
    "unknown step": (
        "samples: [{dialog: [{aks: x}]}]",
        *(4, 21, "a step with one of the keys ask, bot, pause, reset", "did you mean 'ask'?"),
    ),
    "unknown status": (
        "samples: [{dialog: [{ask: x, status: matchd}]}]",
        *(4, 38, "not 'matchd'", "did you mean 'matched'?"),
    ),
    "unknown reset": ("samples: [{dialog: [{reset: al}]}]", 4, 29, "not 'al'", "'all'"),
    "pause without unit": ("samples: [{dialog: [{pause: 6}]}]", 4, 29, "6 needs a unit", "6s"),
    "sample of no intent": (
        "samples: [{dialog: [{ask: x, intent: j}]}]",
        *(4, 38, "unknown intent 'j'", ""),
    ),
    "sample of no slot": (
        "samples: [{dialog: [{ask: x, slots: {u: 1}}]}]",
        *(4, 38, "unknown slot 'u'", "there is: t"),
    ),
    "sample of no term": (
        "samples: [{dialog: [{ask: x, intent: i, missing: [t, u]}]}]",
        *(4, 54, "unknown term 'u'", ""),
    ),
    "sample in no language": (
        "samples: [{dialog: [{ask: x, language: de}]}]",
        *(4, 30, "no language 'de'", ""),
    ),
    "tag": ("meta: {a: !!python/object:os.system x}", 4, 11, "'!!python/object:os.system'", ""),
    "merge key": ("meta: {<<: {a: b}}", 4, 8, "merge keys (<<) are not supported", ""),
    "list as a key": ("meta: {[a]: b}", 4, 8, "a key must be text, not a list", ""),
    "missing key": ("meta: {? : b}", 4, 10, "a key is missing", ""),
    "unknown anchor": ("meta: {a: *x}", 4, 11, "no anchor '&x'", ""),
    "alias in itself": ("meta: &x {a: *x}", 4, 14, "is inside what it repeats", ""),
    "second document": ("---\nid: m", 4, 1, "one document", ""),
    "tab": ("meta:\n\ta: b", 5, 1, "not valid YAML", "blanks, not tabs"),
    "tab below blanks": ("meta:\n  a: b\n\tc: d", 6, 1, "not valid YAML", "blanks, not tabs"),
    "unclosed quote": ("name: 'x", 4, 7, "not valid YAML", "a quote that is opened here"),
    "colon in text": ("name: a: b", 4, 8, "not valid YAML", "needs quotes"),
    "control character": ("name: a\x07", 4, 8, "the character U+0007", ""),
}


@pytest.mark.parametrize("case", BELOW_START)
def test_an_error_is_the_only_one_found_and_reported_at_its_position(case: str) -> None:
    text, line, column, message, hint = BELOW_START[case]
    (problem,) = problems_of(START + text)
    assert (problem.line, problem.column) == (line, column)
    assert problem.source == "<text>"
    assert problem.excerpt == (START + text).splitlines()[line - 1].replace("\x07", "\ufffd")
    assert message in problem.message
    assert hint in problem.hint


# In these, @ marks the place of the mistake and is taken out before the text is read.
ELEMENTS = {
    "missing id": ("[@{groups: [a]}]", "the element has no 'id'"),
    "bad id": ("[{id: @my city}]", "'my city' cannot be an id"),
    "number as id": ("[{id: @5}]", "'5' cannot be an id"),
    "duplicate id": ("[{id: a}, {id: @a}]", "the element 'a' is declared twice; first on line 3"),
    "text for synonyms": ("[{id: a, synonyms: @b}]", "a list of texts, or a mapping"),
    "list in synonyms": ("[{id: a, synonyms: [b, @[c]]}]", "expected text, not a list"),
    "empty synonym": ("[{id: a, synonyms: [b, @'']}]", "the synonym is empty"),
    "open group": ("[{id: a, synonyms: [b, 'c {d@']}]", "'{' is not closed"),
    "open group, escaped": (r'[{id: a, synonyms: ["\u0063\" {d@"]}]', "'{' is not closed"),
    "open group, quotes": ("[{id: a, synonyms: ['it''s {d@']}]", "'{' is not closed"),
    "bad regex": ("[{id: a, synonyms: ['b @//[//']}]", "'[' is not a regular expression"),
    "explosion": (
        "[{id: a, synonyms: ['@{a|b}{a|b}{a|b}{a|b}{a|b}{a|b}{a|b}{a|b}{a|b}{a|b}{a|b}{a|b}"
        "{a|b}{a|b}{a|b}{a|b}{a|b}{a|b}']}]",
        "'{a|b}{a|b}",
    ),
    "foreign synonyms": ("[{id: a, synonyms: {@fr: [b]}}]", "the model has no language 'fr'"),
    "no language at all": ("[{id: a, synonyms: {@French: [b]}}]", "not the code of a language"),
    "values of a number": ("[{id: a, values: {b: @3}}]", "expected a list of texts"),
    "value without name": ("[{id: a, values: [@'']}]", "expected a name"),
    "value twice": ("[{id: a, values: [b, @b]}]", "duplicate value 'b'"),
    "value key twice": ("[{id: a, values: {b: [], @b: []}}]", "duplicate key 'b'"),
    "bad value synonym": ("[{id: a, values: {b: [c, 'd @}']}}]", "there is no '{' for this '}'"),
    "unknown parent": ("[{id: a, parent: @b}]", "unknown parent 'b'"),
    "own parent": ("[{id: a, parent: @a}]", "the parents form a cycle: a → a"),
    "circle of parents": (
        "[{id: c, parent: a}, {id: a, parent: @b}, {id: b, parent: a}]",
        "the parents form a cycle: a → b → a",
    ),
    "nothing to say": ("[@{id: a, id_synonym: false}]", "'a' has no synonyms or values"),
    "topic in words": ("[{id: a, topic: @yes}]", "expected true or false, not text"),
    "groups as text": ("[{id: a, groups: @b}]", "expected a list, not text"),
    "unknown key": ("[{id: a, @synonym: [b]}]", "unknown key 'synonym'"),
    "no mapping": ("[{id: a}, @b]", "expected a mapping, not text"),
    "none": ("@[]", "the model declares no elements"),
}


@pytest.mark.parametrize("case", ELEMENTS)
def test_an_error_in_an_element_is_reported_at_its_position(case: str) -> None:
    marked, message = ELEMENTS[case]
    text = f'id: m\nintents: ["intent=i term(t)~{{true}}"]\nelements: {marked}\n'
    (problem,) = problems_of(text.replace("@", ""))
    assert (problem.line, problem.column) == (3, len("elements: ") + marked.index("@") + 1)
    assert message in problem.message


INTENTS = {
    "unknown element, plain": "- intent=i term(t)~{# == @'f'}",
    "unknown element, quoted": "- \"intent=i term(t)~{# == @'f'}\"",
    "unknown element, in single quotes": "- 'intent=i term(t)~{# == @''f''}'",
    "unknown element, block": "- |\n    intent=i\n      term(t)~{# == @'f'}\n",
    "unknown element, folded": "- >-\n\n   intent=i\n   term(t)~{# == 'e'}\n   term(u)~{# == @'f'}",
    "unknown element, over lines": "- intent=i term(t)~{# == 'e'}\n    term(u)~{# == @'f'}",
    "unknown group": "- intent=i term(t)~{has(ent_groups(), @'f')}",
    "syntax": "- intent=i term(t)~{# == @}",
    "syntax in a block": "- |-\n  intent=i\n  term(t)~{# == @}",
    "intent twice": "- intent=i term(t)~{# == 'e'}\n- @intent=i term(t)~{# == 'e'}",
    "intent twice in one text": "- |\n  intent=i term(t)~{true}\n  @intent=i term(t)~{true}",
    "empty": "- @''",
    "no text": "- @{intent: i}",
}


@pytest.mark.parametrize("case", INTENTS)
def test_an_error_in_an_intent_is_reported_at_its_position(case: str) -> None:
    text = f"id: m\nelements: [{{id: e}}]\nintents:\n{INTENTS[case]}\n"
    before = text[: text.index("@")]
    place = before.count("\n") + 1, len(before) - before.rfind("\n")
    assert positions_of(text.replace("@", "")) == [place]


def test_a_model_must_have_an_id_elements_and_intents() -> None:
    messages = [problem.message for problem in problems_of("name: x")]
    assert messages == [
        "the model has no 'id'",
        "the model declares no elements",
        "the model declares no intents",
    ]


def test_there_may_be_a_prompt_for_a_term_that_may_be_left_out() -> None:
    assert problems_of(GOOD.replace("city: For which city?", "date: When?")) == ()


def test_a_comment_that_cuts_an_intent_off_is_explained() -> None:
    text = "id: m\nelements: [{id: e}]\nintents:\n- intent=i term(t)~{ # == 'e'}\n"
    (problem,) = problems_of(text)
    assert "begins a comment" in problem.hint


def test_templates_may_use_what_they_declare_and_what_every_template_has() -> None:
    text = (
        "{% for x in range(3) %}{{ x }}{{ loop.index }}{% endfor %}{{ user }}{{ intent }}{{ text }}"
    )
    assert problems_of(f'{START}responses: {{i: "{text}"}}') == ()


def test_an_id_that_is_missing_or_misspelt_hides_no_other_error() -> None:
    text = """\
        id: m
        intents: ["intent=i term(t)~{# == 'a'}"]
        elements:
          - idd: a
            synonyms: ["{x"]
          - synonyms: ["{y"]
    """
    messages = [problem.message for problem in problems_of(text)]
    assert messages == [
        "unknown key 'idd'",
        "a '{' is not closed",
        "the element has no 'id'",
        "a '{' is not closed",
    ]


def test_an_error_brings_no_complaints_about_what_it_took_away() -> None:
    text = """\
        id: m
        language: [en, 7]
        macros: {"<A>": "{x", "<B>": "<A>", "<C>": "<D>", "<D>": "<C>", "<E>": [y]}
        elements:
          - {id: e, groups: g, synonyms: ["<A>", "<B>", "<C> {x|y}", "<E>"]}
          - {id: 1x, synonyms: {fr: [z]}}
          - {id: f, id_synonym: false, synonyms: no}
        intents:
          - intent=i term(t)~{# == '1x' && has(ent_groups(), 'g')}
          - intent=j term(t)~{#
          - [x]
        responses: {j: x, i: "{{ t }}"}
        prompts: {j: {u: x}}
        samples: [{dialog: [{ask: x, intent: j, slots: {z: 1}}, {ask: [], slots: {z: 1}}]}]
    """
    assert [(problem.line, problem.message) for problem in problems_of(text)] == [
        (2, "'7' is not the code of a language"),
        (3, "a '{' is not closed"),
        (3, "the macro <C> contains itself: <C> → <D> → <C>"),
        (3, "expected text, not a list"),
        (5, "expected a list, not text"),
        (6, "'1x' cannot be an id"),
        (7, "expected a list of texts, or a mapping from languages to lists, not text"),
        (10, problems_of(text)[7].message),
        (11, "expected text, not a list"),
        (14, "expected text, not a list"),
    ]


def test_ten_different_errors_are_reported_at_once_in_the_order_of_the_file() -> None:
    text = """\
        id: ten
        conversation: {timeout: 300}
        elements:
          - id: city
            groups: place
            values: {Tokyo: [], Kyoto: ["{kyoto"]}
          - id: city
          - id: date
            synonims: [day, ""]
            parent: dat
          - id: time
            synonyms: ["//(//"]
        intents:
          - intent=weather term(city)~{# == 'cty'}
          - intent=weather term(city)~{# == 'city'}
        responses: {wether: x}
        prompts: {weather: {cit: x}}
        samples:
          - dialog: [{ask: x, status: wrong}]
    """
    problems = problems_of(text)
    assert [(problem.line, problem.column) for problem in problems] == [
        (2, 25),
        (5, 13),
        (6, 40),
        (7, 9),
        (9, 5),
        (9, 21),
        (10, 13),
        (12, 17),
        (14, 37),
        (15, 5),
        (16, 13),
        (17, 21),
        (19, 31),
    ]
    shown = str(ModelError(problems)).splitlines()
    assert shown[:4] == [
        "<text>:2:25: the duration 300 needs a unit",
        "  conversation: {timeout: 300}",
        "                          ^",
        "  hint: write 300s for seconds",
    ]


def test_more_than_a_hundred_errors_are_counted() -> None:
    problems = problems_of(START + "".join(f"foo{number}: 1\n" for number in range(150)))
    assert len(problems) == 101
    assert problems[-1].message == "… and 50 more"
    assert problems[-2].line == 103


def test_an_error_in_what_is_repeated_counts_once() -> None:
    repeated = "id: m\nelements: [{id: a, synonyms: &x ['{b', 1]}, {id: b, synonyms: *x}]\n"
    assert positions_of(repeated + 'intents: ["intent=i term(t)~{true}"]') == [(2, 37)]


def test_an_anchor_bomb_is_rejected() -> None:
    lines = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    for before, name in zip("abcdefgh", "bcdefghi", strict=True):
        lines.append(f"{name}: &{name} [{', '.join(['*' + before] * 9)}]")
    (problem,) = problems_of("\n".join(lines))
    assert "expand to far too much data" in problem.message
    assert problem.line == 5


@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "? ", '{"a": ', '[{"a":'])
@pytest.mark.parametrize("format", ["yaml", "json"])
def test_endless_nesting_is_rejected(opening: str, format: str) -> None:
    with pytest.raises(ModelError):
        parse_model(opening * 100_000, format="json" if format == "json" else "yaml")


def test_nesting_by_aliases_counts_as_well() -> None:
    lines = [f"a{level}: &a{level} [*a{level - 1}]" for level in range(1, 200)]
    (problem,) = problems_of("\n".join(["a0: &a0 [x]", *lines]))
    assert problem.message == "nested deeper than 100 levels"


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ('{"id": "m" 1}', (1, 12), "not valid JSON"),
        ('{\n  "id": tru\n}', (2, 9), "not valid JSON"),
        ('{"id": "m"', (1, 11), "not valid JSON"),
        ('{"id": "m",\n\t"name":\t[]}', (2, 10), "expected text, not a list"),
        ('{"id": "m", "id": "n"}', (1, 13), "duplicate key"),
        ('{"id": "m", "meta": {"a": NaN}}', (1, 27), "NaN is not a number of JSON"),
        ('{"name": "\\ud83d"}', (1, 10), "unpaired surrogate"),
        ('{"id": "m", "reset": ["\\ud83d\\ude00\\/ {x"]}', (1, 41), "'{' is not closed"),
    ],
)
def test_errors_in_json_have_positions_too(text: str, place: tuple[int, int], message: str) -> None:
    found = {
        (problem.line, problem.column): problem.message for problem in problems_of(text, "json")
    }
    assert message in found[place]


def test_a_template_that_would_compute_for_ages_is_only_read() -> None:
    assert problems_of(START + 'responses: {i: "{{ 9 ** 9 ** 9 ** 9 }}"}') == ()


@pytest.mark.parametrize(
    "template", ["{{ " + "(" * 20_000, "{{ " + " + ".join(["t"] * 5_000) + " }}"]
)
def test_a_template_that_nests_too_deeply_is_rejected(template: str) -> None:
    (problem,) = problems_of(f'{START}responses: {{i: "{template}"}}')
    assert problem.message == "the template is nested too deeply"


def test_an_intent_that_nests_too_deeply_is_an_error_with_a_position() -> None:
    nested = "!" * 20_000 + "true"
    text = f"id: m\nelements: [{{id: e}}]\nintents:\n- intent=i term(t)~{{{nested}}}\n"
    (problem,) = problems_of(text)
    assert problem.line == 4


def test_parents_do_not_stand_above_each_other_without_end() -> None:
    elements = "".join(f"- {{id: e{at}, parent: e{at + 1}}}\n" for at in range(300))
    text = f"id: m\nintents: ['intent=i term(t)~{{true}}']\nelements:\n{elements}- id: e300\n"
    (problem,) = problems_of(text)
    assert problem.message == "more than 100 parents above each other"


def test_synonyms_that_explode_together_are_rejected() -> None:
    synonym = "{a|b}" * 12 + "{c|d}"
    synonyms = "".join(f"  - '{synonym}{at}'\n" for at in range(130))
    text = "id: m\nintents: ['intent=i term(t)~{true}']\nelements:\n- id: e\n  synonyms:\n"
    (problem,) = problems_of(text + synonyms)
    assert "more than 1,000,000 phrases" in problem.message
    assert synonym in problem.message


def test_what_steers_a_terminal_is_not_repeated_in_messages() -> None:
    (problem,) = problems_of(START + '"\\e[2J": 1\n')
    assert "\x1b" not in str(ModelError(problem))
    assert (problem.line, problem.column) == (4, 1)


@pytest.mark.parametrize(
    ("broken", "hint"),
    [
        ("elements:\n  - id: e\n    synonyms:\n      - {a|b} c\n", "begins with { needs quotes"),
        ("elements:\n  - id: e\n    synonyms: [a, {b|c} d]\n", "begins with { needs quotes"),
        ("elements:\n  - id: e\n   synonyms: [a]\n", "look at the indentation"),
    ],
)
def test_slips_of_yaml_get_a_hint(broken: str, hint: str) -> None:
    (problem,) = problems_of("id: m\n" + broken)
    assert hint in problem.hint


def test_an_intent_that_yaml_takes_for_a_mapping_gets_a_hint() -> None:
    text = START.replace("intents:", "intents:\n  - intent=z options={'ordered': true} term={true}")
    hints = {problem.message: problem.hint for problem in problems_of(text)}
    assert "behind >-" in hints["expected text, not a mapping"]
