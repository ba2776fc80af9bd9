"""The registry of operations, and the evaluation of time expressions by it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from fractions import Fraction
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

from anaphora.entities.builtin.dates.intervals import BoundedInterval, Grain, Interval, Moment

__all__ = [
    "CLOCK_OPERATIONS",
    "OPERATIONS",
    "ClockTime",
    "TimeExpression",
    "clock_operation",
    "evaluate",
    "evaluate_bounded",
    "evaluate_clock",
    "evaluate_start",
    "operation",
]

TimeExpression: TypeAlias = tuple[Any, ...]
"""The name of an operation and its arguments, some of which are time expressions."""


class ClockTime(NamedTuple):
    """A time of day; ``grain`` is the unit of the text. ``open`` means that an hour from 1 to 12
    may be in the morning or in the afternoon; ``half`` is the half of the day (``am``, ``pm``), if
    the text has it."""

    hours: int
    minutes: int = 0
    seconds: int = 0
    grain: Grain = "minute"
    open: bool = False
    half: Literal["", "am", "pm"] = ""


_Date = TypeVar("_Date", bound=Callable[..., Interval])
_Time = TypeVar("_Time", bound=Callable[..., ClockTime])

OPERATIONS: dict[str, Callable[..., Interval]] = {}
"""The operations that return intervals, by name."""

CLOCK_OPERATIONS: dict[str, Callable[..., ClockTime]] = {}
"""The operations that return times of day, by name."""


def operation(name: str) -> Callable[[_Date], _Date]:
    """Register the decorated function under its name in the tables. It takes the moment and the
    arguments, and raises ValueError or OverflowError if there is no such date."""

    def register(function: _Date) -> _Date:
        OPERATIONS[name] = function
        return function

    return register


def clock_operation(name: str) -> Callable[[_Time], _Time]:
    """As :func:`operation`, for a time of day, which does not depend on the moment."""

    def register(function: _Time) -> _Time:
        CLOCK_OPERATIONS[name] = function
        return function

    return register


def evaluate(meaning: TimeExpression, moment: Moment) -> Interval:
    """The interval of an expression. Raises ValueError or OverflowError if there is no such date
    (quarter two and a half)."""
    if any(isinstance(argument, Fraction) for argument in meaning):
        raise ValueError("a date has no fractions")
    return OPERATIONS[meaning[0]](moment, *meaning[1:])


def evaluate_clock(meaning: TimeExpression) -> ClockTime:
    """The time of day of an expression; raises ValueError if there is no such time."""
    if any(isinstance(argument, Fraction) for argument in meaning):
        raise ValueError("no such time of day")
    return CLOCK_OPERATIONS[meaning[0]](*meaning[1:])


def evaluate_bounded(expression: TimeExpression, moment: Moment) -> BoundedInterval:
    """As :func:`evaluate`; raises ValueError also for an interval that is open at an end."""
    found = evaluate(expression, moment)
    if found.start is None or found.end is None:
        raise ValueError("the interval is open")
    return BoundedInterval(found.start, found.end, found.grain, found.whole)


def evaluate_start(expression: TimeExpression, moment: Moment) -> tuple[datetime, Interval]:
    """As :func:`evaluate`, with the start of the interval; raises ValueError also if it has
    none."""
    found = evaluate(expression, moment)
    if found.start is None:
        raise ValueError("the interval has no start")
    return found.start, found
