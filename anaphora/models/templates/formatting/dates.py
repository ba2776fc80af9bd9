"""Format periods: their days, their times of day, or both."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time, timedelta, tzinfo
from typing import TypeAlias

from babel import Locale
from babel.dates import (
    DateTimeFormat,
    format_date,
    format_skeleton,
    format_time,
    get_datetime_format,
    get_time_format,
    parse_pattern,
)

from anaphora.models.templates.formatting.locales import format_open_interval, join_range
from anaphora.models.templates.formatting.periods import Period

__all__ = ["format_apart", "format_days", "format_days_and_times", "format_times"]

_Format: TypeAlias = Callable[[date], str]

_WIDTHS = ("full", "long", "medium", "short")
# By unit and width; full and long widths spell out months and weekdays.
_SKELETONS: Mapping[str, Mapping[str, str]] = {
    "day": {"full": "yMMMEd", "long": "yMMMd", "medium": "yMMMd", "short": "yMd"},
    "month": {"full": "yMMM", "long": "yMMM", "medium": "yMMM", "short": "yM"},
    "quarter": {"full": "yQQQQ", "long": "yQQQQ", "medium": "yQQQ", "short": "yQQQ"},
    "year": dict.fromkeys(_WIDTHS, "y"),
}
_ABBREVIATION = re.compile(r"(?<![ML])(?:MMM|LLL)(?![ML])|(?<!E)E{1,3}(?!E)")
_ONE_DAY = timedelta(days=1)
_WEEK_DAYS = 7
_FIELDS = "yMdahHm"  # of intervals, the largest first


def format_days(period: Period, format: str, locale: Locale) -> str:
    """Format the days of a period. ``format`` is a width (``full``, ``long``, ``medium``,
    ``short``) or a CLDR pattern for each end."""
    start, end = period.start, period.end
    first, last = (one.date() if isinstance(one, datetime) else one for one in (start, end))
    if isinstance(end, datetime) and not period.single and end.time() == time.min:
        last = end.date() - _ONE_DAY  # midnight ends a day; the next one is not included

    def format_one(day: date) -> str:
        return format_date(day, format, locale)

    if first is None or last is None:
        return _format_ends(first, last, format_one, locale)
    if format not in _WIDTHS:
        return _format_ends(first, last, format_one, locale)
    if period.unit != "day" and period.single:
        return _format_skeleton(first, _SKELETONS[period.unit][format], format, locale)
    if first == last:
        return format_one(first)
    return _format_interval(first, last, _SKELETONS[period.unit][format], format, locale)


def format_times(period: Period, format: str, locale: Locale, zone: tzinfo | None = None) -> str:
    """Format the times of day of a period; '' if it has none or lasts for a day or longer.

    ``format`` is a width or a CLDR pattern; '' means hours and minutes, and seconds if they are
    not zero. ``zone`` is the time zone for patterns that name it (default: UTC).
    """
    start, end = period.start, period.end
    if not period.has_clock or (start and end and end - start >= _ONE_DAY):
        return ""

    def format_one(moment: date) -> str:
        assert isinstance(moment, datetime)
        width = "medium" if moment.second else "short"
        if not format:
            return format_time(moment.time(), width, locale=locale)
        # With the date: the name of a zone changes in summer.
        return format_time(moment.replace(tzinfo=zone), format, tzinfo=zone, locale=locale)

    both = isinstance(start, datetime) and isinstance(end, datetime)
    if format or period.single or not both or _has_seconds(start) or _has_seconds(end):
        return _format_ends(start, end, format_one, locale)
    assert start is not None
    assert end is not None
    has_halves = "a" in str(get_time_format("short", locale))
    return _format_interval(start, end, "hm" if has_halves else "Hm", "short", locale)


def format_days_and_times(period: Period, format: str, locale: Locale) -> str:
    """Format the days and, if any, the times of day. ``format`` applies to the days."""
    if not period.has_clock:
        return format_days(period, format, locale)

    def format_one(moment: date) -> str:
        of_one = Period(moment, moment, single=True)
        return _beside(
            format_days(of_one, format, locale), format_times(of_one, "", locale), locale
        )

    start, end = period.start, period.end
    if isinstance(start, datetime) and isinstance(end, datetime) and start.date() == end.date():
        return _beside(
            format_days(period, format, locale), format_times(period, "", locale), locale
        )
    return _format_ends(start, end, format_one, locale)


def _beside(days: str, times: str, locale: Locale) -> str:
    pattern = str(get_datetime_format("medium", locale)).replace("'", "")
    return pattern.replace("{1}", days).replace("{0}", times)


def format_apart(periods: Sequence[Period], today: date, locale: Locale) -> tuple[str, ...]:
    """Format periods briefly, to be told from each other: times alone if all are of one day, days
    alone if all are at one time; weekdays alone within the next six days, else without the present
    year."""
    days = [_sole_day(one) for one in periods]
    single = [day for day in days if day is not None]
    if len(single) < len(days):
        return tuple([format_days_and_times(one, "long", locale) for one in periods])
    times = [format_times(one, "", locale) for one in periods]
    several = len(periods) > 1
    if several and len(set(single)) == 1 and all(times):
        return tuple(times)
    is_near = all(0 < (day - today).days < _WEEK_DAYS for day in single)
    skeleton = "MMMEd" if all(day.year == today.year for day in single) else "yMMMEd"
    names = [
        format_date(day, "cccc", locale)
        if is_near
        else _format_skeleton(day, skeleton, "full", locale)
        for day in single
    ]
    if several and len(set(times)) == 1:
        return tuple(names)
    pairs = zip(names, times, strict=True)
    return tuple([_beside(day, clock, locale) if clock else day for day, clock in pairs])


def _sole_day(period: Period) -> date | None:
    """The day of a period that begins and ends on it."""
    ends = {one.date() if isinstance(one, datetime) else one for one in (period.start, period.end)}
    return ends.pop() if len(ends) == 1 else None


def _format_ends(start: date | None, end: date | None, format_one: _Format, locale: Locale) -> str:
    if start is None or end is None:
        moment = end if start is None else start
        assert moment is not None
        return format_open_interval(
            format_one(moment), "earlier" if start is None else "later", locale
        )
    first, last = format_one(start), format_one(end)
    return first if first == last else join_range(first, last, locale)


def _has_seconds(moment: date | None) -> bool:
    return isinstance(moment, datetime) and bool(moment.second)


def _format_skeleton(day: date, skeleton: str, width: str, locale: Locale) -> str:
    pattern = locale.datetime_skeletons.get(skeleton)
    if pattern is None:
        return format_skeleton(skeleton, day, locale=locale)
    return _apply_pattern(str(pattern), day, width, locale)


def _format_interval(start: date, end: date, skeleton: str, width: str, locale: Locale) -> str:
    """Format an interval like Babel, but in the requested width: the patterns of CLDR have only
    abbreviations, which are widened."""
    patterns = locale.interval_formats.get(skeleton, {})
    one, other = DateTimeFormat(start, locale), DateTimeFormat(end, locale)
    for field in _FIELDS:
        if field in patterns and one.extract(field) != other.extract(field):
            pair = zip(patterns[field], (start, end), strict=True)
            return "".join(
                _apply_pattern(pattern, moment, width, locale) for pattern, moment in pair
            )
    first, last = (_format_skeleton(day, skeleton, width, locale) for day in (start, end))
    return first if first == last else join_range(first, last, locale)


def _apply_pattern(pattern: str, moment: date, width: str, locale: Locale) -> str:
    if width in ("full", "long"):
        pattern = _ABBREVIATION.sub(lambda found: found[0][0] * 4, pattern)
    return str(parse_pattern(pattern).apply(moment, locale))
