"""So many hours, days, months: amounts of time, and what is so much later."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from anaphora.entities.dates.calendar import GRAINS, Grain, Interval, Moment
from anaphora.entities.dates.operations.registry import Meaning

__all__ = [
    "AMOUNTS",
    "Amount",
    "Unit",
    "amount_of",
    "amounts_of",
    "finest",
    "later",
    "length_of",
    "minute_of",
    "point",
]

_FINER: Mapping[Grain, Grain] = {
    "century": "year", "decade": "year", "year": "month", "season": "month", "quarter": "month",
    "month": "day", "week": "day", "weekend": "day", "day": "hour",
}  # fmt: skip

# A month and a year of the Gregorian calendar have 30.436875 and 365.2425 days on average.
_SECONDS: Mapping[str, int] = {
    "second": 1, "minute": 60, "hour": 3600, "day": 86_400, "night": 86_400, "weekend": 172_800,
    "week": 604_800, "month": 2_629_746, "season": 7_889_238, "quarter": 7_889_238,
    "year": 31_556_952, "decade": 315_569_520, "century": 3_155_695_200,
}  # fmt: skip

Unit: TypeAlias = Grain | Literal["night"]
"""A night is a day, of a stay."""

Amount: TypeAlias = tuple[tuple[Fraction, Unit], ...]
"""So many of each unit."""


def amount_of(meaning: Meaning) -> Amount:
    """The amount that a duration comes to, of a range its upper end. Raises ValueError for one
    that is not positive."""
    amount: Amount = AMOUNTS[meaning[0]](*meaning[1:])
    if not amount or any(n <= 0 for n, _ in amount):
        raise ValueError("a duration is longer than nothing")
    return amount


def amounts_of(meaning: Meaning) -> tuple[Amount, Amount]:
    """Both ends of a range of durations; twice the same of any other duration."""
    most = amount_of(meaning)
    if meaning[0] != "range":
        return most, most
    return amount_of(meaning[1]), most


def length_of(amount: Amount) -> Fraction:
    """Its seconds, those of months and years on average."""
    return sum((n * _SECONDS[unit] for n, unit in amount), Fraction())


def later(moment: Moment, of: datetime, amount: Amount, sign: int) -> datetime:
    for n, unit in amount:
        of = moment.later(n * sign, _grain(unit), of)
    return of


def finest(amount: Amount) -> Grain:
    """Its finest unit; half a year is told in months, a day and a half in hours."""
    return min((_whole(n, unit) for n, unit in amount), key=GRAINS.index)


def _whole(n: Fraction, unit: Unit) -> Grain:
    grain = _grain(unit)
    return grain if n.denominator == 1 else _FINER.get(grain, grain)


def _grain(unit: Unit) -> Grain:
    return "day" if unit == "night" else unit


def point(moment: Moment, of: datetime, grain: Grain) -> Interval:
    """The cell around a point in time that was said in units of ``grain``."""
    if grain == "second":
        return moment.cell("second", of)
    if grain in ("minute", "hour"):
        return Interval(minute_of(of), moment.passed(minute_of(of), 60), "minute", whole=True)
    if grain in ("day", "week"):
        return moment.day(of.date())
    return moment.cell(grain, of)


def minute_of(of: datetime) -> datetime:
    return of.replace(second=0, microsecond=0)


def _amount(n: Any, unit: Unit | Literal["half"] | None = None) -> Amount:
    if unit == "half":
        return ((Fraction(n) * 6, "month"),)
    return ((Fraction(n), unit or "day"),)


def _sum(one: Meaning, other: Meaning) -> Amount:
    return amount_of(one) + amount_of(other)


def _range(least: Meaning, most: Meaning) -> Amount:
    """3 to 4 days."""
    return amount_of(most)


AMOUNTS: Mapping[str, Callable[..., Amount]] = {"amount": _amount, "sum": _sum, "range": _range}
"""The operations that come to amounts, by name."""
