"""An element names the function that combines its entities."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from anaphora import ModelError, parse_model

INTENT = "intents: [\"intent=i term={# == 'size'}\"]"


@pytest.fixture(autouse=True)
def functions(monkeypatch):
    module = ModuleType("combining_bot")
    vars(module).update(
        merge=lambda old, new: None, one=lambda new: None, three=lambda old, new, at: None
    )
    monkeypatch.setitem(sys.modules, "combining_bot", module)
    return module


def size(reference: str, head: str = "") -> str:
    return f"id: m\n{head}elements: [{{id: size, combine: '{reference}'}}]\n{INTENT}"


def test_it_is_a_function_of_a_module(functions):
    (element,) = parse_model(size("combining_bot#merge")).elements
    assert element.combine is functions.merge


def test_or_of_the_module_of_the_model(functions):
    (element,) = parse_model(size("#merge", "code: combining_bot\n")).elements
    assert element.combine is functions.merge


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("combining_bot#merg", "the module 'combining_bot' has no function 'merg'"),
        ("combining_bot#one", "combining_bot#one must take two arguments"),
        ("combining_bot#three", "combining_bot#three must take two arguments"),
        ("combining_bot#", "the name of the function is missing"),
        ("#merge", "no module is given for 'merge'"),
    ],
)
def test_mistakes_are_reported_at_the_key(reference, message):
    with pytest.raises(ModelError) as caught:
        parse_model(size(reference))
    assert message in str(caught.value)
    assert "combine" in str(caught.value)
