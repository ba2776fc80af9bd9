"""The JSON Schema and the loader take the same files for good ones."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from anaphora import parse_model
from anaphora.errors import ModelError
from anaphora.models.schema.json_schema import json_schema
from tests.support.examples import examples

MODEL: Mapping[str, Any] = {
    "id": "m",
    "elements": [{"id": "tea", "synonyms": ["tea"]}],
    "intents": ["intent=order term(tea)={# == 'tea'}"],
}

# Keys of which the meaning depends on nothing else in the file.
MODEL_KEYS = (
    *("id", "name", "version", "origin", "description", "language", "meta", "sparse", "permute"),
    *("greedy", "reset", "max_synonyms", "max_gap"),
)
ELEMENT_KEYS = (
    *("id", "description", "groups", "synonyms", "values", "topic", "meta", "id_synonym", "sparse"),
    *("permute", "greedy", "abstract", "typos", "compounds", "refers", "several", "fresh"),
)
GROUPS: Mapping[str, tuple[str, ...]] = {
    "conversation": ("timeout", "depth"),
    "bridge": ("mode", "within", "exchanges"),
    "stop_words": ("add", "remove", "skip"),
    "limits": ("min_words", "max_free_words", "swear_words", "latin_only"),
    "options": ("ordered", "unused_entities"),
    "fallback": ("text", "unknown", "examples", "after", "handler", "en"),
}

INTENT_KEYS = ("id", "slots", "options", "flow", "meta")
SLOT_KEYS = ("element", "where", "optional", "several", "from_memory")

texts = st.sampled_from(
    [
        *("", " ", "x", "tea", "1a", "a b", "a-b.c:d", "_a", "é", "a+", "on", "off", "offered"),
        *("en", "EN", "eng", "engl", "5m", "5 m", "1h30m", "PT5M", "P1D", "pt5m", "5", "0s", "m5"),
        *("thing", "ask", "5m 3h", "P", "PT", "0.5s", "1.s", "0.000s", "1d2h3m4s", " 5m "),
    ]
)
scalars = st.one_of(
    texts,
    st.sampled_from([None, True, False, 0, 1, 2, 3, -1, 3.0, 1.0, 0.0, -2.0, 2.5, 1000]),
)
values = st.one_of(
    scalars,
    st.lists(scalars, max_size=3),
    st.dictionaries(texts, scalars, max_size=2),
    st.dictionaries(texts, st.lists(texts, max_size=2), max_size=2),
)


@st.composite
def files(draw: st.DrawFn) -> dict[str, Any]:
    file = json.loads(json.dumps(MODEL))
    for _ in range(draw(st.integers(1, 2))):
        group = draw(st.sampled_from(["", "element", "intent", "slot", *GROUPS]))
        value = draw(values)
        if not group:
            file[draw(st.sampled_from(MODEL_KEYS))] = value
        elif group == "element":
            file["elements"].append({"id": "cup", draw(st.sampled_from(ELEMENT_KEYS)): value})
        elif group == "intent":
            intent = {"id": "i", "slots": {"tea": "tea"}, draw(st.sampled_from(INTENT_KEYS)): value}
            file["intents"].append(intent)
        elif group == "slot":
            slot = value if draw(st.booleans()) else {draw(st.sampled_from(SLOT_KEYS)): value}
            file["intents"].append({"id": "i", "slots": {"tea": slot}})
        else:
            file[group] = {draw(st.sampled_from(GROUPS[group])): value}
    return file


@cache
def validator() -> Draft202012Validator:
    return Draft202012Validator(json_schema())


# What the parts of a file mean together, and what a synonym says, is beyond a schema.
BEYOND = re.compile(
    r"is declared twice|the (synonym|phrase) is empty|has no language|expands? to|"
    r"has no synonyms or values|_ is outside of a group|refers to the unknown element|"
    r"is not expected here|there is no function|needs booleans|is not a regular expression|"
    r"is missing|the text is empty|the fallback has no text|names no function|"
    r"the bot forgets everything|the text ends too early"
)


def is_loaded(file: Mapping[str, Any]) -> bool:
    try:
        parse_model(json.dumps(file))
    except ModelError as error:
        return all(BEYOND.search(problem.message) for problem in error.problems)
    return True


@settings(max_examples=examples(400), deadline=None)
@given(files())
@example({**MODEL, "conversation": {"depth": 3.0}})
@example({**MODEL, "conversation": {"timeout": "soon"}})
@example({**MODEL, "conversation": {"timeout": "0s"}})
@example({**MODEL, "language": ["en", "en"]})
@example({**MODEL, "language": []})
@example({**MODEL, "elements": [{"id": "tea", "typos": 1.0}]})
@example({**MODEL, "elements": [{"id": "tea", "typos": 2.5}]})
@example({**MODEL, "meta": {"": 1}})
@example({**MODEL, "elements": []})
@example({"id": "m", "intents": MODEL["intents"]})
@example({**MODEL, "elements": [], "entities": []})
@example({"id": "m", "entities": ["date"], "intents": ["intent=when term={# == 'date'}"]})
@example({**MODEL, "intents": []})
@example({**MODEL, "macros": {"a": "x"}})
@example({**MODEL, "macros": {"<a b>": "x"}})
@example({**MODEL, "macros": {"<>": "x"}})
@example({**MODEL, "macros": {"<Some-1_>": "x"}})
@example({**MODEL, "elements": [{"id": "tea", "config": {"a": 1}}]})
@example({**MODEL, "elements": [{"id": "tea", "config": {"a": 1}, "recognizer": None}]})
@example({**MODEL, "elements": [{"id": "tea", "config": {}}]})
@example({**MODEL, "elements": [{"id": "tea", "config": {"prefer": "past"}, "recognizer": "date"}]})
@example({**MODEL, "fallback": {"en": "a", "unknown": "b"}})
@example({**MODEL, "fallback": {"unknown": {"en": "a"}}})
@example({**MODEL, "fallback": None})
@example({**MODEL, "intents": [{"id": "i", "slots": {"tea": {"where": ""}}}]})
def test_the_schema_and_the_loader_agree(file: dict[str, Any]) -> None:
    assert validator().is_valid(file) == is_loaded(file)


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(json_schema())


def test_a_key_of_free_data_may_be_empty() -> None:
    model = parse_model(json.dumps({**MODEL, "meta": {"": 1, "a": {"": [2]}}}))
    assert model.meta == {"": 1, "a": {"": [2]}}


@pytest.mark.parametrize("text", ["meta: {? : 1}", "meta:\n  ?\n  : 1"])
def test_a_key_that_is_missing_is_missed(text: str) -> None:
    with pytest.raises(ModelError, match="a key is missing before the colon"):
        parse_model(f"id: m\n{text}\nelements: [tea]\n")
