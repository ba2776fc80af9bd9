"""Resolve a recurrence pattern: the rule of RFC 5545, and its next occurrence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from itertools import product
from typing import Any, TypeAlias

from dateutil.rrule import rrulestr

from anaphora.entities.builtin.dates.intervals import CLOCK_GRAINS, Interval, Moment
from anaphora.entities.builtin.dates.operations.clock_times import evaluate_clock
from anaphora.entities.builtin.dates.operations.durations import (
    add_duration,
    duration_seconds,
    evaluate_duration,
)
from anaphora.entities.builtin.dates.operations.recurrence_patterns import (
    CLOCK_UNITS,
    WEEKEND,
    WORKDAYS,
    Patterns,
    RecurrencePattern,
)
from anaphora.entities.builtin.dates.operations.registry import (
    evaluate,
    evaluate_bounded,
)
from anaphora.entities.builtin.dates.operations.zones import load_zone
from anaphora.entities.builtin.dates.recurrences.pattern_data import describe_pattern
from anaphora.entities.builtin.dates.resolution.formatting import format_value

__all__ = ["ResolvedRecurrence", "resolve_recurrence"]

ResolvedRecurrence: TypeAlias = tuple[str, Mapping[str, Any]]
"""The value of a recurrence and its metadata."""

_WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_FREQUENCIES: Mapping[str, str] = {
    "second": "SECONDLY", "minute": "MINUTELY", "hour": "HOURLY", "day": "DAILY",
    "week": "WEEKLY", "month": "MONTHLY", "year": "YEARLY",
}  # fmt: skip
_FREQUENCIES_IN_DAY = tuple([_FREQUENCIES[unit] for unit in CLOCK_UNITS])
_STEPS: Mapping[str, timedelta] = {
    "second": timedelta(seconds=1), "minute": timedelta(minutes=1), "hour": timedelta(hours=1),
    "day": timedelta(days=1), "week": timedelta(weeks=1),
}  # fmt: skip
_SOME_DAY = ("ymd", 2001, 1, 1)  # its hours are those of every day
_SECOND = timedelta(seconds=1)
_DAY_HOURS, _HOUR_MINUTES = 24, 60
_EARLIEST_HOUR = 7  # an earlier one may be in the afternoon
_LAST_CERTAIN_DAY = 28  # that every month has
_LAST_CERTAIN_RANK = 4
_MAX_SKIPPED = 1000  # occurrences that are left out, before the next one

_Rule: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _DayTimes:
    """The times of day of a recurrence; ``length`` is that of hours or of a part of the day, or how
    long each one lasts. They are ``shift`` days after the days of the text: Monday night at 1."""

    times: tuple[time, ...] = ()
    length: timedelta | None = None
    shift: int = 0


@dataclass(frozen=True, slots=True)
class _Bounds:
    """From when on and until when a recurrence goes, in local time, both included."""

    start: datetime | None = None
    until: datetime | None = None


def resolve_recurrence(patterns: Patterns, moment: Moment) -> Iterator[ResolvedRecurrence]:
    """The rules that a text may mean at a moment, the likeliest first; none that has no occurrence
    from then on."""
    for pattern in patterns:
        for reading in _read_clocks(pattern):
            try:
                resolved = _resolve(reading, moment)
            except (ValueError, OverflowError):  # there is no such date or time
                continue
            if resolved is not None:
                value, meta = resolved
                yield value, {**meta, "pattern": describe_pattern(reading)}


def _read_clocks(pattern: RecurrencePattern) -> Iterator[RecurrencePattern]:
    """The pattern; also with early times in the afternoon, if that is left open: every day at 5."""
    yield pattern
    if pattern.part or not pattern.clocks:
        return
    try:
        shown = [evaluate_clock(clock) for clock in pattern.clocks]
    except ValueError:
        return
    if all(clock.open and clock.hours < _EARLIEST_HOUR for clock in shown):
        yield replace(pattern, clocks=tuple([("pm", clock) for clock in pattern.clocks]))


def _resolve(pattern: RecurrencePattern, moment: Moment) -> ResolvedRecurrence | None:
    pattern = _expand_weekdays(pattern, moment)
    bounds = _find_bounds(pattern, moment)
    day_times = _find_times(pattern, moment)
    if pattern.zone:
        day_times = _to_local(day_times, pattern, moment, (bounds.start or moment.at).date())
    pattern = _shift_days(pattern, day_times.shift)
    rule = _build_rule(pattern, day_times)
    first_day = moment.conventions.first_day
    if first_day and pattern.unit == "week" and pattern.interval > 1:
        rule["WKST"] = _WEEKDAYS[first_day]
    now = moment.at.replace(tzinfo=None)
    start = _find_start(pattern, rule, bounds, now)
    if start is None:
        return None
    until = bounds.until
    if pattern.lasting is not None:
        origin = (bounds.start or _floor(pattern, rule, now)).replace(tzinfo=moment.zone)
        end = add_duration(moment, origin, evaluate_duration(pattern.lasting), 1)
        within_day = pattern.unit in CLOCK_UNITS
        until = end.replace(tzinfo=None) - (timedelta() if within_day else _SECOND)
    if until is not None:
        rule["UNTIL"] = until
    if pattern.count:
        rule["COUNT"] = pattern.count
    excluded = [evaluate(one, moment) for one in pattern.excluded]
    following = _find_next(pattern, rule, start, now, excluded)
    if following is None:
        return None

    def to_local(naive: datetime) -> str:
        return moment.local_time(naive.date(), naive.hour, naive.minute, naive.second).isoformat()

    meta: dict[str, Any] = {
        "rule": {name.lower(): _to_plain(part) for name, part in rule.items()},
        "next": to_local(following),
        "start": to_local(start),
    }
    if until is not None:
        meta["until"] = to_local(until)
    if pattern.count:
        meta["count"] = pattern.count
    if pattern.times:
        meta |= {"times": pattern.times, "per": pattern.unit}
    if pattern.part:
        meta["part"] = pattern.part.removeprefix("wide ").removeprefix("long ")
    if day_times.length is not None:
        if len(day_times.times) == 1:
            (first,) = day_times.times
            last = (datetime.combine(date.min, first) + day_times.length).time()
            meta["hours"] = f"{first:%H:%M}/{last:%H:%M}"
        meta["duration"] = _format_length(day_times.length)
    if pattern.zone:
        meta["zone"] = pattern.zone
    if excluded:
        meta["except"] = [format_value(one, moment) for one in excluded]
    return _format_rule(rule), meta


# Times of day


def _find_times(pattern: RecurrencePattern, moment: Moment) -> _DayTimes:
    day = ("within", _SOME_DAY, pattern.part) if pattern.part else _SOME_DAY
    length = None
    if pattern.length is not None:
        length = timedelta(seconds=int(duration_seconds(evaluate_duration(pattern.length))))
    if pattern.clocks:
        starts = [evaluate_bounded(("at", day, clock), moment).start for clock in pattern.clocks]
        shifts = {(start.date() - date(*_SOME_DAY[1:])).days for start in starts}
        # Midnight is the end of a day, and the start of the next one.
        is_midnight = len(starts) == 1 and starts[0].time() == time()
        shift = 0 if is_midnight or len(shifts) > 1 else shifts.pop()
        return _DayTimes(tuple(sorted({start.time() for start in starts})), length, shift)
    if pattern.hours is not None:
        found = evaluate_bounded(("at_times", day, *pattern.hours), moment)
    elif pattern.part:
        found = evaluate_bounded(("within", _SOME_DAY, pattern.part), moment)
    else:
        return _DayTimes(length=length)
    return _DayTimes((found.start.time(),), length or found.end - found.start)


def _to_local(
    day_times: _DayTimes, pattern: RecurrencePattern, moment: Moment, first_day: date
) -> _DayTimes:
    """The times of another zone in that of the question, as they are on the first day. Raises
    ValueError if they are on different days."""
    there = load_zone(pattern.zone)
    local = [
        datetime.combine(first_day, one, there).astimezone(moment.zone) for one in day_times.times
    ]
    shifts = {(one.date() - first_day).days for one in local}
    every_day = pattern.unit == "day" and pattern.interval == 1
    if len(shifts) > 1 and not every_day:
        raise ValueError("there is no such rule")
    shift = 0 if every_day else day_times.shift + shifts.pop()
    return replace(day_times, times=tuple(sorted({one.time() for one in local})), shift=shift)


def _shift_days(pattern: RecurrencePattern, days: int) -> RecurrencePattern:
    """The pattern with the days that are some days after its own. Raises ValueError if no rule can
    say those."""
    if not days or pattern.is_bare:
        return pattern
    if pattern.rank or any(rank for rank, _ in pattern.weekdays):
        raise ValueError("there is no such rule")
    monthdays = [_shift_monthday(day, days) for day in pattern.monthdays]
    leaves_month = any(one * day < 0 for one, day in zip(monthdays, pattern.monthdays, strict=True))
    if pattern.months and (leaves_month or not monthdays):
        raise ValueError("there is no such rule")
    return replace(
        pattern,
        weekdays=tuple([(0, (day + days) % 7) for _, day in pattern.weekdays]),
        monthdays=tuple(monthdays),
    )


def _shift_monthday(day: int, days: int) -> int:
    """The number of a later or an earlier day of the month; the one before the first is the last.
    Raises ValueError if it depends on the month."""
    if abs(day) > _LAST_CERTAIN_DAY or abs(day + days) > _LAST_CERTAIN_DAY:
        raise ValueError("there is no such rule")
    shifted = day + days
    if shifted * day > 0:
        return shifted
    return shifted + 1 if day < 0 else shifted - 1


# The rule


def _expand_weekdays(pattern: RecurrencePattern, moment: Moment) -> RecurrencePattern:
    """The weekdays of a pattern by the conventions of the region, without those that it skips.
    Raises ValueError if none is left."""
    weekend = moment.conventions.weekend_days
    sets: Mapping[int, tuple[int, ...]] = {
        WEEKEND: weekend,
        WORKDAYS: tuple([day for day in range(7) if day not in weekend]),
    }
    days: dict[tuple[int, int], None] = {}
    for rank, day in pattern.weekdays:
        # The first weekend of a month is one day.
        days.update(dict.fromkeys((rank, one) for one in sets.get(day, (day,))[: 1 if rank else 7]))
    skipped = {one for day in pattern.skipped for one in sets.get(day, (day,))}
    left = tuple([one for one in days if one[1] not in skipped])
    if pattern.weekdays and not left:
        raise ValueError("no day is left")
    return replace(pattern, weekdays=left)


def _build_rule(pattern: RecurrencePattern, day_times: _DayTimes) -> _Rule:
    """The parts of a rule, in the order in which they are written."""
    rule: _Rule = {"FREQ": _FREQUENCIES[pattern.unit]}
    if pattern.interval > 1:
        rule["INTERVAL"] = pattern.interval
    if pattern.months:
        rule["BYMONTH"] = sorted(pattern.months)
    if pattern.monthdays:
        rule["BYMONTHDAY"] = sorted(pattern.monthdays, key=lambda day: (day < 0, day))
    if pattern.unit == "year" and pattern.months and not (pattern.monthdays or pattern.weekdays):
        rule["BYMONTHDAY"] = [1]
    if pattern.weekdays:
        rule["BYDAY"] = [f"{rank or ''}{_WEEKDAYS[day]}" for rank, day in sorted(pattern.weekdays)]
    if pattern.rank:
        rule["BYSETPOS"] = [pattern.rank]
    if pattern.unit in CLOCK_UNITS:
        return _add_window(rule, pattern, day_times) if day_times.length else rule
    return _add_times(rule, pattern, day_times.times) if day_times.times else rule


def _add_times(rule: _Rule, pattern: RecurrencePattern, times: tuple[time, ...]) -> _Rule:
    """Add times of day. A rule has every hour with every minute: of 9:00 and 18:30 those are
    picked by their place among the four times of each day."""
    hours = sorted({one.hour for one in times})
    minutes = sorted({one.minute for one in times})
    seconds = sorted({one.second for one in times})
    every = [time(*one) for one in product(hours, minutes, seconds)]
    rule |= {"BYHOUR": hours, "BYMINUTE": minutes}
    if seconds != [0]:
        rule["BYSECOND"] = seconds
    if len(every) > len(times):
        if pattern.rank:
            raise ValueError("there is no such rule")
        places = [every.index(one) + 1 for one in times]
        days = range(_count_days(pattern))
        rule["BYSETPOS"] = [day * len(every) + place for day in days for place in places]
    return rule


def _count_days(pattern: RecurrencePattern) -> int:
    """How many days there are in each period, if it is always the same."""
    may_miss = any(abs(day) > _LAST_CERTAIN_DAY for day in pattern.monthdays) or any(
        abs(rank) > _LAST_CERTAIN_RANK for rank, _ in pattern.weekdays
    )
    every_week_of_month = pattern.unit != "week" and any(not rank for rank, _ in pattern.weekdays)
    if may_miss or every_week_of_month:
        raise ValueError("there is no such rule")
    return len(pattern.monthdays) or len(pattern.weekdays) or 1


def _add_window(rule: _Rule, pattern: RecurrencePattern, day_times: _DayTimes) -> _Rule:
    """Restrict a rule of hours or minutes to some hours of the day, its first and last time
    included: every two hours between 9 and 17."""
    (first,) = day_times.times
    assert day_times.length is not None
    opened = first.hour * _HOUR_MINUTES + first.minute
    closed = opened + int(day_times.length.total_seconds()) // 60
    step = pattern.interval * (_HOUR_MINUTES if pattern.unit == "hour" else 1)
    if pattern.unit == "second" or (pattern.unit == "minute" and _HOUR_MINUTES % step):
        hours = range(opened // _HOUR_MINUTES, -(-closed // _HOUR_MINUTES))
        return rule | {"BYHOUR": sorted({hour % _DAY_HOURS for hour in hours})}
    clocks = [divmod(minutes, _HOUR_MINUTES) for minutes in range(opened, closed + 1, step)]
    times = sorted({time(hour % _DAY_HOURS, minute) for hour, minute in clocks})
    del rule["FREQ"]
    rule.pop("INTERVAL", None)
    if pattern.unit == "minute" and len(times) > 1 and closed % _HOUR_MINUTES == 0:
        times = [one for one in times if one.hour < closed // _HOUR_MINUTES] or times
    return _add_times({"FREQ": "DAILY", **rule}, pattern, tuple(times))


def _format_rule(rule: _Rule) -> str:
    return ";".join(f"{name}={_format_part(part)}" for name, part in rule.items())


def _format_part(part: Any) -> str:
    if isinstance(part, datetime):
        return f"{part:%Y%m%dT%H%M%S}"
    return ",".join(map(str, part)) if isinstance(part, list) else str(part)


def _to_plain(part: Any) -> Any:
    return part.isoformat() if isinstance(part, datetime) else part


def _format_length(length: timedelta) -> str:
    hours, minutes = divmod(int(length.total_seconds()) // 60, _HOUR_MINUTES)
    return "PT" + (f"{hours}H" if hours else "") + (f"{minutes}M" if minutes else "")


# Bounds and occurrences


def _find_bounds(pattern: RecurrencePattern, moment: Moment) -> _Bounds:
    starts, untils = [], []
    for bound in pattern.bounds:
        name = bound[0]
        if name == "since_or_from":
            bound = ("onward", *bound[1:])
        found = evaluate(bound, moment)
        if found.start is not None and name != "until":
            starts.append(found.start.replace(tzinfo=None))
        if found.end is not None and name != "since":
            last = found.end.replace(tzinfo=None)
            is_time = name == "until" and found.grain in CLOCK_GRAINS
            untils.append(last if is_time else last - _SECOND)
    return _Bounds(max(starts, default=None), min(untils, default=None))


def _find_start(
    pattern: RecurrencePattern, rule: _Rule, bounds: _Bounds, now: datetime
) -> datetime | None:
    """Where the rule starts to count: at its first occurrence from the bound or from now on; now,
    or today, if the text names no day and no time."""
    earliest = bounds.start or _floor(pattern, rule, now)
    if not any(name.startswith("BY") for name in rule):
        return earliest
    once = {name: part for name, part in rule.items() if name != "INTERVAL"}
    occurrences = rrulestr(_format_rule(once), dtstart=earliest)
    if rule["FREQ"] in _FREQUENCIES_IN_DAY or (bounds.start is not None and bounds.start > now):
        return _after(occurrences, earliest, inclusive=True)
    if bounds.start is not None and pattern.interval > 1:  # every other one since then
        first = _after(occurrences, earliest, inclusive=True)
        occurrences = rrulestr(_format_rule(rule), dtstart=first)
    return _after(occurrences, now, inclusive=False)


def _floor(pattern: RecurrencePattern, rule: _Rule, now: datetime) -> datetime:
    """The start of today; the present minute of what recurs within a day at no certain hours."""
    if pattern.unit in CLOCK_UNITS and "BYHOUR" not in rule:
        return now.replace(second=now.second if pattern.unit == "second" else 0, microsecond=0)
    return datetime.combine(now.date(), time())


def _find_next(
    pattern: RecurrencePattern,
    rule: _Rule,
    start: datetime,
    now: datetime,
    excluded: Iterable[Interval],
) -> datetime | None:
    """The first occurrence after now that is not left out."""
    left_out = [
        tuple([end.replace(tzinfo=None) if end else None for end in (one.start, one.end)])
        for one in excluded
    ]
    step = _STEPS.get(pattern.unit)
    if start < now and step is not None and not pattern.count:
        # Periods that are over are not counted one by one: there may be millions.
        start += (now - start) // (step * pattern.interval) * (step * pattern.interval)
    occurrences = rrulestr(_format_rule(rule), dtstart=start)
    found = _after(occurrences, now, inclusive=False)
    for _ in range(_MAX_SKIPPED):
        if found is None or not any(
            (first is None or first <= found) and (end is None or found < end)
            for first, end in left_out
        ):
            return found
        found = _after(occurrences, found, inclusive=False)
    return None


def _after(occurrences: Any, at: datetime, *, inclusive: bool) -> datetime | None:
    found: datetime | None = occurrences.after(at, inc=inclusive)
    return found
