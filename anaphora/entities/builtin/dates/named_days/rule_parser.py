"""Parse the rules of named days, as they are written in ``tables/*.yaml``.

A rule names a day::

    12-25                          a month and a day; February 29 exists in leap years only
    fourth thursday of november    also first, second, third, last
    saturday from 6-20             the first such weekday on or after a day
    friday before 3-20             the last such weekday before a day
    easter                         Easter Sunday; "orthodox easter" of the orthodox churches
    hebrew tishri 1                the Hebrew calendar; "adar" is the second one of a leap year
    islamic 9-1                    a month and a day of the Islamic calendar
    chinese 1-1                    the Chinese calendar; "korean", "vietnamese": in their time zones
    hindu holi                     a table of the package ``holidays``; also "buddhist vesak"

What may be added, in this order::

    2 days before easter           so many days before or after the day
    4-16 (saturday -1, sunday +1)  moved, if it falls on one of these weekdays
    12-25 for 2 days               a period that begins on the day
    1-20 in years 4n+1             only in years with this remainder

Two kinds stand alone: ``islamic 9-1 until islamic 10-1`` is the period from a day up to, not
including, the next other day. ``solar longitude 180 in Asia/Tokyo`` is the day on which the sun
reaches a longitude, in that zone or (without it) in the zone of the question.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from anaphora.entities.builtin.dates.named_days.calendars import HEBREW_MONTHS
from anaphora.entities.builtin.dates.named_days.rules import (
    NamedDay,
    SolarDay,
    YearlyDays,
    YearlyPeriods,
    chinese_date,
    easter,
    fixed_date,
    hebrew_date,
    in_years,
    islamic_date,
    lasting,
    moved,
    nth_weekday,
    orthodox_easter,
    shifted,
    tabulated_date,
    weekday_before,
    weekday_from,
)

__all__ = ["parse_rule"]

_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
_RANKS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": -1}
_WANDERING = ("hebrew", "islamic")  # calendars that begin on any day of a year
_ZONES = {"chinese": 8, "korean": 9, "vietnamese": 7}  # hours east of Greenwich
_LEAP_YEAR = 2000
_LUNAR_MONTHS, _LUNAR_DAYS = 12, 30  # at most
_RULE = re.compile(
    r"(?:(?P<offset>\d+) days? (?P<side>before|after) )?"
    r"(?P<day>.+?)"
    r"(?: \((?P<shifts>.+)\))?"
    r"(?: for (?P<length>[1-9]\d*) days)?"
    r"(?: in years (?P<cycle>[1-9]\d*)n(?:\+(?P<remainder>\d+))?)?"
)
_SHIFT = re.compile(r"(\w+) ([+-]\d+)")
_MONTH_DAY = re.compile(r"(\d{1,2})-(\d{1,2})")


def parse_rule(text: str) -> NamedDay:
    """Parse a rule. Raises ValueError if it is wrong."""
    match text.split(" "):
        case ["solar", "longitude", degrees]:
            return SolarDay(_parse_number(degrees, 359))
        case ["solar", "longitude", degrees, "in", zone]:
            return SolarDay(_parse_number(degrees, 359), _check_zone(zone))
    first, until, end = text.partition(" until ")
    if until:
        return YearlyPeriods(_parse_days(first), _parse_days(end))
    return _parse_days(text)


def _parse_days(text: str) -> YearlyDays:
    parts = _RULE.fullmatch(text)
    if parts is None:
        raise ValueError(f"{text!r} is not a rule")
    words = parts["day"].split(" ")
    days = _parse_day(words)
    if parts["shifts"]:
        days = shifted(days, dict(map(_parse_shift, parts["shifts"].split(", "))))
    if parts["offset"]:
        offset = int(parts["offset"]) * (1 if parts["side"] == "after" else -1)
        days = moved(days, offset, across_years=words[0] in _WANDERING)
    if parts["length"]:
        days = lasting(days, int(parts["length"]))
    if parts["cycle"]:
        days = in_years(days, int(parts["cycle"]), int(parts["remainder"] or 0))
    return days


def _parse_day(words: Sequence[str]) -> YearlyDays:
    match words:
        case ["easter"]:
            return easter()
        case ["orthodox", "easter"]:
            return orthodox_easter()
        case ["hebrew", month, day] if month in HEBREW_MONTHS:
            return hebrew_date(month, _parse_number(day, _LUNAR_DAYS))
        case ["islamic", written]:
            return islamic_date(*_parse_lunar_date(written))
        case ["chinese" | "korean" | "vietnamese" as calendar, written]:
            return chinese_date(*_parse_lunar_date(written), zone=_ZONES[calendar])
        case ["hindu" | "buddhist" as calendar, name]:
            return tabulated_date(calendar, name.upper())
        case [rank, weekday, "of", month] if rank in _RANKS and month in _MONTHS:
            return nth_weekday(_RANKS[rank], _parse_weekday(weekday), _MONTHS.index(month) + 1)
        case [weekday, "from", *day]:
            return weekday_from(_parse_weekday(weekday), _parse_day(day))
        case [weekday, "before", *day]:
            return weekday_before(_parse_weekday(weekday), _parse_day(day))
        case [written]:
            numbers = _parse_month_day(written)
            date(_LEAP_YEAR, *numbers)  # raises ValueError if there is no such day
            return fixed_date(*numbers)
    raise ValueError(f"{' '.join(words)!r} is not a day")


def _parse_shift(text: str) -> tuple[int, int]:
    parts = _SHIFT.fullmatch(text)
    if parts is None:
        raise ValueError(f"{text!r} is not a weekday and a number of days")
    return _parse_weekday(parts[1]), int(parts[2])


def _parse_weekday(name: str) -> int:
    if name not in _WEEKDAYS:
        raise ValueError(f"{name!r} is not a weekday")
    return _WEEKDAYS.index(name)


def _parse_lunar_date(text: str) -> tuple[int, int]:
    month, day = _parse_month_day(text)
    if not (1 <= month <= _LUNAR_MONTHS and 1 <= day <= _LUNAR_DAYS):
        raise ValueError(f"{text!r} is not a month and a day")
    return month, day


def _parse_month_day(text: str) -> tuple[int, int]:
    parts = _MONTH_DAY.fullmatch(text)
    if parts is None:
        raise ValueError(f"{text!r} is not a day")
    return int(parts[1]), int(parts[2])


def _parse_number(text: str, most: int) -> int:
    if not text.isdecimal() or int(text) > most:
        raise ValueError(f"{text!r} is not a number up to {most}")
    return int(text)


def _check_zone(name: str) -> str:
    try:
        return ZoneInfo(name).key
    except ZoneInfoNotFoundError:
        raise ValueError(f"{name!r} is not a time zone") from None
