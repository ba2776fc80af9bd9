"""Time intervals and calendar periods in one time zone.

Days and longer periods start at a local time, so a day has 23 or 25 hours when the clocks change;
hours, minutes and seconds are absolute. A local time in a gap moves forward by the length of the
gap; an ambiguous local time is the first of the two.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR, UTC, date, datetime, timedelta, tzinfo
from fractions import Fraction
from typing import Literal, get_args

from anaphora.entities.builtin.dates.conventions import Conventions

__all__ = [
    "CLOCK_GRAINS",
    "CLOCK_SECONDS",
    "GRAINS",
    "BoundedInterval",
    "Grain",
    "Interval",
    "Moment",
]

Grain = Literal[
    "second", "minute", "hour", "part", "day", "weekend", "week", "month", "season", "quarter",
    "half", "year", "decade", "century",
]  # fmt: skip

GRAINS: tuple[Grain, ...] = get_args(Grain)
"""The units of time, from the finest to the coarsest."""

CLOCK_GRAINS = ("second", "minute", "hour", "part")
"""The units that are shorter than a day."""

CLOCK_SECONDS: Mapping[str, int] = {"second": 1, "minute": 60, "hour": 3600}
"""The length in seconds of the units that a clock counts."""

_MONTHS_PER_GRAIN: dict[str, int] = {
    "month": 1, "season": 3, "quarter": 3, "half": 6, "year": 12, "decade": 120, "century": 1200,
}  # fmt: skip
_DAY = timedelta(days=1)
_DAYS_PER_MONTH = 30  # of half a month
_HOURS_PER_DAY = 24


_DEFAULT_CONVENTIONS = Conventions()


@dataclass(frozen=True, slots=True)
class Interval:
    """The time from ``start`` up to, not including, ``end``, both with a time zone; None at an open
    end.

    ``grain`` is the unit of the text: ``month`` for "May 2024", ``day`` for "the last 3 days";
    ``whole`` means that the interval is exactly one period of that unit.
    """

    start: datetime | None
    end: datetime | None
    grain: Grain
    whole: bool = False

    @property
    def is_valid(self) -> bool:
        """Whether the interval has an end and starts before it ends."""
        if self.start is None or self.end is None:
            return not (self.start is None and self.end is None)
        return self.start < self.end


@dataclass(frozen=True, slots=True)
class BoundedInterval(Interval):
    """An interval with both ends."""

    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True)
class Moment:
    """The reference time of a question, with its zone, and how incomplete dates are resolved.

    ``prefer_future`` places an incomplete date (Friday, May 1) in the future, otherwise in the
    past.
    """

    at: datetime
    prefer_future: bool = True
    conventions: Conventions = _DEFAULT_CONVENTIONS

    @property
    def zone(self) -> tzinfo:
        assert self.at.tzinfo is not None
        return self.at.tzinfo

    @property
    def today(self) -> date:
        return self.at.date()

    def local_time(self, day: date, hours: int = 0, minutes: int = 0, seconds: int = 0) -> datetime:
        """The local time of a day; ``hours`` from 24 on are in the following days."""
        days, hours = divmod(hours, _HOURS_PER_DAY)
        day = day + timedelta(days=days) if days else day
        at = datetime(day.year, day.month, day.day, hours, minutes, seconds, tzinfo=self.zone)
        return self.normalize_local(at)

    def normalize_local(self, local: datetime) -> datetime:
        """Move a local time in a DST gap behind the gap."""
        return local.astimezone(UTC).astimezone(self.zone)

    def period(
        self, grain: Grain, containing: date | None = None, *, shift: int = 0
    ) -> BoundedInterval:
        """The period of a unit that contains a day or a time (by default the reference time), or
        the one that is ``shift`` periods later."""
        containing = self.at if containing is None else containing
        if grain in CLOCK_SECONDS:
            assert isinstance(containing, datetime)
            start = self.add_seconds(
                _floor_to_grain(containing, grain), shift * CLOCK_SECONDS[grain]
            )
            return BoundedInterval(
                start, self.add_seconds(start, CLOCK_SECONDS[grain]), grain, whole=True
            )
        day = containing.date() if isinstance(containing, datetime) else containing
        first = self._first_day_of_period(grain, day)
        start_day = self._shift_period(grain, first, shift)
        end_day = self._shift_period(grain, first, shift + 1)
        if grain == "weekend":
            return self._weekend(start_day)
        return BoundedInterval(
            self.local_time(start_day), self.local_time(end_day), grain, whole=True
        )

    def _weekend(self, monday: date) -> BoundedInterval:
        """The weekend of the week that starts on that Monday."""
        kind = self.conventions.weekend
        first, hours = (5, 0) if kind == "saturday" else (4, 18 if kind == "friday-evening" else 0)
        end = 6 if kind == "friday" else 7
        return BoundedInterval(
            self.local_time(monday + timedelta(days=first), hours),
            self.local_time(monday + timedelta(days=end)),
            "weekend",
            whole=True,
        )

    def day(self, day: date) -> BoundedInterval:
        """The interval of one day."""
        return BoundedInterval(self.local_time(day), self.local_time(day + _DAY), "day", whole=True)

    def days(self, first: date, end: date, grain: Grain) -> BoundedInterval:
        """The interval from one day up to, not including, another."""
        return BoundedInterval(self.local_time(first), self.local_time(end), grain)

    def add(self, amount: Fraction, grain: Grain, start: datetime) -> datetime:
        """The time that is ``amount`` units after ``start`` (before it, if negative).

        Days and longer units keep the local time of day; a date that does not exist in the month
        becomes its last day.
        """
        if grain in CLOCK_SECONDS:
            return self.add_seconds(start, float(amount * CLOCK_SECONDS[grain]))
        if grain in _MONTHS_PER_GRAIN:
            months = amount * _MONTHS_PER_GRAIN[grain]
            whole, rest = int(months), months - int(months)
            moved = _add_months(start.date(), whole) + timedelta(days=int(rest * _DAYS_PER_MONTH))
            return self._same_local_time(start, moved)
        days = amount * (7 if grain in ("week", "weekend") else 1)
        whole, rest = int(days), days - int(days)
        moved_at = self._same_local_time(start, start.date() + timedelta(days=whole))
        return self.add_seconds(moved_at, float(rest * _HOURS_PER_DAY * 3600)) if rest else moved_at

    def add_workdays(self, count: int, start: datetime) -> datetime:
        """The same local time so many working days later (earlier, if negative): on days outside
        the weekend."""
        free, day = self.conventions.weekend_days, start.date()
        step = _DAY if count > 0 else -_DAY
        per_week = 7 - len(free)
        weeks, rest = divmod(abs(count), per_week)
        if not rest:  # the last one counts by itself, so that none is added to a day of the weekend
            weeks, rest = weeks - 1, per_week
        day += weeks * 7 * step
        while rest > 0:
            day += step
            rest -= day.weekday() not in free
        return self._same_local_time(start, day)

    def add_seconds(self, start: datetime, seconds: float) -> datetime:
        """The time that is so many elapsed seconds after ``start``."""
        return (start.astimezone(UTC) + timedelta(seconds=seconds)).astimezone(self.zone)

    def _same_local_time(self, of: datetime, day: date) -> datetime:
        local = datetime.combine(day, of.time()).replace(tzinfo=self.zone, fold=of.fold)
        return self.normalize_local(local)

    def _first_day_of_period(self, grain: Grain, of: date) -> date:
        """The first day of the period that contains a day."""
        match grain:
            case "week":
                return of - timedelta(days=(of.weekday() - self.conventions.first_day) % 7)
            case "weekend":  # of the week that starts on Monday
                return of - timedelta(days=of.weekday())
            case "month":
                return of.replace(day=1)
            case "quarter":
                return of.replace(month=of.month - (of.month - 1) % 3, day=1)
            case "half":
                return of.replace(month=1 if of.month < 7 else 7, day=1)
            case "season":  # winter begins on December 1
                return _add_months(of.replace(day=1), -(of.month % 3))
            case "year":
                return of.replace(month=1, day=1)
            case "decade":
                return of.replace(year=of.year - of.year % 10, month=1, day=1)
            case "century":
                return of.replace(year=of.year - of.year % 100, month=1, day=1)
        return of

    def _shift_period(self, grain: Grain, first: date, shift: int) -> date:
        if grain in _MONTHS_PER_GRAIN:
            return _add_months(first, shift * _MONTHS_PER_GRAIN[grain])
        return first + timedelta(days=shift * (7 if grain in ("week", "weekend") else 1))


def _floor_to_grain(of: datetime, grain: Grain) -> datetime:
    of = of.replace(microsecond=0)
    if grain == "second":
        return of
    return of.replace(second=0) if grain == "minute" else of.replace(minute=0, second=0)


def _add_months(of: date, months: int) -> date:
    """Add months to a date. Raises ValueError outside the years 1 to 9999."""
    year, month = divmod(of.year * 12 + of.month - 1 + months, 12)
    if not MINYEAR <= year <= MAXYEAR:
        raise ValueError(f"there is no year {year}")
    return date(year, month + 1, min(of.day, monthrange(year, month + 1)[1]))
