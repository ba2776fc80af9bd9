"""Functions on numbers. What has no finite integer or is no number at all is an error."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Any

from anaphora.errors import EvaluationError
from anaphora.grammar.functions.registry import function
from anaphora.grammar.operators import in_range
from anaphora.grammar.values import Kind, describe, kind_of

_INTEGER = re.compile(r"[+-]?[0-9]{1,20}")
_DECIMAL = re.compile(r"[+-]?([0-9]{1,400}(\.[0-9]{0,400})?|\.[0-9]{1,400})([eE][+-]?[0-9]{1,4})?")


@function("maths", "abs")
def absolute(number: int | float) -> int | float:
    """The number without its sign."""
    result: int | float = in_range(abs(number), "'abs'")
    return result


@function("maths", "min")
def smallest(numbers: Sequence[Any]) -> int | float:
    """The smallest number of the list."""
    return min(_numbers("min", numbers))


@function("maths", "max")
def largest(numbers: Sequence[Any]) -> int | float:
    """The largest number of the list."""
    return max(_numbers("max", numbers))


@function("maths", "round")
def nearest(number: float) -> int:
    """The nearest integer; halves go up."""
    return _integer("round", number, lambda value: math.floor(value + 0.5))


@function("maths")
def floor(number: float) -> float:
    """The largest whole number that is not larger, as a fraction."""
    return float(math.floor(number)) if math.isfinite(number) else float(number)


@function("maths")
def ceil(number: float) -> float:
    """The smallest whole number that is not smaller, as a fraction."""
    return float(math.ceil(number)) if math.isfinite(number) else float(number)


@function("maths")
def to_int(value: float | str) -> int:
    """A number rounded (halves go up), or the integer that a text spells."""
    if not isinstance(value, str):
        return _integer("to_int", value, lambda number: math.floor(number + 0.5))
    if not _INTEGER.fullmatch(value):
        raise EvaluationError(f"'to_int' finds no integer in {describe(value)}")
    return int(in_range(int(value), "'to_int'"))


@function("maths")
def to_double(value: float | str) -> float:
    """A number as a fraction, or the number that a text spells."""
    if not isinstance(value, str):
        return float(value)
    if not _DECIMAL.fullmatch(value):
        raise EvaluationError(f"'to_double' finds no number in {describe(value)}")
    return float(value)


def _numbers(name: str, values: Sequence[Any]) -> Sequence[int | float]:
    if not values:
        raise EvaluationError(f"'{name}' has no result for an empty list")
    for value in values:
        if kind_of(value) not in (Kind.INTEGER, Kind.NUMBER):
            raise EvaluationError(
                f"'{name}' needs a list of numbers, and it holds {describe(value)}"
            )
    return values


def _integer(name: str, number: float, rounding: Callable[[float], int]) -> int:
    if isinstance(number, int):
        return number
    if not math.isfinite(number):
        raise EvaluationError(f"'{name}' has no integer for {describe(number)}")
    return int(in_range(rounding(number), f"'{name}'"))
