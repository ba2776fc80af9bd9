"""Named days whose rules cannot be written in the tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from functools import partial
from zoneinfo import ZoneInfo

from anaphora.entities.builtin.dates.named_days.moon_and_sun import solar_term
from anaphora.entities.builtin.dates.named_days.rules import (
    ClockChange,
    NamedDay,
    YearlyDays,
    YearlyHours,
    easter,
    fixed_date,
    moved,
    nth_weekday,
    shifted,
)

__all__ = ["COMPUTED_DAYS"]

_MON, _TUE, _, _, _FRI, _SAT, _SUN = range(7)


def _first_day(days: YearlyDays, year: int) -> date:
    return next(iter(days.firsts(year)))


def _friday_13(year: int) -> Iterator[date]:
    for month in range(1, 13):
        if (day := date(year, month, 13)).weekday() == _FRI:
            yield day


def _earth_hour(year: int) -> Iterator[date]:
    """The last Saturday of March, a week before if it is Holy Saturday."""
    day = _first_day(nth_weekday(-1, _SAT, 3), year)
    is_early = day == _first_day(moved(easter(), -1), year) or year == 2025
    yield day - timedelta(weeks=1) if is_early else day


def _tax_day(year: int) -> Iterator[date]:
    """The next workday from April 15 on that Washington works on."""
    emancipation_day = _first_day(shifted(fixed_date(4, 16), {_SAT: -1, _SUN: 1}), year)
    day = date(year, 4, 15)
    while day.weekday() >= _SAT or day == emancipation_day:
        day += timedelta(days=1)
    yield day


def _super_tuesday(year: int) -> Iterator[date]:
    """The Tuesday of most primaries; in March since 2016."""
    if year % 4 == 0:
        yield date(2008, 2, 5) if year == 2008 else _first_day(nth_weekday(1, _TUE, 3), year)


def _mini_tuesday(year: int) -> Iterator[date]:
    if year == 2004:
        yield date(2004, 2, 3)


def _super_bowl(year: int) -> Iterator[date]:
    yield _first_day(nth_weekday(2 if year >= 2022 else 1, _SUN, 2), year)


def _st_brigids_day(year: int) -> Iterator[date]:
    """February 1 if it is a Friday, else the first Monday."""
    day = date(year, 2, 1)
    yield day if day.weekday() == _FRI else _first_day(nth_weekday(1, _MON, 2), year)


def _mothers_day_france(year: int) -> Iterator[date]:
    """The last Sunday of May, a week later if it is Pentecost."""
    day = _first_day(nth_weekday(-1, _SUN, 5), year)
    is_pentecost = day == _first_day(moved(easter(), 49), year)
    yield day + timedelta(weeks=1) if is_pentecost else day


def _emperors_birthday(year: int) -> Iterator[date]:
    if year != 2019:
        yield date(year, 2, 23) if year > 2019 else date(year, 12, 23)


def _setsubun(year: int) -> Iterator[date]:
    yield date(year, 2, 2 if year >= 2021 and year % 4 == 1 else 3)


def _rabindra_jayanti(year: int) -> Iterator[date]:
    yield date(year, 5, 9 if year % 4 else 8)


def _persian_new_year(year: int, *, hours: int) -> Iterator[date]:
    """The day of the equinox, or the next one, if so many hours or fewer are left of it in Tehran:
    by the calendar of Iran after noon, by that of the Bahá'ís after sunset."""
    equinox = solar_term(0, year).astimezone(ZoneInfo("Asia/Tehran"))
    yield (equinox + timedelta(hours=hours)).date()


def _parsi_new_year(year: int) -> Iterator[date]:
    """The Shahenshahi one, which has no leap years: a day earlier every four years."""
    yield date(year, 8, 17) - timedelta(days=(year - 2016) // 4)


COMPUTED_DAYS: Mapping[str, NamedDay] = {
    "dst_end": ClockChange(-1),
    "dst_start": ClockChange(1),
    "earth_hour": YearlyHours(_earth_hour, (20, 30), 60),
    "emperors_birthday": YearlyDays(_emperors_birthday),
    "friday_13": YearlyDays(_friday_13),
    "khordad_sal": moved(YearlyDays(_parsi_new_year), 5),
    "mini_tuesday": YearlyDays(_mini_tuesday),
    "mothers_day_france": YearlyDays(_mothers_day_france),
    "naw_ruz": YearlyDays(partial(_persian_new_year, hours=6)),
    "nowruz": YearlyDays(partial(_persian_new_year, hours=12)),
    "parsi_new_year": YearlyDays(_parsi_new_year),
    "rabindra_jayanti": YearlyDays(_rabindra_jayanti),
    "setsubun": YearlyDays(_setsubun),
    "st_brigids_day": YearlyDays(_st_brigids_day),
    "super_bowl": YearlyDays(_super_bowl),
    "super_tuesday": YearlyDays(_super_tuesday),
    "tax_day": YearlyDays(_tax_day),
}
