"""Functions that choose what to evaluate."""

from __future__ import annotations

from typing import Any

import pytest

from tests.grammar.functions.evaluation import evaluate, evaluation_error, grammar_error, is_same


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("if(true, 1, 2)", 1),
        ("if(1 > 2, 1, 'b')", "b"),
        ("if(true, 1, to_int('x'))", 1),
        ("if(false, to_int('x'), 2)", 2),
        ("or_else(null, 2)", 2),
        ("or_else(1, to_int('x'))", 1),
        ("or_else(false, 1)", False),
        ("or_else('', 1)", ""),
        ("or_else(meta_ent('none'), or_else(null, 'z'))", "z"),
    ],
)
def test_only_what_is_chosen_is_evaluated(text: str, expected: Any) -> None:
    assert is_same(evaluate(text), expected)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("if(true, to_int('x'), 1)", "'to_int' finds no integer"),
        ("or_else(null, to_int('x'))", "'to_int' finds no integer"),
        ("if(meta_ent('one'), 1, 2)", "'if' needs a boolean as its 1st argument, not the integ"),
        ("if(meta_ent('none'), 1, 2)", "'if' needs a boolean as its 1st argument, not null"),
    ],
)
def test_what_is_chosen_can_fail(text: str, message: str) -> None:
    assert message in evaluation_error(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("if('a', 1, 2)", "'if' needs a boolean as its 1st argument, not a text"),
        ("if(true, 1)", "'if' takes 3 arguments, not 2"),
        ("or_else(1)", "'or_else' takes 2 arguments, not 1"),
    ],
)
def test_a_wrong_call_is_found_before_it_runs(text: str, message: str) -> None:
    assert message in grammar_error(text)
