"""Shift a date that was said before: an hour later, the Friday after, on Friday at that time; or
make a range longer or shorter."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Any

from anaphora.entities.builtin.dates.combining.readings import (
    ENDS,
    LENGTH_NAMES,
    SHIFT_NAMES,
    SHIFTS,
    STARTS,
    WEEKDAY_SHIFTS,
)
from anaphora.entities.builtin.dates.intervals import CLOCK_GRAINS, GRAINS, Moment
from anaphora.entities.builtin.dates.operations.durations import evaluate_duration, finest_grain
from anaphora.entities.builtin.dates.operations.registry import TimeExpression, evaluate_bounded
from anaphora.entities.builtin.dates.resolution.date_resolution import (
    ResolvedDate,
    parse_expression,
    resolve_date,
)

__all__ = ["shift_date"]

_LENGTHS = {name: SHIFTS[SHIFT_NAMES[sign]] for sign, name in LENGTH_NAMES.items()}
_SHIFTS = frozenset({*SHIFTS, *WEEKDAY_SHIFTS, *_LENGTHS, "at_now"})
_RANGES = ("span", "times", "at_times", "lasting")
_SECOND = timedelta(seconds=1)


def shift_date(
    old: Mapping[str, Any], new: Mapping[str, Any], moment: Moment
) -> ResolvedDate | None:
    """The old date a duration later or earlier, or its time on another day, by the metadata of
    both; a range keeps its length, unless a duration makes it longer or shorter, and a limit ("not
    before Friday") stays one. None unless the new date says so ("an hour later", "the Friday
    after", "at the same time on Friday"), and if the old one has no such grain ("an hour later"
    than Friday)."""
    shift = parse_expression(new.get("expression"))
    if shift is None or shift[0] not in _SHIFTS:
        return None
    try:
        shifted = _shift(old, shift, moment)
        return resolve_date(shifted, moment) if shifted is not None else None
    except (ValueError, OverflowError):
        return None


def _shift(old: Mapping[str, Any], shift: TimeExpression, moment: Moment) -> TimeExpression | None:
    whole, grain = parse_expression(old.get("expression")), old.get("grain")
    if whole is None or grain not in GRAINS:
        return None
    if len(whole) == 2 and whole[0] in (*STARTS, *ENDS):
        limit = resolve_date(whole[1], moment)
        shifted = _shift(limit[1], shift, moment) if limit is not None else None
        return (whole[0], shifted) if shifted is not None else None
    if "start" not in old or "end" not in old:
        return None
    start, end = (
        datetime.fromisoformat(old[key]).astimezone(moment.zone) for key in ("start", "end")
    )
    if shift[0] in _LENGTHS:
        return _lengthen(start, end, grain, shift, moment) if whole[0] in _RANGES else None
    begin = _shift_start(start, end, grain, shift, moment)
    if begin is None:
        return None
    if whole[0] in _RANGES:
        return _range_from(begin, start, end, grain)
    if whole[0] in ("part", "within") and begin.time() == start.time():
        return "within", _ymd(begin.date()), whole[-1]
    if grain in CLOCK_GRAINS:
        return "at", _ymd(begin.date()), _clock(begin)
    is_day = grain == "day" or shift[0] in WEEKDAY_SHIFTS
    return _ymd(begin.date()) if is_day else ("cell_of", grain, _ymd(begin.date()))


def _shift_start(
    start: datetime, end: datetime, grain: str, shift: TimeExpression, moment: Moment
) -> datetime | None:
    """The new start of a date; None if the date has no such grain."""
    name, said = shift
    has_time = grain in CLOCK_GRAINS
    if name == "at_now":
        day = evaluate_bounded(said, moment).start
        return day.replace(hour=start.hour, minute=start.minute) if has_time else None
    if name in WEEKDAY_SHIFTS:
        is_behind = not has_time and WEEKDAY_SHIFTS[name] > 0
        last = (end - _SECOND if is_behind else start).date()
        beside = "weekday_beside", said, _ymd(last), WEEKDAY_SHIFTS[name]
        day = evaluate_bounded(beside, moment).start
        return day.replace(hour=start.hour, minute=start.minute) if has_time else day
    if not has_time and finest_grain(evaluate_duration(said)) in CLOCK_GRAINS:
        return None
    origin = _ymd(start.date())
    if has_time:
        origin = "at", origin, _clock(start)
    return evaluate_bounded((SHIFTS[name], origin, said), moment).start


def _lengthen(
    start: datetime, end: datetime, grain: str, change: TimeExpression, moment: Moment
) -> TimeExpression | None:
    """The range with a later or an earlier end; None if nothing would be left of it, and for hours
    of a range of days."""
    name, by = change
    if grain in CLOCK_GRAINS:
        last: TimeExpression = ("at", _ymd(end.date()), _clock(end))
        grain = "minute"
    elif grain == "day" and finest_grain(evaluate_duration(by)) not in CLOCK_GRAINS:
        last = _ymd(end.date())
    else:
        return None
    stop = evaluate_bounded((_LENGTHS[name], last, by), moment).start
    return _range_from(start, start, stop, grain) if stop > start else None


def _range_from(begin: datetime, start: datetime, end: datetime, grain: str) -> TimeExpression:
    """A range that lasts as long as that from ``start`` to ``end``."""
    if grain in CLOCK_GRAINS:
        stop = begin + (end.replace(tzinfo=None) - start.replace(tzinfo=None))
        if stop.date() == begin.date():
            return "at_times", _ymd(begin.date()), _clock(begin), _clock(stop)
        first, last = (("at", _ymd(one.date()), _clock(one)) for one in (begin, stop))
        return "span", first, last
    days = (end - _SECOND).date() - start.date()
    return "span", _ymd(begin.date()), _ymd(begin.date() + days)


def _clock(at: datetime) -> TimeExpression:
    seconds = (at.second,) if at.second else ()
    return "clock24", at.hour, at.minute, *seconds


def _ymd(day: date) -> TimeExpression:
    return "ymd", day.year, day.month, day.day
