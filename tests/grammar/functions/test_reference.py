"""The reference page of the functions says what the registry says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anaphora.cli.grammar.evaluation_context import parse_context
from anaphora.grammar.functions import FUNCTIONS, UNSUPPORTED_FUNCTIONS
from anaphora.grammar.functions.reference import (
    EXAMPLE_ENTITIES,
    EXAMPLE_META,
    FUNCTION_GROUPS,
    first_paragraph,
    format_parameters,
    format_signature,
    functions_to_data,
    render_page,
)
from anaphora.grammar.idl.compiler import compile_expression

PAGE = Path(__file__).parents[3] / "docs" / "functions.md"


def test_the_page_in_the_documentation_is_up_to_date() -> None:
    again = "write it anew: python -m anaphora.grammar.functions.reference > docs/functions.md"
    assert PAGE.read_text(encoding="utf-8") == render_page(), again


@pytest.mark.parametrize(
    ("name", "example"),
    [(name, example) for name, one in FUNCTIONS.items() for example in one.examples],
)
def test_every_example_is_true(name: str, example: str) -> None:
    context = parse_context(json.dumps(EXAMPLE_ENTITIES), json.dumps(dict(EXAMPLE_META)))
    assert compile_expression(example)(context) is True
    assert any(spelling in example for spelling in FUNCTIONS[name].names)


def test_every_function_stands_in_one_group_and_on_the_page() -> None:
    grouped = [function for functions in FUNCTION_GROUPS.values() for function in functions]
    assert len(grouped) == len(set(grouped)) == len(set(FUNCTIONS.values()))
    text = render_page()
    for name in (*FUNCTIONS, *UNSUPPORTED_FUNCTIONS):
        assert f"`{name}`" in text
    for group in FUNCTION_GROUPS:
        assert f"\n## {group}\n" in text


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("substr", "substr(text, start, end) → a text"),
        ("ent_text", "ent_text([entity]) → a text"),
        ("list", "list(items…) → a list"),
        ("pi", "pi → a number"),
        ("get", "get(collection, key) → anything"),
        ("user_email", "user_email → a text or null"),
        ("abs", "abs(number) → a number"),
    ],
)
def test_a_signature_says_how_a_function_is_called(name: str, expected: str) -> None:
    assert format_signature(FUNCTIONS[name]) == expected


def test_a_signature_can_be_of_another_spelling() -> None:
    assert format_signature(FUNCTIONS["trim"], "strip") == "strip(text) → a text"


def test_what_a_function_takes() -> None:
    assert format_parameters(FUNCTIONS["regex"]) == (
        "text: a text, pattern: a text that is a regular expression"
    )
    assert format_parameters(FUNCTIONS["or_else"]) == (
        "value: anything, otherwise: anything, evaluated only if needed"
    )
    assert format_parameters(FUNCTIONS["ent_text"]) == format_parameters(FUNCTIONS["pi"]) == ""


def test_a_summary_is_one_line() -> None:
    assert first_paragraph(FUNCTIONS["replace"]) == (
        "The text with every match of the pattern replaced."
    )
    assert all("\n" not in first_paragraph(function) for function in FUNCTIONS.values())


def test_plain_data_of_a_function() -> None:
    assert functions_to_data([FUNCTIONS["ent_parent"]]) == [
        {
            "names": ["ent_parent", "tok_parent"],
            "group": "entity",
            "parameters": [
                {"name": "entity", "kinds": ["entity"], "optional": True, "variadic": False}
            ],
            "returns": ["text", "null"],
            "doc": "The id of its element's parent, or null.",
            "examples": ["tok_parent == 'settlement'"],
        }
    ]
    (listed,) = functions_to_data([FUNCTIONS["list"]])
    assert listed["parameters"] == [
        {"name": "items", "kinds": ["anything"], "optional": False, "variadic": True}
    ]
    assert len(functions_to_data()) == len(set(FUNCTIONS.values()))
