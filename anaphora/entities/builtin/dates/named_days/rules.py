"""Rules of named days: when a day, or a period of days, is in a year."""

from __future__ import annotations

from calendar import isleap
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Protocol
from zoneinfo import ZoneInfo

from dateutil.easter import EASTER_ORTHODOX, EASTER_WESTERN
from dateutil.easter import easter as easter_sunday

from anaphora.entities.builtin.dates.intervals import BoundedInterval, Moment
from anaphora.entities.builtin.dates.named_days.calendars import (
    hebrew_days,
    islamic_days,
    tabulated_days,
)
from anaphora.entities.builtin.dates.named_days.moon_and_sun import chinese_days, solar_term

__all__ = [
    "ClockChange",
    "DaysOfYear",
    "NamedDay",
    "SolarDay",
    "YearlyDays",
    "YearlyHours",
    "YearlyPeriods",
    "chinese_date",
    "easter",
    "fixed_date",
    "hebrew_date",
    "in_years",
    "islamic_date",
    "lasting",
    "moved",
    "nth_weekday",
    "orthodox_easter",
    "shifted",
    "tabulated_date",
    "weekday_before",
    "weekday_from",
]

DaysOfYear = Callable[[int], Iterable[date]]
"""The days of a year on which a named day or period begins."""


class NamedDay(Protocol):
    """The rule of a named day or period."""

    def occurrences(self, moment: Moment, year: int) -> Iterator[BoundedInterval]:
        """Those that begin in a year, in the zone of the moment. Raises ValueError for a year in
        which the day is not known."""
        ...


@dataclass(frozen=True, slots=True)
class YearlyDays:
    """So many ``days`` from each of ``firsts`` on. ``expression`` is the same as a time expression
    of a plain date, which recurs by a simple rule; empty if there is none. ``islamic`` are days of
    the Islamic calendar."""

    firsts: DaysOfYear
    days: int = 1
    expression: tuple[str | int, ...] = ()
    islamic: bool = False

    def occurrences(self, moment: Moment, year: int) -> Iterator[BoundedInterval]:
        for first in self.firsts(year):
            if self.days == 1:
                yield moment.day(first)
            else:
                yield moment.days(first, first + timedelta(days=self.days), "day")


@dataclass(frozen=True, slots=True)
class YearlyPeriods:
    """From each of ``firsts`` up to, not including, the next of ``ends``: Ramadan up to its
    feast."""

    firsts: YearlyDays
    ends: YearlyDays

    @property
    def islamic(self) -> bool:
        return self.firsts.islamic

    def occurrences(self, moment: Moment, year: int) -> Iterator[BoundedInterval]:
        ends = [*self.ends.firsts(year), *self.ends.firsts(year + 1)]
        for first in self.firsts.firsts(year):
            yield moment.days(first, min(end for end in ends if end > first), "day")


@dataclass(frozen=True, slots=True)
class YearlyHours:
    """A time on each of ``firsts``: Earth Hour. It has the hour and minute of its start, and its
    length in minutes."""

    firsts: DaysOfYear
    start: tuple[int, int]
    minutes: int

    def occurrences(self, moment: Moment, year: int) -> Iterator[BoundedInterval]:
        for day in self.firsts(year):
            start = moment.local_time(day, *self.start)
            yield BoundedInterval(start, moment.add_seconds(start, self.minutes * 60), "minute")


@dataclass(frozen=True, slots=True)
class SolarDay:
    """The day on which the sun reaches a longitude (0 and 180 at the equinoxes), in the ``zone`` or
    in that of the moment."""

    longitude: int
    zone: str = ""

    def occurrences(self, moment: Moment, year: int) -> Iterator[BoundedInterval]:
        zone = ZoneInfo(self.zone) if self.zone else moment.zone
        yield moment.day(solar_term(self.longitude, year).astimezone(zone).date())


@dataclass(frozen=True, slots=True)
class ClockChange:
    """The day on which daylight-saving time starts (``step`` 1) or ends (-1) in the zone of the
    moment, or in the United States, if it has none."""

    step: int

    def occurrences(self, moment: Moment, year: int) -> Iterator[BoundedInterval]:
        days = [date(year, 1, 1) + timedelta(days=count) for count in range(366)]
        saved = [moment.local_time(day, 12).dst() or timedelta() for day in days]
        for day, before, here in zip(days[1:], saved, saved[1:], strict=False):
            if (here - before) * self.step > timedelta():
                yield moment.day(day)
                return
        fallback = nth_weekday(2, 6, 3) if self.step > 0 else nth_weekday(1, 6, 11)
        yield from fallback.occurrences(moment, year)


def fixed_date(month: int, day: int) -> YearlyDays:
    """The same date of every year; February 29 of leap years only."""

    def firsts(year: int) -> Iterator[date]:
        if (month, day) != (2, 29) or isleap(year):
            yield date(year, month, day)

    return YearlyDays(firsts, expression=("monthday", month, day))


def nth_weekday(n: int, weekday: int, month: int) -> YearlyDays:
    """The n-th such weekday (0 for Monday) of a month; -1 is the last one."""

    def firsts(year: int) -> Iterator[date]:
        if n > 0:
            yield _on_or_after(date(year, month, 7 * n - 6), weekday)
        else:
            following = date(year + month // 12, month % 12 + 1, 1)
            yield _before(following, weekday) + timedelta(weeks=n + 1)

    return YearlyDays(firsts, expression=("nth_weekday_of_year", n, weekday, month))


def weekday_from(weekday: int, day: YearlyDays) -> YearlyDays:
    """The first such weekday on or after a day."""
    return YearlyDays(lambda year: (_on_or_after(found, weekday) for found in day.firsts(year)))


def weekday_before(weekday: int, day: YearlyDays) -> YearlyDays:
    """The last such weekday before a day."""
    return YearlyDays(lambda year: (_before(found, weekday) for found in day.firsts(year)))


def _on_or_after(day: date, weekday: int) -> date:
    return day + timedelta(days=(weekday - day.weekday()) % 7)


def _before(day: date, weekday: int) -> date:
    return day - timedelta(days=(day.weekday() - weekday - 1) % 7 + 1)


def easter() -> YearlyDays:
    """Easter Sunday of the western churches."""
    return YearlyDays(lambda year: [easter_sunday(year, EASTER_WESTERN)])


def orthodox_easter() -> YearlyDays:
    """Easter Sunday of the orthodox churches."""
    return YearlyDays(lambda year: [easter_sunday(year, EASTER_ORTHODOX)])


def hebrew_date(month: str, day: int) -> YearlyDays:
    """A day of the Hebrew calendar, which begins on the evening before."""
    return YearlyDays(lambda year: hebrew_days(month, day, year))


def islamic_date(month: int, day: int) -> YearlyDays:
    """A day of the Islamic calendar, which begins on the evening before."""
    return YearlyDays(lambda year: islamic_days(month, day, year), islamic=True)


def chinese_date(month: int, day: int, *, zone: int) -> YearlyDays:
    """A day of the Chinese calendar, as it is told ``zone`` hours east of Greenwich."""
    return YearlyDays(lambda year: chinese_days(month, day, year, zone=zone))


def tabulated_date(calendar: str, name: str) -> YearlyDays:
    """A day in a table of the package ``holidays``."""
    return YearlyDays(lambda year: tabulated_days(calendar, name, year))


def shifted(days: YearlyDays, shifts: Mapping[int, int]) -> YearlyDays:
    """Days that are moved by so many days, if they fall on one of these weekdays."""
    return YearlyDays(
        lambda year: (_add(found, shifts.get(found.weekday(), 0)) for found in days.firsts(year)),
        islamic=days.islamic,
    )


def moved(days: YearlyDays, offset: int, *, across_years: bool = False) -> YearlyDays:
    """Days moved by ``offset``; with ``across_years`` also by those of the years beside."""
    if not across_years:
        return YearlyDays(
            lambda year: (_add(found, offset) for found in days.firsts(year)), islamic=days.islamic
        )
    return YearlyDays(
        lambda year: (
            near
            for other in (year - 1, year, year + 1)
            for found in days.firsts(other)
            if (near := _add(found, offset)).year == year
        ),
        islamic=days.islamic,
    )


def lasting(days: YearlyDays, length: int) -> YearlyDays:
    """Periods of so many days."""
    return replace(days, days=length, expression=days.expression if length == 1 else ())


def in_years(days: YearlyDays, cycle: int, remainder: int) -> YearlyDays:
    """Days of those years only that leave the ``remainder``, divided by ``cycle``."""
    return YearlyDays(
        lambda year: days.firsts(year) if year % cycle == remainder else (), days.days
    )


def _add(day: date, days: int) -> date:
    return day + timedelta(days=days)
