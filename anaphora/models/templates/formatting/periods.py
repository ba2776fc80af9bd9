"""Parse the values of the entity ``date``: days, weeks, months, times and intervals."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from typing import Any, Literal, TypeAlias

__all__ = ["Period", "parse_period"]

Unit: TypeAlias = Literal["day", "month", "quarter", "year"]

_WEEK = re.compile(r"(\d{4})-W(\d\d)")
_MONTH = re.compile(r"(\d{4})-(\d\d)")
_QUARTER = re.compile(r"(\d{4})-Q([1-4])")
_YEAR = re.compile(r"\d{4}")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_CLOCK = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?")
_OPEN_END = ".."
_MONTH_GRAINS = frozenset({"month", "quarter", "half", "season"})
_YEAR_GRAINS = frozenset({"year", "decade", "century"})
_ONE_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Period:
    """A period from ``start`` to ``end``, both included; None for an open end.

    Both ends are dates or both are datetimes. ``unit`` is the largest unit that the user may have
    meant and that divides the period evenly; ``single``: the period is one such unit.
    """

    start: date | datetime | None
    end: date | datetime | None
    unit: Unit = "day"
    single: bool = False

    @property
    def has_clock(self) -> bool:
        return isinstance(self.end if self.start is None else self.start, datetime)


def parse_period(value: Any, meta: Mapping[str, Any], zone: tzinfo | None) -> Period | None:
    """Parse a period; None for a value that is not a date.

    ``meta`` is the metadata of a date entity: it has the start of a week that begins on Sunday,
    and the unit of an interval. A time with an offset is converted to ``zone``. Raises
    ``ValueError`` for an impossible date.
    """
    if isinstance(value, date):
        return _single_period(_to_local(value, zone))
    if not isinstance(value, str):
        return None
    start, slash, end = value.partition("/")
    if not slash:
        return _parse_unit(value, meta, zone)
    if start == end == _OPEN_END:
        return None
    first, last = (None if one == _OPEN_END else _parse_end(one, zone) for one in (start, end))
    if (first is None) != (start == _OPEN_END) or (last is None) != (end == _OPEN_END):
        return None
    if first is None or last is None:
        return Period(first, last)
    if isinstance(first, datetime) != isinstance(last, datetime):
        return None
    return Period(first, last, _unit_of(first, last, meta), single=first == last)


def _parse_unit(value: str, meta: Mapping[str, Any], zone: tzinfo | None) -> Period | None:
    if moment := _parse_end(value, zone):
        return _single_period(moment)
    if found := _WEEK.fullmatch(value):
        monday = date.fromisocalendar(int(found[1]), int(found[2]), 1)
        first = _first_day(meta) if meta.get("grain") == "week" else None
        first = first or monday
        return Period(first, first + 6 * _ONE_DAY)
    if found := _MONTH.fullmatch(value):
        return _months_period(int(found[1]), int(found[2]), 1, "month")
    if found := _QUARTER.fullmatch(value):
        return _months_period(int(found[1]), int(found[2]) * 3 - 2, 3, "quarter")
    if _YEAR.fullmatch(value):
        return _months_period(int(value), 1, 12, "year")
    return None


def _parse_end(value: str, zone: tzinfo | None) -> date | datetime | None:
    if _DAY.fullmatch(value):
        return date.fromisoformat(value)
    return _to_local(datetime.fromisoformat(value), zone) if _CLOCK.fullmatch(value) else None


def _to_local(moment: date, zone: tzinfo | None) -> date:
    """Convert a time with an offset to the local time of the zone, without an offset."""
    if not isinstance(moment, datetime):
        return moment
    return moment.astimezone(zone).replace(tzinfo=None) if moment.tzinfo else moment


def _single_period(moment: date) -> Period:
    return Period(moment, moment, single=True)


def _months_period(year: int, month: int, count: int, unit: Unit) -> Period:
    first, last_month = date(year, month, 1), month + count - 1
    return Period(first, date(year, last_month, monthrange(year, last_month)[1]), unit, single=True)


def _first_day(meta: Mapping[str, Any]) -> date | None:
    start = meta.get("start")
    return datetime.fromisoformat(start).date() if isinstance(start, str) else None


def _unit_of(first: date, last: date, meta: Mapping[str, Any]) -> Unit:
    """The unit of an interval: months for "May to July", years for "the nineties", else days."""
    grain = meta.get("grain")
    are_months = first.day == 1 and last.day == monthrange(last.year, last.month)[1]
    if isinstance(first, datetime) or not are_months:
        return "day"
    if grain in _YEAR_GRAINS and first.month == 1 and last.month == 12:
        return "year"
    return "month" if grain in _MONTH_GRAINS or grain in _YEAR_GRAINS else "day"
