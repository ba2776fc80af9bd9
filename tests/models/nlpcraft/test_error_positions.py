"""Mistakes in a file of theirs are told at their places in it, and nothing else happens."""

from __future__ import annotations

import json
from textwrap import dedent
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anaphora.errors import ModelError
from anaphora.models.loader import parse_model
from anaphora.models.nlpcraft import detect_version, translate
from anaphora.models.reading.nodes import to_data
from tests.models.model_texts import problems_of
from tests.models.nlpcraft.translation_helpers import DRINKS, LAMPS, TICKETS, tree, tree_of
from tests.support.examples import examples

HEAD = "id: m\nenabledBuiltInTokens: []\nmaxUnknownWords: 3\n"


@pytest.mark.parametrize(
    ("text", "line", "column", "said"),
    [
        ("conversationTimeout: soon\nelements: [{id: e}]", 4, 22, "is not a duration"),
        ("conversationTimeout: true\nelements: [{id: e}]", 4, 22, "expected text, not true"),
        ("conversationDepth: x\nelements: [{id: e}]", 4, 20, "expected a whole number, not text"),
        ("elements: 5", 4, 11, "expected a list, not the number 5"),
        ("elements: [5]", 4, 12, "expected a mapping, not the number 5"),
        ("elements: [{id: e, synonyms: 5}]", 4, 30, "expected a list"),
        ("elements: [{id: e, values: 5}]", 4, 28, "expected a mapping"),
        ("elements: [{id: e, values: [{synonyms: [a]}]}]", 4, 29, "expected a name"),
        ("elements: [{id: e, values: [{name: v, synonyms: x}]}]", 4, 49, "expected a list"),
        ("elements: [{id: e, values: [[v]]}]", 4, 29, "expected a name"),
        ("elements: [{id: e, parentId: f}]", 4, 30, "unknown parent 'f'"),
        ("elements: [{id: e, isSparse: 5}]", 4, 30, "expected true or false"),
        ("elements: [{id: e, synonyms: ['{a|b']}]", 4, 36, "not closed"),
        ("elements: [{id: e, synonyms: ['x{y} <B>']}]", 4, 37, "no macro <B>"),
        ("macros: 5\nelements: [{id: e}]", 4, 9, "expected a mapping"),
        ("macros: [{name: A, macro: x}]\nelements: [{id: e}]", 4, 17, "not the name of a macro"),
        ("macros: [{name: <A>}]\nelements: [{id: e}]", 4, 17, "expected text, not nothing"),
        ("macros: [[x]]\nelements: [{id: e}]", 4, 10, ""),
        ("macros: [{name: <A>, macro: '{x'}]\nelements: [{id: e}]", 4, 32, "not closed"),
        ("notLatinCharsetAllowed: 5\nelements: [{id: e}]", 4, 25, "expected true or false"),
        ("minWords: many\nelements: [{id: e}]", 4, 11, "expected a whole number"),
        ("metadata: [a]\nelements: [{id: e}]", 4, 11, "expected a mapping"),
        ("intents: 5\nelements: [{id: e}]", 4, 10, "expected a list"),
        ("intents: ['intent=i term={# === 1}']\nelements: [{id: e}]", 4, 29, "is no operator"),
    ],
)
def test_an_error_is_reported_at_its_position(text: str, line: int, column: int, said: str) -> None:
    problems = problems_of(HEAD + text)
    assert [(one.line, one.column) for one in problems][:1] == [(line, column)], problems
    assert said in problems[0].message


def test_an_element_of_1_0_without_a_name_is_reported() -> None:
    (problem,) = problems_of("elements: [{type: , synonyms: [a]}, {type: b}]")
    assert (problem.line, problem.column) == (1, 13)


def test_what_was_not_taken_over_is_a_warning_at_its_place() -> None:
    model = parse_model(HEAD + "elements: [{id: e}]\nintents: ['intent=i term={# == ''e''}']")
    warned = {problem.message: problem.line for problem in model.warnings}
    assert warned["maxUnknownWords: there is no dictionary of known words"] == 3


SPOILT = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4) | st.floats(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.text(max_size=3) | st.sampled_from(["id", "name", "macro", "type"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=6,
)


@pytest.mark.parametrize("path", [LAMPS, TICKETS, DRINKS])
@settings(max_examples=examples(120), deadline=None)
@given(values=st.data())
def test_whatever_stands_in_any_place_loads_or_is_a_model_error(path: Any, values: Any) -> None:
    model: Any = to_data(tree_of(path))
    place = model
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = values.draw(st.sampled_from(keys))
        deeper = isinstance(place[key], dict | list) and place[key]
        if not deeper or values.draw(st.booleans()):
            break
        place = place[key]
    place[key] = values.draw(SPOILT)
    text = json.dumps(model)
    try:
        parse_model(text, format="json")
    except ModelError as error:
        assert all(problem.line for problem in error.problems)


def test_every_place_of_the_original_is_kept() -> None:
    text = dedent("""\
        maxWords: 7
        macros:
          - {name: <A>, macro: "b{c}"}
        elements:
          - id: e
            values: [{name: v, synonyms: [w]}]
    """)
    root = translate(tree(text), detect_version(tree(text)) or "1.0", name="m").root
    element = root.items["elements"].items[0]
    for node, at in (
        (root.items["macros"].items["<A>"], '"b{c}"'),
        (root.items["limits"].items["max_words"], "7\n"),
        (element.items["values"].items["v"].items[0], "w]"),
    ):
        assert text.startswith(at, node.start)
    assert text.startswith("v, syn", element.items["values"].key_offsets["v"])
    assert text.startswith("maxWords", root.items["limits"].key_offsets["max_words"])
