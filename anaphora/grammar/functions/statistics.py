"""Functions on lists of numbers. An empty list is an error."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from anaphora.errors import EvaluationError
from anaphora.grammar.functions.maths import parse_number
from anaphora.grammar.functions.registry import function
from anaphora.grammar.values import Kind, describe_value, kind_of, sort_key


@function("statistics", "min", examples=("min(list(3, 1.5, 2)) == 1.5",))
def smallest(numbers: Sequence[Any]) -> int | float:
    """The smallest number of the list; NaN is greater than any number."""
    return min(_check_numbers("min", numbers), key=sort_key)


@function("statistics", "max", examples=("max(list(3, 1.5, 2)) == 3",))
def largest(numbers: Sequence[Any]) -> int | float:
    """The largest number of the list; NaN is greater than any number."""
    return max(_check_numbers("max", numbers), key=sort_key)


@function("statistics", "avg", examples=("avg(list(1, 2, '6')) == 3",))
def average(numbers: Sequence[Any]) -> float:
    """The mean of the list; numeric texts count as numbers."""
    return _mean(_to_floats("avg", numbers))


@function("statistics", "stdev", examples=("stdev(list(2, 4, 4, 4, 5, 5, 7, 9)) == 2",))
def deviation(numbers: Sequence[Any]) -> float:
    """The population standard deviation of the list; numeric texts count as numbers."""
    fractions = _to_floats("stdev", numbers)
    mean = _mean(fractions)
    return math.sqrt(_mean([(number - mean) * (number - mean) for number in fractions]))


def _mean(fractions: Sequence[float]) -> float:
    try:
        return math.fsum(fractions) / len(fractions)
    except (OverflowError, ValueError):  # too large, or infinities of both signs
        return sum(fractions) / len(fractions)


def _to_floats(name: str, values: Sequence[Any]) -> Sequence[float]:
    read = [parse_number(name, value) if isinstance(value, str) else value for value in values]
    return [float(number) for number in _check_numbers(name, read)]


def _check_numbers(name: str, values: Sequence[Any]) -> Sequence[int | float]:
    if not values:
        raise EvaluationError(f"'{name}' has no result for an empty list")
    for value in values:
        if kind_of(value) not in (Kind.INTEGER, Kind.NUMBER):
            raise EvaluationError(
                f"'{name}' needs a list of numbers, but it contains {describe_value(value)}"
            )
    return values
