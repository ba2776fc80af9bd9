"""Whatever a file holds, it is a model or a ModelError says why not."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from anaphora.errors import ModelError, Problem
from anaphora.models.loader import parse_model
from anaphora.models.reading.nodes import ScalarNode, SequenceNode, to_data
from anaphora.models.reading.scalar_positions import offset_of_character
from anaphora.models.reading.source import FileDiagnostics, SourceText
from anaphora.models.reading.yaml_reader import read_yaml
from tests.models.model_texts import GOOD
from tests.support.examples import examples

CHARACTERS = st.sampled_from(
    "{}[]()<>|_'\"\\/:,.-#&*!?%@`~=\n\t 01aeoé\x00\x85\u2028\ud800\U0001f600"
)


def good_json() -> str:
    """The good model as JSON."""
    root = read_yaml(FileDiagnostics(SourceText("", GOOD)))
    assert root is not None
    return json.dumps(to_data(root), indent=1)


def loads_or_complains(text: str, format: Any = "yaml") -> None:
    try:
        parse_model(text, format=format)
        problems: tuple[Problem, ...] = ()
    except ModelError as error:
        problems = error.problems
        str(error).encode()
    lines = [problem.line for problem in problems if problem.line]
    assert lines == sorted(lines)


@st.composite
def mutations(draw: st.DrawFn, text: str) -> str:
    """``text`` with a few places deleted, doubled, replaced, or moved."""
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = start + draw(st.integers(0, 30))
        part = draw(
            st.one_of(st.just(""), st.just(text[start:end] * 2), st.text(CHARACTERS, max_size=5))
        )
        text = text[:start] + part + text[end:]
    return text


@settings(max_examples=examples(300), deadline=None)
@given(mutations(GOOD))
@example(GOOD.replace("  - id: big_city", "  -"))
@example(GOOD.replace("[en, ru]", "{en: ru}"))
def test_a_spoilt_yaml_file_loads_or_is_a_model_error(text: str) -> None:
    loads_or_complains(text)


@settings(max_examples=examples(150), deadline=None)
@given(mutations(good_json()))
def test_a_spoilt_json_file_loads_or_is_a_model_error(text: str) -> None:
    loads_or_complains(text, "json")


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=3) | st.sampled_from(["id", "dialog", "ask"]), inner)
    ),
    max_leaves=8,
)


@settings(max_examples=examples(200), deadline=None)
@given(st.data())
def test_any_data_in_any_place_loads_or_is_a_model_error(data: st.DataObject) -> None:
    model: Any = json.loads(good_json())
    place = model
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = data.draw(st.sampled_from(keys))
        deeper = isinstance(place[key], dict | list) and place[key]
        if not deeper or data.draw(st.booleans()):
            break
        place = place[key]
    place[key] = data.draw(ANYTHING)
    loads_or_complains(json.dumps(model), "json")


TEXTS = st.text(
    st.characters(blacklist_categories=("Cs", "Cc"), blacklist_characters="\ufeff\u2028\u2029"),
    min_size=1,
    max_size=30,
) | st.text(st.sampled_from("ab '\"\\:{}#\n"), min_size=1, max_size=120)


@pytest.mark.parametrize("style", ["", "'", '"', "|", ">"])
@settings(max_examples=examples(100), deadline=None)
@given(text=TEXTS, data=st.data())
def test_every_character_of_a_text_is_found_in_the_file(
    style: str, text: str, data: st.DataObject
) -> None:
    written = yaml.dump(
        ["x", text], default_style=style or None, allow_unicode=True, width=20, indent=4
    )
    report = FileDiagnostics(SourceText("", written))
    root = read_yaml(report)
    assert isinstance(root, SequenceNode)
    node = root.items[1]
    assert isinstance(node, ScalarNode)
    index = data.draw(st.integers(0, len(node.text) - 1)) if node.text else 0
    at = offset_of_character(node, report.source.text, index)
    assert node.start <= at <= node.end
    character = node.text[index : index + 1]
    if character.isalnum() and character.isascii():
        assert report.source.text[at] == character


@given(st.text(max_size=20))
def test_plain_scalars_are_read_by_yaml_1_2(text: str) -> None:
    value = to_data(ScalarNode(0, 0, text, ""))
    assert value is None or isinstance(value, bool | int | float) or value == text
    assert to_data(ScalarNode(0, 0, text, '"')) == text
