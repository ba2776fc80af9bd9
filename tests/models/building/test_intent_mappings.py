"""Intents that are written as mappings, without the intent language."""

from __future__ import annotations

import json
from textwrap import dedent
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphora.grammar.idl.compiler import compile_intents
from anaphora.models.domain import Model
from anaphora.models.loader import parse_model, print_model_intents
from tests.models.model_texts import problems_of

HEAD = """\
id: tea
elements:
  - {id: order, synonyms: [give me]}
  - {id: drink, id_synonym: false, values: [tea, coffee]}
  - {id: size, id_synonym: false, values: [small, large]}
  - {id: extra, id_synonym: false, values: [milk, sugar]}
intents:
"""


def model(intents: str, rest: str = "") -> Model:
    return parse_model(HEAD + _indented(intents) + dedent(rest))


def problems(intents: str, rest: str = "") -> list[tuple[int, int, str, str]]:
    """Line and column in the list of intents, message and hint."""
    first = HEAD.count("\n")
    return [
        (one.line - first, one.column - 2, one.message, one.hint)
        for one in problems_of(HEAD + _indented(intents) + dedent(rest))
    ]


def _indented(intents: str) -> str:
    return "".join(f"  {line}\n" for line in dedent(intents).splitlines())


@pytest.mark.parametrize(
    ("mapping", "text"),
    [
        ("{id: i, slots: {drink: }}", "intent=i term(drink)~{# == 'drink'}"),
        ("{id: i, slots: {what: drink}}", "intent=i term(what)~{# == 'drink'}"),
        (
            "{id: i, slots: {what: [drink, extra]}}",
            "intent=i term(what)~{has(list('drink', 'extra'), #)}",
        ),
        (
            "{id: i, slots: {size: {optional: true}, drink: {from_memory: false}}}",
            "intent=i term(size)~{# == 'size'}? term(drink)={# == 'drink'}",
        ),
        ("{id: i, slots: {extra: {several: true}}}", "intent=i term(extra)~{# == 'extra'}+"),
        (
            "{id: i, slots: {extra: {several: true, optional: true}}}",
            "intent=i term(extra)~{# == 'extra'}*",
        ),
        (
            "{id: i, slots: {drink: {where: \"ent_value() != 'tea' || false\"}}}",
            "intent=i term(drink)~{# == 'drink' && (ent_value() != 'tea' || false)}",
        ),
        (
            '{id: i, slots: {drink: {element: [drink, size], where: "@v = true  @v"}}}',
            "intent=i term(drink)~{@v = true  has(list('drink', 'size'), #) && @v}",
        ),
        (
            "{id: i, options: {ordered: true}, flow: '^a\\w', meta: {n: -1.5}, slots: {drink: }}",
            "intent=i options={'ordered': true} flow='^a\\\\w' meta={'n': -1.5} "
            "term(drink)~{# == 'drink'}",
        ),
    ],
)
def test_a_mapping_is_the_intent_of_one_text(mapping: str, text: str) -> None:
    assert model(f"- {mapping}").intents == compile_intents(text)


names = st.sampled_from(["order", "drink", "size", "extra"])
slots = st.one_of(
    names,
    st.lists(names, min_size=1, max_size=3),
    st.fixed_dictionaries(
        {"element": st.one_of(names, st.lists(names, min_size=1, max_size=2))},
        optional={
            "optional": st.booleans(),
            "several": st.booleans(),
            "from_memory": st.booleans(),
            "where": st.sampled_from(
                ["ent_value() == 'tea'", "true || false && true", "@x = 1  @x + 1 == 2", "!false"]
            ),
        },
    ),
)
mappings = st.fixed_dictionaries(
    {"id": st.just("i"), "slots": st.dictionaries(st.sampled_from("abc"), slots, min_size=1)},
    optional={
        "meta": st.dictionaries(
            st.text(max_size=3), st.none() | st.booleans() | st.floats(-1e9, 1e9) | st.text()
        ),
        "flow": st.sampled_from(["a|b", "^\\d\\\\'\"$", "\n"]),
        "options": st.dictionaries(
            st.sampled_from(["ordered", "allow_stm_only", "unused_entities"]), st.booleans()
        ),
    },
)


@given(mappings)
def test_the_text_that_is_printed_is_the_same_intent(tmp_path_factory: Any, mapping: Any) -> None:
    file = tmp_path_factory.mktemp("models") / "tea.json"
    elements = [{"id": name, "synonyms": [name]} for name in ("order", "drink", "size", "extra")]
    content = {"id": "tea", "elements": elements, "intents": [mapping]}
    file.write_text(json.dumps(content), encoding="utf-8")
    loaded = parse_model(json.dumps(content), format="json")
    assert compile_intents(print_model_intents(file)) == loaded.intents


def test_the_texts_of_a_mapping_are_those_of_the_model() -> None:
    inside = model("""
        - id: order
          slots:
            drink: {ask: Which drink?}
            size: {optional: true, ask: "What size, {{ drink }}?"}
          response: One {{ drink }}.
          confirm: One {{ drink }}?
    """)
    outside = model(
        """
        - {id: order, slots: {drink: drink, size: {optional: true}}}
        """,
        """
        responses: {order: "One {{ drink }}."}
        confirm: {order: "One {{ drink }}?"}
        prompts: {order: {drink: Which drink?, size: "What size, {{ drink }}?"}}
        """,
    )
    assert inside == outside
    assert inside.confirmations == {"order": {"": "One {{ drink }}?"}}


def test_texts_of_a_mapping_and_of_the_model_complete_each_other() -> None:
    made = model(
        "- {id: order, slots: {drink: {ask: Which?}, size: size}}",
        "prompts: {order: {size: How large?}}",
    )
    assert made.prompts == {"order": {"drink": {"": "Which?"}, "size": {"": "How large?"}}}


def test_a_dialog_asks_for_the_slots_in_their_order(bot) -> None:
    engine = bot(
        HEAD
        + """\
  - id: order
    slots:
      act: order
      drink: {ask: Which drink?}
      size: {ask: How large?}
      extras: {element: extra, several: true, optional: true}
    response: "{{ size }} {{ drink }}{% if extras %} with {{ extras | join('+') }}{% endif %}"
"""
    )
    assert engine.ask("give me something").prompt == "Which drink?"
    assert engine.ask("tea").prompt == "How large?"
    assert engine.ask("large").text == "large tea"
    assert engine.ask("give me a coffee with milk and sugar").text == "large coffee with milk+sugar"


def test_a_slot_that_does_not_remember_is_filled_from_the_sentence_only(bot) -> None:
    intent = "{id: i, slots: {drink: {from_memory: false}, size: {ask: How large?}}}"
    engine = bot(HEAD + f"  - {intent}\n")
    assert engine.ask("a large tea").status == "matched"
    assert engine.ask("small").status == "rejected"


def test_mappings_and_texts_may_stand_side_by_side() -> None:
    made = model("""
        - {id: order, slots: {drink: drink}}
        - "intent=resize term(size)~{# == 'size'}"
    """)
    assert [intent.id for intent in made.intents] == ["order", "resize"]


def test_a_flow_may_be_a_python_function() -> None:
    assert problems("- {id: i, flow: 'no_such_module#f', slots: {drink: drink}}") == [
        (
            1,
            *(17, "there is no Python module 'no_such_module'"),
            "install it, or put its file beside the model",
        )
    ]


MISTAKES: dict[str, tuple[str, tuple[int, int, str, str]]] = {
    "an unknown element": (
        "- id: i\n  slots:\n    size: {element: siez}",
        (3, 21, "the intent 'i' refers to the unknown element 'siez'", "did you mean 'size'?"),
    ),
    "an unknown element in a list": (
        "- id: i\n  slots:\n    size: [size, drnk]",
        (3, 18, "the intent 'i' refers to the unknown element 'drnk'", "did you mean 'drink'?"),
    ),
    "a slot that is no element": (
        "- id: i\n  slots:\n    sizes: {optional: true}",
        (3, 5, "the intent 'i' refers to the unknown element 'sizes'", "did you mean 'size'?"),
    ),
    "an unknown element in a condition": (
        "- id: i\n  slots:\n    size: {where: \"has(list('siez'), #)\"}",
        (3, 29, "the intent 'i' refers to the unknown element 'siez'", "did you mean 'size'?"),
    ),
    "a misspelt key": (
        "- id: i\n  slot: {size: size}",
        (2, 3, "unknown key 'slot'", "did you mean 'slots'?"),
    ),
    "a misspelt key of a slot": (
        "- id: i\n  slots:\n    size: {optionl: true}",
        (3, 12, "unknown key 'optionl'", "did you mean 'optional'?"),
    ),
    "an unknown option": (
        "- id: i\n  options: {order: true}\n  slots: {size: size}",
        (2, 13, "unknown key 'order'", "did you mean 'ordered'?"),
    ),
    "no id": ("- slots: {size: size}", (1, 3, "the intent has no 'id'", "")),
    "no slots": ("- id: i", (1, 3, "the intent has no 'slots'", "")),
    "empty slots": ("- id: i\n  slots: {}", (2, 10, "expected at least one item", "")),
    "a list of slots": (
        "- id: i\n  slots: [size]",
        (2, 10, "expected a mapping, not a list", ""),
    ),
    "a number of entities": (
        "- id: i\n  slots:\n    size: {several: 3}",
        (3, 21, "expected true or false, not the number 3", ""),
    ),
    "an empty list of elements": (
        "- id: i\n  slots:\n    size: []",
        (3, 11, "expected at least one item", ""),
    ),
    "a condition that YAML takes for a comment": (
        "- id: i\n  slots:\n    size:\n      where: # == 'size'",
        (4, 7, "expected text, not nothing", "a # behind a blank begins a comment"),
    ),
    "a condition with a syntax error": (
        "- id: i\n  slots:\n    size:\n      where: |\n        ent_value() ==\n          == 'x'",
        (6, 11, "'=' is not expected here", ""),
    ),
    "a condition that calls no function": (
        "- id: i\n  slots:\n    size: {where: \"ent_valu() == 'x'\"}",
        (3, 20, "there is no function 'ent_valu'", "did you mean 'ent_value'?"),
    ),
    "a condition that is a number": (
        "- id: i\n  slots:\n    size: {where: '1 + 1'}",
        (3, 20, "'&&' needs booleans, not an integer", ""),
    ),
    "a flow that is no pattern": (
        "- id: i\n  flow: '('\n  slots: {size: size}",
        (2, 9, "'(' is not a regular expression", "the syntax is RE2's"),
    ),
    "an id that the intent language cannot write": (
        "- id: i.j\n  slots: {size: size}",
        (1, 7, "'i.j' cannot be an id in an intent", "the intent language has no ids with points"),
    ),
    "a number that the intent language cannot write": (
        "- id: i\n  meta: {a: [.inf]}\n  slots: {size: size}",
        (2, 9, "the number inf does not fit into 64 bits", ""),
    ),
    "an unknown slot in a response": (
        '- id: i\n  slots: {size: size}\n  response: "a {{ siez }}"',
        (3, 19, "unknown variable 'siez' in the template", "did you mean 'size'?"),
    ),
    "an unknown language of a question": (
        "- id: i\n  slots:\n    size: {ask: {de: Welche?}}",
        (3, 18, "the model has no language 'de'", "it has en; add others to 'language'"),
    ),
    "an empty response": (
        "- id: i\n  slots: {size: size}\n  response:",
        (3, 3, "expected text, not nothing", ""),
    ),
    "the same intent as a text": (
        "- \"intent=i term(t)~{# == 'size'}\"\n- id: i\n  slots: {size: size}",
        (2, 7, "the intent 'i' is declared twice; first on line 8", ""),
    ),
    "a text of the same intent": (
        "- id: i\n  slots: {size: size}\n- \"intent=i term(t)~{# == 'size'}\"",
        (3, 4, "the intent 'i' is declared twice; first on line 8", ""),
    ),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_is_reported_at_its_place(case: str) -> None:
    text, (line, column, message, hint) = MISTAKES[case]
    (found,) = problems(text)
    assert found[:2] == (line, column)
    assert found[2].startswith(message)
    assert found[3].startswith(hint)


@pytest.mark.parametrize(
    ("key", "inside", "section"),
    [
        ("response", "response: a", "responses: {i: b}"),
        ("confirm", "confirm: a", "confirm: {i: b}"),
    ],
)
def test_a_text_that_is_written_twice_is_an_error(key: str, inside: str, section: str) -> None:
    (found,) = problems(f"- id: i\n  slots: {{size: size}}\n  {inside}", f"{section}\n")
    assert found[:3] == (3, 3, f"the '{key}' of 'i' is written twice; the other one is on line 11")


def test_a_question_that_is_written_twice_is_an_error() -> None:
    (found,) = problems(
        "- id: i\n  slots:\n    size: {ask: How large?}", "prompts: {i: {size: Which?}}\n"
    )
    assert found[:2] == (3, 12)
    assert found[2] == "the 'ask' of 'size' of 'i' is written twice; the other one is on line 11"


def test_an_intent_with_an_error_is_still_known_to_the_rest_of_the_file() -> None:
    text = "- id: order\n  slots:\n    size: {where: '('}\n  response: '{{ size }}'"
    found = problems(text, "handlers: {order: 'json#dumps', ordr: 'json#dumps'}\n")
    assert [message for _, _, message, _ in found] == [
        "a '(' is not closed",
        "unknown intent 'ordr'",
    ]


def test_a_mapping_without_any_key_of_an_intent_is_a_text_that_lacks_its_quotes() -> None:
    (found,) = problems("- {intent: i}")
    assert found[2] == "expected text, not a mapping"
    assert "quotes" in found[3]


@pytest.mark.parametrize("wrong", ["", "5", "[a]", "{order: [a]}"])
@pytest.mark.parametrize("section", ["responses", "prompts", "confirm", "validate"])
def test_a_section_of_a_wrong_type_is_reported_once(section: str, wrong: str) -> None:
    intents = """
        - id: order
          slots: {drink: {ask: a, validate: {check: 'true', text: b}}}
          response: c
          confirm: d
    """
    found = problems(intents, f"{section}: {wrong}\n")
    assert all(line > 4 or "written twice" in message for line, _, message, _ in found)
    assert len(found) <= 2
