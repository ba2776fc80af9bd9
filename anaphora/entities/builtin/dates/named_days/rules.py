"""Rules of named days: when a day, or a period of days, is in a year."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
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
    "Span",
    "TimeOfDay",
    "YearlyDays",
    "chinese",
    "easter",
    "every",
    "fixed",
    "hebrew",
    "islamic",
    "nth",
    "on_or_after",
    "orthodox",
    "shifted",
    "table",
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
class Span:
    """From a day up to, not including, the next of other days: Ramadan up to its feast."""

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
class TimeOfDay:
    """A time of a day: Earth Hour. Hours and minutes of its start, and its length in minutes."""

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
        fallback = nth(2, 6, 3) if self.step > 0 else nth(1, 6, 11)
        yield from fallback.occurrences(moment, year)


def fixed(month: int, day: int, days: int = 1) -> YearlyDays:
    """The same day of every year; February 29 of leap years only."""

    def firsts(year: int) -> Iterator[date]:
        is_missing = (month, day) == (2, 29) and (year % 4 or (not year % 100 and year % 400))
        if not is_missing:
            yield date(year, month, day)

    return YearlyDays(firsts, days, ("monthday", month, day) if days == 1 else ())


def nth(n: int, weekday: int, month: int, offset: int = 0, days: int = 1) -> YearlyDays:
    """``offset`` days after the n-th such weekday (0 for Monday) of a month; -1 is the last one."""

    def firsts(year: int) -> Iterator[date]:
        following = date(year + month // 12, month % 12 + 1, 1)
        yield _before(following, weekday) + timedelta(days=offset - 7 * (-1 - n))

    is_plain = (offset, days) == (0, 1)
    return YearlyDays(
        on_or_after(weekday, month, 7 * n - 6, offset).firsts if n > 0 else firsts,
        days,
        ("nth_weekday_of_year", n, weekday, month) if is_plain else (),
    )


def on_or_after(weekday: int, month: int, day: int, offset: int = 0, days: int = 1) -> YearlyDays:
    """``offset`` days after the first such weekday from a day on. The last one before a day is the
    first one from seven days before on."""

    def firsts(year: int) -> Iterator[date]:
        first = date(year, month, day)
        yield first + timedelta(days=(weekday - first.weekday()) % 7 + offset)

    return YearlyDays(firsts, days)


def _before(day: date, weekday: int) -> date:
    return day - timedelta(days=(day.weekday() - weekday - 1) % 7 + 1)


def easter(offset: int = 0, days: int = 1) -> YearlyDays:
    """So many days after Easter Sunday of the western churches."""
    return YearlyDays(lambda year: [_add(easter_sunday(year, EASTER_WESTERN), offset)], days)


def orthodox(offset: int = 0, days: int = 1) -> YearlyDays:
    """So many days after Easter Sunday of the orthodox churches."""
    return YearlyDays(lambda year: [_add(easter_sunday(year, EASTER_ORTHODOX), offset)], days)


def hebrew(month: str, day: int, offset: int = 0, days: int = 1) -> YearlyDays:
    """A day of the Hebrew calendar, which begins on the evening before."""
    return YearlyDays(_moved(lambda year: hebrew_days(month, day, year), offset), days)


def islamic(month: int, day: int, offset: int = 0, days: int = 1) -> YearlyDays:
    """So many days after a day of the Islamic calendar, which begins on the evening before."""
    firsts = _moved(lambda year: islamic_days(month, day, year), offset)
    return YearlyDays(firsts, days, islamic=True)


def chinese(month: int, day: int, offset: int = 0, days: int = 1, *, zone: int = 8) -> YearlyDays:
    """So many days after a day of the Chinese calendar, as it is told ``zone`` hours east of
    Greenwich."""
    return YearlyDays(
        lambda year: (_add(found, offset) for found in chinese_days(month, day, year, zone=zone)),
        days,
    )


def table(calendar: str, name: str, offset: int = 0, days: int = 1) -> YearlyDays:
    """So many days after a day in a table of the package ``holidays``."""

    def firsts(year: int) -> Iterator[date]:
        return (_add(found, offset) for found in tabulated_days(calendar, name, year))

    return YearlyDays(firsts, days)


def shifted(day: YearlyDays, shifts: dict[int, int]) -> YearlyDays:
    """A day that is moved by so many days, if it falls on one of these weekdays."""
    return YearlyDays(
        lambda year: (_add(found, shifts.get(found.weekday(), 0)) for found in day.firsts(year)),
        day.days,
    )


def every(years: int, day: YearlyDays, *, rest: int = 0) -> YearlyDays:
    """A day of those years only that leave the ``rest``, divided by ``years``."""
    return YearlyDays(lambda year: day.firsts(year) if year % years == rest else (), day.days)


def _moved(firsts: DaysOfYear, offset: int) -> DaysOfYear:
    """The days of a year that are ``offset`` days after such a day, of another year perhaps."""
    return lambda year: (
        moved
        for near in (year - 1, year, year + 1)
        for found in firsts(near)
        if (moved := _add(found, offset)).year == year
    )


def _add(day: date, days: int) -> date:
    return day + timedelta(days=days)
