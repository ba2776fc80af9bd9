"""The registry of operations, and the evaluation of time expressions by it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from fractions import Fraction
from functools import partial
from typing import Any, TypeAlias, TypeVar

from anaphora.entities.builtin.dates.intervals import BoundedInterval, Interval, Moment

__all__ = [
    "OPERATIONS",
    "TimeExpression",
    "evaluate",
    "evaluate_bounded",
    "evaluate_start",
    "iter_expressions",
    "operation",
]

TimeExpression: TypeAlias = tuple[Any, ...]
"""The name of an operation and its arguments, some of which are time expressions."""


def iter_expressions(meaning: TimeExpression) -> Iterator[TimeExpression]:
    """The expression, and those in its arguments."""
    yield meaning
    for argument in meaning:
        if isinstance(argument, tuple):
            yield from iter_expressions(argument)


_Date = TypeVar("_Date", bound=Callable[..., Interval])

OPERATIONS: dict[str, Callable[..., Interval]] = {}
"""The operations that return intervals, by name."""


def operation(name: str, **fixed: Any) -> Callable[[_Date], _Date]:
    """Register the decorated function, with these arguments ``fixed``, under its name in the
    tables. It takes the moment and the other arguments, and raises ValueError or OverflowError if
    there is no such date."""

    def register(function: _Date) -> _Date:
        OPERATIONS[name] = partial(function, **fixed) if fixed else function
        return function

    return register


def evaluate(meaning: TimeExpression, moment: Moment) -> Interval:
    """The interval of an expression. Raises ValueError or OverflowError if there is no such date
    (quarter two and a half)."""
    if any(isinstance(argument, Fraction) for argument in meaning):
        raise ValueError("a date has no fractions")
    return OPERATIONS[meaning[0]](moment, *meaning[1:])


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
