"""The calendar of one place: intervals, and the cells that days, weeks and years divide time into.

Cells begin when the clocks of the time zone show their beginning, so that a day has 23 or 25
hours when the clocks change; hours, minutes and seconds are counted as they pass. A time that the
clocks skip is the one as much later as they are put forward; of a time that they show twice it is
the first.
"""

from __future__ import annotations

from calendar import monthrange
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR, UTC, date, datetime, timedelta, tzinfo
from fractions import Fraction
from typing import Literal

__all__ = ["GRAINS", "Grain", "Interval", "Moment"]

Grain = Literal[
    "second", "minute", "hour", "part", "day", "weekend", "week", "month", "quarter", "half",
    "season", "year", "decade", "century",
]  # fmt: skip

GRAINS: tuple[Grain, ...] = (
    "second", "minute", "hour", "part", "day", "weekend", "week", "month", "season", "quarter",
    "half", "year", "decade", "century",
)  # fmt: skip
"""From the finest to the coarsest."""

_CLOCK_SECONDS: dict[str, int] = {"second": 1, "minute": 60, "hour": 3600}
_MONTHS_PER_GRAIN: dict[str, int] = {
    "month": 1, "season": 3, "quarter": 3, "half": 6, "year": 12, "decade": 120, "century": 1200,
}  # fmt: skip
_DAY = timedelta(days=1)
_DAYS_PER_MONTH = 30  # of half a month
_HOURS_PER_DAY = 24


@dataclass(frozen=True, slots=True)
class Interval:
    """From ``start`` up to, not including, ``end``, both with a time zone; None where it is open.

    ``grain`` is the unit in which it was said: "May 2024" is a month, "the last 3 days" days;
    ``whole`` says that it is one of that unit.
    """

    start: datetime | None
    end: datetime | None
    grain: Grain
    whole: bool = False

    @property
    def is_valid(self) -> bool:
        """Whether it begins before it ends, as an interval must."""
        if self.start is None or self.end is None:
            return not (self.start is None and self.end is None)
        return self.start < self.end


@dataclass(frozen=True, slots=True)
class Moment:
    """The time of a question, where it was asked, and how what is left open is understood.

    ``ahead`` says that a date that does not tell (Friday, May 1) lies in the future;
    ``first_day`` is that of the week, 0 for Monday.
    """

    at: datetime
    prefer_future: bool = True
    first_day: int = 0

    @property
    def zone(self) -> tzinfo:
        assert self.at.tzinfo is not None
        return self.at.tzinfo

    @property
    def today(self) -> date:
        return self.at.date()

    def local_time(self, day: date, hours: int = 0, minutes: int = 0, seconds: int = 0) -> datetime:
        """When the clocks of that day show that time; 24 hours and more are in the next days."""
        days, hours = divmod(hours, _HOURS_PER_DAY)
        day = day + timedelta(days=days) if days else day
        at = datetime(day.year, day.month, day.day, hours, minutes, seconds, tzinfo=self.zone)
        return self.normalize_local(at)

    def normalize_local(self, shown: datetime) -> datetime:
        """The time as the clocks show it if they show it at all, else the one that it is."""
        return shown.astimezone(UTC).astimezone(self.zone)

    def period(
        self, grain: Grain, containing: datetime | None = None, *, shift: int = 0
    ) -> Interval:
        """The cell that the time ``of`` (now, if left out) lies in, or the one so many cells
        later."""
        containing = self.at if containing is None else containing
        if grain in _CLOCK_SECONDS:
            start = self.add_seconds(
                _floor_to_grain(containing, grain), shift * _CLOCK_SECONDS[grain]
            )
            return Interval(
                start, self.add_seconds(start, _CLOCK_SECONDS[grain]), grain, whole=True
            )
        first = self._first_day_of_period(grain, containing.date())
        start_day = self._shift_period(grain, first, shift)
        end_day = self._shift_period(grain, first, shift + 1)
        if grain == "weekend":
            start_day, end_day = start_day + timedelta(days=5), start_day + timedelta(days=7)
        return Interval(self.local_time(start_day), self.local_time(end_day), grain, whole=True)

    def day(self, day: date) -> Interval:
        """That day."""
        return Interval(self.local_time(day), self.local_time(day + _DAY), "day", whole=True)

    def days(self, first: date, end: date, grain: Grain) -> Interval:
        """From the first day up to, not including, another."""
        return Interval(self.local_time(first), self.local_time(end), grain)

    def add(self, amount: Fraction, grain: Grain, start: datetime) -> datetime:
        """The time that much later (earlier, if it is negative) than ``of``.

        Days and longer units move the date and leave what the clock shows; a date that a month
        does not have becomes its last day.
        """
        if grain in _CLOCK_SECONDS:
            return self.add_seconds(start, float(amount * _CLOCK_SECONDS[grain]))
        if grain in _MONTHS_PER_GRAIN:
            months = amount * _MONTHS_PER_GRAIN[grain]
            whole, rest = int(months), months - int(months)
            moved = _add_months(start.date(), whole) + timedelta(days=int(rest * _DAYS_PER_MONTH))
            return self._same_local_time(start, moved)
        days = amount * (7 if grain in ("week", "weekend") else 1)
        whole, rest = int(days), days - int(days)
        moved_at = self._same_local_time(start, start.date() + timedelta(days=whole))
        return self.add_seconds(moved_at, float(rest * _HOURS_PER_DAY * 3600)) if rest else moved_at

    def add_seconds(self, start: datetime, seconds: float) -> datetime:
        """The time when so many seconds have passed."""
        return (start.astimezone(UTC) + timedelta(seconds=seconds)).astimezone(self.zone)

    def _same_local_time(self, of: datetime, day: date) -> datetime:
        shown = datetime.combine(day, of.time()).replace(tzinfo=self.zone, fold=of.fold)
        return self.normalize_local(shown)

    def _first_day_of_period(self, grain: Grain, of: date) -> date:
        """The first day of the cell of that day."""
        match grain:
            case "week":
                return of - timedelta(days=(of.weekday() - self.first_day) % 7)
            case "weekend":  # of the week from Monday on
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

    def _shift_period(self, grain: Grain, first: date, cells: int) -> date:
        if grain in _MONTHS_PER_GRAIN:
            return _add_months(first, cells * _MONTHS_PER_GRAIN[grain])
        return first + timedelta(days=cells * (7 if grain in ("week", "weekend") else 1))


def _floor_to_grain(of: datetime, grain: Grain) -> datetime:
    of = of.replace(microsecond=0)
    if grain == "second":
        return of
    return of.replace(second=0) if grain == "minute" else of.replace(minute=0, second=0)


def _add_months(of: date, months: int) -> date:
    """Raises ValueError outside of the years 1 to 9999."""
    year, month = divmod(of.year * 12 + of.month - 1 + months, 12)
    if not MINYEAR <= year <= MAXYEAR:
        raise ValueError(f"there is no year {year}")
    return date(year, month + 1, min(of.day, monthrange(year, month + 1)[1]))
