"""What the tables can say that a date is: one small function for each operation.

A meaning is a tuple of the name of an operation and its arguments, some of which are meanings.
It knows nothing of the time of the question, so that a text is read once and its dates are
resolved as often as it is asked. An operation that comes to nothing (February 30, a year 0)
raises ValueError or OverflowError; :func:`resolve` makes None of that.
"""

from __future__ import annotations

from functools import lru_cache

from anaphora.entities.builtin.dates.intervals import Interval, Moment
from anaphora.entities.builtin.dates.operations import (  # noqa: F401 - they register their operations
    clock_times,
    named_periods,
    ranges,
    relative_dates,
    subperiods,
    times_of_day,
)
from anaphora.entities.builtin.dates.operations.durations import (
    DURATION_OPERATIONS,
    Duration,
    evaluate_duration_range,
)
from anaphora.entities.builtin.dates.operations.expression_analysis import (
    assumed_unit,
    has_daily_hours,
    has_weekday_conflict,
    names_calendar_day,
)
from anaphora.entities.builtin.dates.operations.registry import (
    CLOCK_OPERATIONS,
    OPERATIONS,
    TimeExpression,
    evaluate,
)

__all__ = [
    "OPERATION_NAMES",
    "Duration",
    "TimeExpression",
    "assumed_unit",
    "depends_on_seconds",
    "evaluate_duration_range",
    "has_daily_hours",
    "has_weekday_conflict",
    "names_calendar_day",
    "resolve",
]

OPERATION_NAMES = frozenset({*OPERATIONS, *CLOCK_OPERATIONS, *DURATION_OPERATIONS})
"""The names of all operations: those of dates, of times of the day, and of durations."""


def resolve(meaning: TimeExpression, moment: Moment) -> Interval | None:
    """The interval that a date comes to at that moment, None if there is no such date."""
    try:
        found = evaluate(meaning, moment)
    except (ValueError, OverflowError):
        return None
    return found if found.is_valid else None


@lru_cache(maxsize=4096)
def depends_on_seconds(meaning: TimeExpression) -> bool:
    """Whether it depends on the seconds of the time of the question."""
    return meaning == ("now",) or any(
        part == "second" or (isinstance(part, tuple) and depends_on_seconds(part))
        for part in meaning
    )
