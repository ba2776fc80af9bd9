"""Functions on lists of numbers."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.grammar.functions.evaluation import (
    call,
    evaluate,
    evaluation_error,
    grammar_error,
    is_same,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("min(list(3, 1.5))", 1.5),
        ("max(list(3, 1.5))", 3),
        ("min(list(-1))", -1),
        ("avg(list(1, 2, 3))", 2.0),
        ("avg(list(1, '2', 4.5))", 2.5),
        ("avg(list(7))", 7.0),
        ("stdev(list(1, 1, 1))", 0.0),
        ("stdev(list(2, 4, 4, 4, 5, 5, '7', 9))", 2.0),
        ("avg(list(1e308, 1e308))", float("inf")),
        ("max(list(1, exp(1000)))", float("inf")),
        ("min(list(sqrt(-1), 1))", 1),
        ("min(list(1, sqrt(-1)))", 1),
        ("max(list(sqrt(-1), 1))", float("nan")),
        ("max(list(1, sqrt(-1)))", float("nan")),
    ],
)
def test_a_list_of_numbers_gives(text: str, expected: Any) -> None:
    assert is_same(evaluate(text), expected)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("min(list())", "'min' has no result for an empty list"),
        ("max(list())", "'max' has no result for an empty list"),
        ("avg(list())", "'avg' has no result for an empty list"),
        ("stdev(list())", "'stdev' has no result for an empty list"),
        ("max(list(1, 'a'))", "'max' needs a list of numbers, but it contains the text 'a'"),
        ("min(list(1, '2'))", "it contains the text '2'"),
        ("avg(list(1, 'a'))", "'avg' finds no number in the text 'a'"),
        ("stdev(list(1, null))", "'stdev' needs a list of numbers, but it contains null"),
        ("avg(list(true))", "it contains true"),
        ("avg(meta_ent('one'))", "'avg' needs a list as its 1st argument, not the integer 1"),
    ],
)
def test_what_has_no_result_is_an_error(text: str, message: str) -> None:
    assert message in evaluation_error(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("min(1)", "'min' needs a list as its 1st argument, not an integer"),
        ("max(1, 2)", "'max' takes 1 argument, not 2"),
        ("avg('1')", "'avg' needs a list as its 1st argument, not a text"),
        ("stdev()", "'stdev' takes 1 argument, not 0"),
    ],
)
def test_a_wrong_call_is_found_before_it_runs(text: str, message: str) -> None:
    assert message in grammar_error(text)


@given(st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=9))
def test_the_mean_lies_between_the_extremes(numbers: list[int]) -> None:
    assert call("min", numbers) <= call("avg", numbers) <= call("max", numbers)
    assert 0 <= call("stdev", numbers) <= call("max", numbers) - call("min", numbers)
