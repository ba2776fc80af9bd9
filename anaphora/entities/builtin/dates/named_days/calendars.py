"""The Hebrew and the Islamic calendar by arithmetic, and the tables of the package ``holidays``.

The arithmetic Hebrew calendar is exact. Islamic months begin by the calendar of Saudi Arabia where
the package knows it (1924 to 2077), else by the tabular calendar, which differs by at most two days
from what is observed. The Hindu (2001 to 2035) and the Buddhist calendar are those of the package.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from functools import cache
from importlib.util import find_spec
from typing import Any

__all__ = [
    "HEBREW_MONTHS",
    "ISLAMIC_YEARS",
    "from_islamic",
    "hebrew_days",
    "islamic_days",
    "tabulated_days",
]

ISLAMIC_YEARS = range(1300, 1500)
"""The years that are rather of the Islamic than of the Gregorian calendar, beside its months."""

_HEBREW_EPOCH = -1_373_427  # ordinal of 1 Tishri of the year 1, less one
_MONTHS, _LONGEST_MONTH = 12, 30  # of an Islamic year, in days
_ISLAMIC_EPOCH = 227_015  # ordinal of 1 Muharram of the year 1, by the civil tabular calendar
_TISHRI_MONTHS = ("tishri", "heshvan", "kislev", "tevet", "shevat")
_SPRING_MONTHS = ("adar", "nisan", "iyar", "sivan", "tammuz", "av", "elul")
HEBREW_MONTHS = (*_TISHRI_MONTHS, *_SPRING_MONTHS)
"""Without the first Adar of leap years."""

_CALENDARS = {
    "buddhist": "_BuddhistLunisolar",
    "hindu": "_HinduLunisolar",
    "islamic": "_IslamicLunar",
}
# A day in each month that the package has a table of, and its number.
_ISLAMIC_TABLES = {
    1: ("HIJRI_NEW_YEAR", 1), 2: ("ARBAEEN", 20), 3: ("MAWLID", 12), 7: ("ISRA_AND_MIRAJ", 27),
    8: ("IMAM_MAHDI_BIRTHDAY", 15), 9: ("RAMADAN_BEGINNING", 1), 10: ("EID_AL_FITR", 1),
    12: ("EID_AL_ADHA", 10),
}  # fmt: skip


def hebrew_days(month: str, day: int, year: int) -> Iterator[date]:
    """The days of a Gregorian year with that date in the Hebrew calendar; ``adar`` is the second
    one of a leap year."""
    for hebrew_year in (year + 3760, year + 3761):
        first = _hebrew_new_year(hebrew_year)
        found = date.fromordinal(first + _hebrew_month_start(month, hebrew_year) + day - 1)
        if found.year == year:
            yield found


def _hebrew_month_start(month: str, year: int) -> int:
    """The number of days before a month of a Hebrew year."""
    days = _hebrew_new_year(year + 1) - _hebrew_new_year(year)
    if month in _TISHRI_MONTHS:
        heshvan = 30 if days % 10 == 5 else 29  # of 355 or 385 days
        kislev = 29 if days % 10 == 3 else 30  # of 353 or 383 days
        return sum((30, heshvan, kislev, 29, 30)[: _TISHRI_MONTHS.index(month)])
    return days - sum((29, 30, 29, 30, 29, 30, 29)[_SPRING_MONTHS.index(month) :])


@cache
def _hebrew_new_year(year: int) -> int:
    """The ordinal of 1 Tishri."""
    before, here, following = (_hebrew_elapsed_days(year + shift) for shift in (-1, 0, 1))
    if following - here == 356:  # no year may be that long
        return _HEBREW_EPOCH + here + 2
    return _HEBREW_EPOCH + here + (here - before == 382)


def _hebrew_elapsed_days(year: int) -> int:
    """The days from the epoch to the first new moon of a year, not on Sunday, Wednesday or
    Friday."""
    months = (235 * year - 234) // 19
    days = months * 29 + (12_084 + 13_753 * months) // 25_920
    return days + 1 if (3 * (days + 1)) % 7 < 3 else days


def islamic_days(month: int, day: int, year: int) -> Iterator[date]:
    """The days of a Gregorian year with that date in the Islamic calendar, one or two."""
    name, known_day = _ISLAMIC_TABLES.get(month, ("", 0))
    known = _load_table("islamic", name) if name and find_spec("holidays") else {}
    if year - 1 in known and year + 1 in known:
        offset = timedelta(days=day - known_day)
        days = (one + offset for near in (year - 1, year, year + 1) for one in known[near])
    else:
        first = (year - 622) * 33 // 32
        days = (_tabular_date(near, month, day) for near in range(first - 1, first + 3))
    yield from (one for one in days if one.year == year)


def from_islamic(year: int, month: int, day: int) -> date:
    """A date of the Islamic calendar. Raises ValueError or OverflowError if there is none."""
    if not (year > 0 and 1 <= month <= _MONTHS and 1 <= day <= _LONGEST_MONTH):
        raise ValueError("no such day")
    near = _tabular_date(year, month, day)
    years = range(near.year - 1, near.year + 2)
    found = [one for each in years for one in islamic_days(month, day, each)]
    return min(found, key=lambda one: abs(one - near))


def _tabular_date(year: int, month: int, day: int) -> date:
    """A date of the tabular calendar."""
    days = 29 * (month - 1) + month // 2 + (year - 1) * 354 + (3 + 11 * year) // 30
    return date.fromordinal(_ISLAMIC_EPOCH - 1 + days + day)


def tabulated_days(calendar: str, name: str, year: int) -> tuple[date, ...]:
    """The days of a year in a table of the package ``holidays``. Raises ValueError for a year that
    it does not know, and if the package is missing."""
    known = {} if not find_spec("holidays") else _load_table(calendar, name)
    if not min(known, default=year + 1) <= year <= max(known, default=year):
        raise ValueError(f"the day is not known in {year}")
    return known.get(year, ())


@cache
def _load_table(calendar: str, name: str) -> dict[int, tuple[date, ...]]:
    from holidays import calendars  # here: an extra of the package; takes 60 ms

    written: dict[int, Any] = getattr(getattr(calendars, _CALENDARS[calendar]), f"{name}_DATES")
    return {
        year: tuple(date(year, *one) for one in (days if isinstance(days[0], tuple) else (days,)))
        for year, days in written.items()
    }
