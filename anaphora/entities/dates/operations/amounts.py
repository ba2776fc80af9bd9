"""So many hours, days, months: amounts of time, and what is so much later."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from fractions import Fraction
from typing import Any, TypeAlias

from anaphora.entities.dates.calendar import GRAINS, Grain, Interval, Moment
from anaphora.entities.dates.operations.registry import Meaning

__all__ = ["AMOUNTS", "Amount", "amount_of", "finest", "later", "minute_of", "point"]

_FINER: Mapping[Grain, Grain] = {
    "century": "year", "decade": "year", "year": "month", "season": "month", "quarter": "month",
    "month": "day", "week": "day", "weekend": "day", "day": "hour",
}  # fmt: skip

Amount: TypeAlias = tuple[tuple[Fraction, Grain], ...]
"""So many of each unit."""


def amount_of(meaning: Meaning) -> Amount:
    """The amount that a duration comes to. Raises ValueError for one that is not positive."""
    amount: Amount = AMOUNTS[meaning[0]](*meaning[1:])
    if not amount or any(n <= 0 for n, _ in amount):
        raise ValueError("a duration is longer than nothing")
    return amount


def later(moment: Moment, of: datetime, amount: Amount, sign: int) -> datetime:
    for n, unit in amount:
        of = moment.later(n * sign, unit, of)
    return of


def finest(amount: Amount) -> Grain:
    """Its finest unit; half a year is told in months, a day and a half in hours."""
    return min((_whole(n, unit) for n, unit in amount), key=GRAINS.index)


def _whole(n: Fraction, unit: Grain) -> Grain:
    return unit if n.denominator == 1 else _FINER.get(unit, unit)


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


def _amount(n: Any, unit: Grain | None = None) -> Amount:
    if unit == "half":
        return ((Fraction(n) * 6, "month"),)
    return ((Fraction(n), unit or "day"),)


def _sum(one: Meaning, other: Meaning) -> Amount:
    return amount_of(one) + amount_of(other)


AMOUNTS: Mapping[str, Callable[..., Amount]] = {"amount": _amount, "sum": _sum}
"""The operations that come to amounts, by name."""
