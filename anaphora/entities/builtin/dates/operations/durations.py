"""Evaluate durations and add them to a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from anaphora.entities.builtin.dates.intervals import GRAINS, BoundedInterval, Grain, Moment
from anaphora.entities.builtin.dates.operations.registry import TimeExpression

__all__ = [
    "DURATION_OPERATIONS",
    "Duration",
    "DurationUnit",
    "add_duration",
    "distance_grain",
    "duration_seconds",
    "evaluate_duration",
    "evaluate_duration_range",
    "finest_grain",
    "floor_to_minute",
    "period_around",
]

_FINER_GRAINS: Mapping[Grain, Grain] = {
    "century": "year", "decade": "year", "year": "month", "season": "month", "quarter": "month",
    "month": "day", "week": "day", "weekend": "day", "day": "hour",
}  # fmt: skip

_MONTH = GRAINS.index("month")
_WORKDAY_HOURS = 8  # of which half a working day has half

# A month and a year of the Gregorian calendar have 30.436875 and 365.2425 days on average.
_UNIT_SECONDS: Mapping[str, int] = {
    "second": 1, "minute": 60, "hour": 3600, "day": 86_400, "night": 86_400, "workday": 86_400,
    "weekend": 172_800,
    "week": 604_800, "month": 2_629_746, "season": 7_889_238, "quarter": 7_889_238,
    "year": 31_556_952, "decade": 315_569_520, "century": 3_155_695_200,
}  # fmt: skip

DurationUnit: TypeAlias = Grain | Literal["night", "workday"]
"""A unit of time; a night is one day of a stay, a working day one outside the weekend."""

Duration: TypeAlias = tuple[tuple[Fraction, DurationUnit], ...]
"""The amounts of a duration, each with its unit."""


def evaluate_duration(meaning: TimeExpression) -> Duration:
    """The duration of an expression; the upper end of a range. Raises ValueError unless it is
    positive."""
    amount: Duration = DURATION_OPERATIONS[meaning[0]](*meaning[1:])
    if not amount or any(n <= 0 for n, _ in amount):
        raise ValueError("a duration must be positive")
    return amount


def evaluate_duration_range(meaning: TimeExpression) -> tuple[Duration, Duration]:
    """Both ends of a range of durations; for a single duration twice the same."""
    most = evaluate_duration(meaning)
    if meaning[0] != "range":
        return most, most
    return evaluate_duration(meaning[1]), most


def duration_seconds(amount: Duration) -> Fraction:
    """The length in seconds; months and years have their average length."""
    return sum((n * _UNIT_SECONDS[unit] for n, unit in amount), Fraction())


def add_duration(moment: Moment, start: datetime, amount: Duration, sign: int) -> datetime:
    """The time that is a duration after ``start``, or before it (``sign`` -1)."""
    for n, unit in amount:
        if unit == "workday":
            start = moment.add_workdays(int(n) * sign, start)
        else:
            start = moment.add(n * sign, _to_grain(unit), start)
    return start


def finest_grain(amount: Duration) -> Grain:
    """The finest unit of a duration; half a year has months, a day and a half has hours."""
    return min((_divided(n, _to_grain(unit)) for n, unit in amount), key=GRAINS.index)


def distance_grain(amount: Duration) -> Grain:
    """How precisely a distance from now is meant: in two months is a day, in two years a month."""
    grains = ((n, _to_grain(unit)) for n, unit in amount)
    return min(
        (
            _FINER_GRAINS[grain] if GRAINS.index(grain) >= _MONTH else _divided(n, grain)
            for n, grain in grains
        ),
        key=GRAINS.index,
    )


def _divided(n: Fraction, grain: Grain) -> Grain:
    """The grain of a number of units."""
    return grain if n.denominator == 1 else _FINER_GRAINS.get(grain, grain)


def _to_grain(unit: DurationUnit) -> Grain:
    return "day" if unit == "night" or unit == "workday" else unit


def period_around(moment: Moment, instant: datetime, grain: Grain) -> BoundedInterval:
    """The period around a point in time that a text gives in units of ``grain``."""
    if grain == "second":
        return moment.period("second", instant)
    if grain in ("minute", "hour"):
        start = floor_to_minute(instant)
        return BoundedInterval(start, moment.add_seconds(start, 60), "minute", whole=True)
    if grain in ("day", "week"):
        return moment.day(instant.date())
    return moment.period(grain, instant)


def floor_to_minute(of: datetime) -> datetime:
    return of.replace(second=0, microsecond=0)


def _single_duration(n: Any, unit: DurationUnit | Literal["half"] | None = None) -> Duration:
    if unit == "half":
        return ((Fraction(n) * 6, "month"),)
    if unit == "workday" and (part := Fraction(n) % 1):
        whole = Fraction(n) - part
        hours: Duration = ((part * _WORKDAY_HOURS, "hour"),)
        return ((whole, unit), *hours) if whole else hours
    return ((Fraction(n), unit or "day"),)


DURATION_OPERATIONS: Mapping[str, Callable[..., Duration]] = {
    "amount": _single_duration,
    "more": lambda duration: evaluate_duration(duration),  # added to another: 5 more minutes
    "sum": lambda one, other: evaluate_duration(one) + evaluate_duration(other),
    "range": lambda _, most: evaluate_duration(most),  # the upper end: 4 of "3 to 4 days"
}
"""The operations that return durations, by name."""
