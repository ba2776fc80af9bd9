"""The operations by name, and how what is made of them comes to an interval."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from fractions import Fraction
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

from anaphora.entities.builtin.dates.intervals import Grain, Interval, Moment

__all__ = [
    "CLOCK_GRAINS",
    "CLOCK_OPERATIONS",
    "OPERATIONS",
    "BoundedInterval",
    "ClockTime",
    "TimeExpression",
    "bounded_interval",
    "clock_operation",
    "evaluate",
    "evaluate_clock",
    "operation",
]

TimeExpression: TypeAlias = tuple[Any, ...]
"""The name of an operation and its arguments, some of which are meanings."""


class ClockTime(NamedTuple):
    """What a clock shows, to the unit that was said. ``open`` says that an hour from 1 to 12 may
    be one of the morning or of the afternoon; ``half`` is the half of the day, if that was said
    beside it (``am`` or ``pm``)."""

    hours: int
    minutes: int = 0
    seconds: int = 0
    grain: Grain = "minute"
    open: bool = False
    half: Literal["", "am", "pm"] = ""


_Date = TypeVar("_Date", bound=Callable[..., Interval])
_Time = TypeVar("_Time", bound=Callable[..., ClockTime])

OPERATIONS: dict[str, Callable[..., Interval]] = {}
"""The operations that come to dates, by name."""

CLOCK_OPERATIONS: dict[str, Callable[..., ClockTime]] = {}
"""Those that come to times of the day."""

CLOCK_GRAINS = ("second", "minute", "hour", "part")
"""The grains of what is shorter than a day."""


def operation(name: str) -> Callable[[_Date], _Date]:
    """Registers the decorated function under the name that tables give it. It takes the moment
    and its arguments, and raises ValueError or OverflowError where there is no such date."""

    def register(function: _Date) -> _Date:
        OPERATIONS[name] = function
        return function

    return register


def clock_operation(name: str) -> Callable[[_Time], _Time]:
    """As :func:`operation` for a time of the day, which does not depend on the moment."""

    def register(function: _Time) -> _Time:
        CLOCK_OPERATIONS[name] = function
        return function

    return register


def evaluate(meaning: TimeExpression, moment: Moment) -> Interval:
    """The interval that a meaning comes to. Raises ValueError or OverflowError if there is no
    such date (quarter two and a half)."""
    if any(isinstance(argument, Fraction) for argument in meaning):
        raise ValueError("there is no half of it")
    return OPERATIONS[meaning[0]](moment, *meaning[1:])


def evaluate_clock(meaning: TimeExpression) -> ClockTime:
    """The time of the day that a meaning comes to; raises ValueError if no clock shows it."""
    if any(isinstance(argument, Fraction) for argument in meaning):
        raise ValueError("no clock shows that")
    return CLOCK_OPERATIONS[meaning[0]](*meaning[1:])


class BoundedInterval:
    """An interval with both ends."""

    __slots__ = ("end", "start")

    def __init__(self, start: datetime, end: datetime) -> None:
        self.start, self.end = start, end


def bounded_interval(moment: Moment, of: TimeExpression) -> BoundedInterval:
    found = evaluate(of, moment)
    if found.start is None or found.end is None:
        raise ValueError("it has no end")
    return BoundedInterval(found.start, found.end)
