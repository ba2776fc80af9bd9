"""Equinoxes, solstices and other solar terms, new moons, and the Chinese calendar made of them.

After chapters 25 and 49 of Meeus, "Astronomical Algorithms" (2nd edition): solar terms to some ten
minutes, new moons to one, for some centuries around ours.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from itertools import pairwise
from math import radians, sin

__all__ = ["chinese_days", "chinese_month", "solar_term"]

_J2000 = 2_451_545.0  # noon of January 1, 2000, as a Julian day
_ORDINAL = 1_721_424.5  # the Julian day of the midnight before the ordinal 0 of Python
_DAYS_PER_YEAR, _DAYS_PER_MONTH = 365.2422, 29.530588861
_CLOCK_DIFFERENCE = 70 / 86_400  # of the uniform time of the formulas, in our decades
_FIRST_NEW_MOON = 2_451_550.09766  # of the year 2000
_MARCH_EQUINOX = 79.3  # days from the start of a year to the longitude 0, roughly
_WINTER_SOLSTICE = 270
_MONTHS, _SOLSTICE_MONTH = 12, 11  # of the Chinese year
# Factors of the anomalies of the sun and the moon, and of the moon's argument of latitude.
_MOON_TERMS = (
    (-0.40720, 0, 1, 0), (0.17241, 1, 0, 0), (0.01608, 0, 2, 0), (0.01039, 0, 0, 2),
    (0.00739, -1, 1, 0), (-0.00514, 1, 1, 0), (0.00208, 2, 0, 0), (-0.00111, 0, 1, -2),
    (-0.00057, 0, 1, 2), (0.00056, 1, 2, 0), (-0.00042, 0, 3, 0), (0.00042, 1, 0, 2),
    (0.00038, 1, 0, -2), (-0.00024, -1, 2, 0),
)  # fmt: skip
_PLANET_TERMS = (
    (-0.00017, 124.7746, -1.56375588), (0.000325, 299.77, 0.107408), (0.000165, 251.88, 0.016321),
    (0.000164, 251.83, 26.651886), (0.000126, 349.42, 36.412478), (0.000110, 84.66, 18.206239),
)  # fmt: skip


def solar_term(longitude: int, year: int) -> datetime:
    """The time in a year at which the sun has that longitude: 0 at the equinox of March."""
    day = (
        _julian(date(year, 1, 1))
        + (_MARCH_EQUINOX + longitude / 360 * _DAYS_PER_YEAR) % _DAYS_PER_YEAR
    )
    for _ in range(4):
        difference = (longitude - _sun_longitude(day) + 180) % 360 - 180
        day += difference / 360 * _DAYS_PER_YEAR
    return datetime(2000, 1, 1, 12, tzinfo=UTC) + timedelta(days=day - _J2000 - _CLOCK_DIFFERENCE)


def chinese_days(month: int, day: int, year: int, *, zone: int = 8) -> Iterator[date]:
    """The days of a Gregorian year with that date in the Chinese calendar, not in a leap month;
    ``zone`` is the hours east of Greenwich: 9 in Korea, 7 in Vietnam."""
    for winter in (year, year + 1):
        found = _months_of_winter(winter, zone)[month] + timedelta(days=day - 1)
        if found.year == year:
            yield found


def chinese_month(month: int, year: int, *, zone: int = 8) -> tuple[date, date]:
    """The first day of a month, not a leap month, of the Chinese year that begins in a Gregorian
    year, and the day behind its last one. Raises ValueError if there is no such month."""
    if not 1 <= month <= _MONTHS:
        raise ValueError("no such month")
    first = _months_of_winter(year + (month >= _SOLSTICE_MONTH), zone)[month]
    number = round((_julian(first) - _FIRST_NEW_MOON) / _DAYS_PER_MONTH)
    return first, _new_moon_day(number + 1, zone)


@lru_cache(maxsize=256)
def _months_of_winter(year: int, zone: int) -> dict[int, date]:
    """The first days of the months 11 to 10, from the one of the solstice before a year on."""
    first, last = (_month_of_solstice(winter, zone) for winter in (year - 1, year))
    starts = [_new_moon_day(number, zone) for number in range(first, last + 1)]
    numbers = []
    has_leap_month = len(starts) == 14
    number = _SOLSTICE_MONTH
    for start, end in pairwise(starts):
        if has_leap_month and not _has_principal_term(start, end, zone):
            has_leap_month = False
            continue
        numbers.append((number, start))
        number = number % _MONTHS + 1
    return dict(numbers)


def _month_of_solstice(year: int, zone: int) -> int:
    """The number of the last new moon up to the day of the winter solstice."""
    solstice = (solar_term(_WINTER_SOLSTICE, year) + timedelta(hours=zone)).date()
    number = round((_julian(solstice) - _FIRST_NEW_MOON) / _DAYS_PER_MONTH) + 1
    while _new_moon_day(number, zone) > solstice:
        number -= 1
    return number


def _has_principal_term(start: date, end: date, zone: int) -> bool:
    """Whether the sun enters a sign of the zodiac in a month."""
    before, after = (
        _sun_longitude(_julian(day) - zone / 24 + _CLOCK_DIFFERENCE) // 30 for day in (start, end)
    )
    return before != after


def _new_moon_day(number: int, zone: int) -> date:
    moment = _new_moon(number) - _CLOCK_DIFFERENCE + zone / 24
    return date.fromordinal(int(moment - _ORDINAL))


def _new_moon(number: int) -> float:
    """The Julian day of a new moon; 0 is the first one of the year 2000."""
    t = number / 1236.85
    sun = 2.5534 + 29.1053567 * number
    moon = 201.5643 + 385.81693528 * number + 0.0107582 * t**2
    latitude = 160.7108 + 390.67050284 * number - 0.0016118 * t**2
    eccentricity = 1 - 0.002516 * t
    found = _FIRST_NEW_MOON + _DAYS_PER_MONTH * number + 0.00015437 * t**2
    for factor, of_sun, of_moon, of_latitude in _MOON_TERMS:
        angle = of_sun * sun + of_moon * moon + of_latitude * latitude
        found += factor * eccentricity ** abs(of_sun) * sin(radians(angle))
    return found + sum(a * sin(radians(b + c * number)) for a, b, c in _PLANET_TERMS)


def _sun_longitude(day: float) -> float:
    """The apparent longitude of the sun in degrees."""
    t = (day - _J2000) / 36_525
    anomaly = radians(357.52911 + 35_999.05029 * t - 0.0001537 * t**2)
    centre = (
        (1.914602 - 0.004817 * t) * sin(anomaly)
        + (0.019993 - 0.000101 * t) * sin(2 * anomaly)
        + 0.000289 * sin(3 * anomaly)
    )
    nutation = 0.00569 + 0.00478 * sin(radians(125.04 - 1934.136 * t))
    return (280.46646 + 36_000.76983 * t + 0.0003032 * t**2 + centre - nutation) % 360


def _julian(day: date) -> float:
    return day.toordinal() + _ORDINAL
