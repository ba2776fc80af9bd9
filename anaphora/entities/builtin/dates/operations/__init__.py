"""Evaluate time expressions: one small function for each operation of the tables.

A time expression is a tuple of the name of an operation and its arguments, some of which are
expressions. It does not depend on the time of the question: a text is parsed once, and its dates
are resolved for each question. An operation without a result (February 30, the year 0) raises
ValueError or OverflowError; :func:`resolve` returns None then.
"""

from __future__ import annotations

from functools import lru_cache

from anaphora.entities.builtin.dates.intervals import Interval, Moment
from anaphora.entities.builtin.dates.operations import (  # noqa: F401 - registers their operations
    named_days,
    named_periods,
    ranges,
    relative_dates,
    subperiods,
    times_of_day,
    zones,
)
from anaphora.entities.builtin.dates.operations.clock_times import CLOCK_OPERATIONS
from anaphora.entities.builtin.dates.operations.durations import DURATION_OPERATIONS
from anaphora.entities.builtin.dates.operations.registry import (
    OPERATIONS,
    TimeExpression,
    evaluate,
    iter_expressions,
)

__all__ = ["OPERATION_NAMES", "depends_on_seconds", "resolve"]

OPERATION_NAMES = frozenset({*OPERATIONS, *CLOCK_OPERATIONS, *DURATION_OPERATIONS})
"""The names of all operations: of dates, times of day and durations."""


def resolve(meaning: TimeExpression, moment: Moment) -> Interval | None:
    """The interval of a date at that moment; None if the date does not exist."""
    try:
        found = evaluate(meaning, moment)
    except (ValueError, OverflowError):
        return None
    return found if found.is_valid else None


@lru_cache(maxsize=4096)
def depends_on_seconds(meaning: TimeExpression) -> bool:
    """Whether the result depends on the seconds of the reference time."""
    return any(part == ("now",) or "second" in part for part in iter_expressions(meaning))
