"""The other readings of a date that people understand differently: at 5, 3/4."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from anaphora.entities.builtin.dates.operations.clock_times import HALF_DAY
from anaphora.entities.builtin.dates.operations.registry import TimeExpression, iter_expressions

__all__ = ["find_alternatives", "has_numeric_date", "leave_half_open"]

# With dots it is written in one order only.
_NUMERIC_DATE = re.compile(r"(?<!\d)(?<!\d[./-])\d{1,2}[/-]\d{1,2}(?!\d)")
_HALVES = ("am", "pm")
_LAST_MONTH = 12
_LIMITS = frozenset({"until", "before", "onward", "since", "since_or_from", "after"})
# In them an hour is in one half of the day.
_DECIDED = frozenset(
    {"part", "within", "am", "pm", "by_day", "by_night", "times", "at_times", "daily"}
)


def has_numeric_date(text: str) -> bool:
    """Whether a day and a month whose order people do not share stand in figures in a text."""
    return _NUMERIC_DATE.search(text) is not None


@lru_cache(maxsize=4096)
def find_alternatives(
    expression: TimeExpression, *, is_numeric: bool
) -> tuple[TimeExpression, ...]:
    """The readings of a date, itself among them: an hour from 1 to 12 without its half of the day
    in both, and, if it ``is_numeric``, a day and a month in either order. Empty if there is but
    one."""
    found = tuple(_read_halves(expression))
    if not found and is_numeric:
        swapped = _swap(expression)
        found = () if swapped == expression else (expression, swapped)
    return found


def _read_halves(expression: TimeExpression) -> Iterator[TimeExpression]:
    parts = list(iter_expressions(expression))
    is_open = any(part[0] == "time" and 1 <= part[1] <= HALF_DAY for part in parts)
    if is_open and _DECIDED.isdisjoint(str(part[0]) for part in parts):
        for half in _HALVES:
            yield _in_half(expression, half)


def _in_half(expression: Any, half: str) -> Any:
    if not isinstance(expression, tuple):
        return expression
    if expression[0] == "time" and 1 <= expression[1] <= HALF_DAY:
        return (half, expression)
    return tuple([_in_half(one, half) for one in expression])


def leave_half_open(limit: TimeExpression) -> TimeExpression:
    """A limit whose hour is by day ("not before 8") with that hour in either half of the day; other
    expressions as they are."""
    if limit[0] not in _LIMITS:
        return limit
    opened: TimeExpression = _without_by_day(limit)
    return opened


def _without_by_day(expression: Any) -> Any:
    if not isinstance(expression, tuple):
        return expression
    if expression[0] == "by_day" and len(expression) == 2:
        return expression[1]
    return tuple([_without_by_day(one) for one in expression])


def _swap(expression: Any) -> Any:
    """The expression with day and month exchanged in each date, where both may be either."""
    match expression:
        case ("monthday", int(month), int(day), *rest) if day <= _LAST_MONTH:
            return ("monthday", day, month, *rest)
        case ("ymd", int(year), int(month), int(day)) if day <= _LAST_MONTH:
            return ("ymd", year, day, month)
        case tuple():
            return tuple([_swap(one) for one in expression])
    return expression
