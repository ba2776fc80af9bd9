"""Analyze time expressions: implicit units ("the 28th"), conflicting weekdays."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from anaphora.entities.builtin.dates.intervals import Moment
from anaphora.entities.builtin.dates.operations.registry import (
    TimeExpression,
    evaluate,
    iter_expressions,
)

__all__ = [
    "TIMED_OPERATIONS",
    "assumed_unit",
    "day_part",
    "end_completes_start",
    "find_zone",
    "has_weekday_conflict",
    "names_calendar_day",
]

TIMED_OPERATIONS = ("at", "within")
"""The operations that place a time or a part of a day on the date that is their first argument."""

# The unit that an operation leaves open without the argument at that index (always, for 0).
_IMPLICIT_UNITS: Mapping[str, tuple[int, str]] = {
    "clock": (0, "day"), "times": (0, "day"), "part": (0, "day"),
    "next_weekday": (1, "week"), "weekday": (2, "week"),
    "day_of_month": (2, "month"), "weekday_of_month": (0, "month"),
    "nth_weekday_of_month": (0, "month"), "lunar_day": (4, "year"), "lunar_month": (3, "year"),
    "monthday": (3, "year"),
    "month": (2, "year"), "week_of_year": (2, "year"), "quarter": (2, "year"),
    "half_year": (2, "year"), "season": (2, "year"), "nth_weekday_of_year": (0, "year"),
    "easter": (0, "year"), "named_day": (0, "year"), "official_day": (0, "year"),
}  # fmt: skip
# The operations that can provide the unit that the date before them leaves open.
_COMPLETING_OPERATIONS: Mapping[str, tuple[str, ...]] = {
    "year": (
        "ymd", "monthday", "month_of", "month", "in_year", "quarter", "half_year",
        "week_of_year", "season_of",
    ),
    "month": ("ymd", "monthday", "month_of", "in_year", "day_of_month", "nth"),
    "week": ("weekday", "weekday_in"),
}  # fmt: skip
# The operations that name a day or a numbered part, which may not exist.
_DAY_NAMING_OPERATIONS = (
    "missing", "monthday", "ymd", "day_of_month", "nth_weekday", "lunar_day", "nth",
    "nth_workday",
    "week_of_year", "quarter",
    "half_year",
)  # fmt: skip
_EXPLICIT_OPERATIONS = ("in_year", "in_week", "shifted_ahead", "shifted_back")


@lru_cache(maxsize=4096)
def assumed_unit(meaning: TimeExpression) -> str | None:
    """The unit that a text leaves open and the time of the question provides: the month of "until
    the 28th", the year of "May 5"; for a range the unit of its end. None if there is none."""
    name = meaning[0]
    if name in _EXPLICIT_OPERATIONS:
        return None
    if name == "some_day":  # its time is none of a day
        return assumed_unit(meaning[1])
    if (gap := _IMPLICIT_UNITS.get(name)) is not None:
        index, unit = gap
        is_explicit = index and any(argument is not None for argument in meaning[index:])
        return None if is_explicit else unit
    if name == "span" and end_completes_start(meaning[1], meaning[2]):
        return assumed_unit(meaning[2])
    for argument in reversed(meaning):
        if isinstance(argument, tuple) and (unit_of := assumed_unit(argument)) is not None:
            return unit_of
    return None


def end_completes_start(first: TimeExpression, last: TimeExpression) -> bool:
    """Whether the last date has the unit that the first one leaves open: from May 1 to June 3,
    2024; from the 3rd to June 10; Tuesday to Thursday next week."""
    first, last = day_part(first), day_part(last)
    unit = assumed_unit(first)
    return (
        unit is not None
        and last[0] in _COMPLETING_OPERATIONS.get(unit, ())
        and assumed_unit(last) != unit
    )


def day_part(date_: TimeExpression) -> TimeExpression:
    """The date without its time or part of a day."""
    while date_[0] in TIMED_OPERATIONS:
        date_ = date_[1]
    return date_


def has_weekday_conflict(meaning: TimeExpression, moment: Moment) -> bool:
    """Whether the text has a weekday that the date beside it does not have. Raises ValueError or
    OverflowError if there is no such date."""
    return any(
        (found := evaluate(one, moment)).start is not None and found.start.weekday() != one[1]
        for one in _weekday_expressions(meaning)
    )


@lru_cache(maxsize=4096)
def names_calendar_day(meaning: TimeExpression) -> bool:
    """Whether the expression names a day or a numbered part that may not exist: June 31, the fifth
    Monday of February."""
    return any(part[0] in _DAY_NAMING_OPERATIONS for part in iter_expressions(meaning))


@lru_cache(maxsize=4096)
def find_zone(meaning: TimeExpression) -> str | None:
    """The time zone that the text names; None if it names none."""
    zones = (str(part[2]) for part in iter_expressions(meaning) if part[0] == "in_zone")
    return next(zones, None)


@lru_cache(maxsize=4096)
def _weekday_expressions(meaning: TimeExpression) -> tuple[TimeExpression, ...]:
    return tuple(part for part in iter_expressions(meaning) if part[0] == "on_weekday")
