"""Recurrence patterns: what a text says of recurring times, before it is resolved.

The operations of the tables ``recurrences.yaml`` compose them while a text is parsed. One returns
None for parts that do not go together ("every Monday" and "in the year 2024 BC"), and that rule
produces nothing then.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any, Literal, TypeAlias

from anaphora.entities.builtin.dates.operations.durations import (
    duration_seconds,
    evaluate_duration,
)
from anaphora.entities.builtin.dates.operations.named_periods import SEASONS
from anaphora.entities.builtin.dates.operations.registry import TimeExpression, iter_expressions

__all__ = [
    "CLOCK_UNITS",
    "RECURRENCE_OPERATIONS",
    "WEEKEND",
    "WORKDAYS",
    "Patterns",
    "RecurrencePattern",
    "Unit",
    "can_bound",
    "is_within_day",
    "leave_out_date",
    "share_bounds",
    "unranked",
    "weekdays_of",
]

Unit: TypeAlias = Literal["second", "minute", "hour", "day", "week", "month", "year"]

CLOCK_UNITS = ("second", "minute", "hour")
"""The units that recur within a day."""

WEEKEND, WORKDAYS = 7, 8
"""The days of the weekend and the other ones, beside the weekdays (0 is Monday): which they are
depends on the region."""

_UNIT_SECONDS: Mapping[str, int] = {
    "second": 1, "minute": 60, "hour": 3600, "day": 86_400, "night": 86_400, "week": 604_800,
}  # fmt: skip
_UNIT_MONTHS: Mapping[str, int] = {
    "month": 1, "quarter": 3, "season": 3, "half": 6, "year": 12, "decade": 120, "century": 1200,
}  # fmt: skip
# What a rule can count in, the longest first.
_MONTH_SIZES: tuple[tuple[Unit, int], ...] = (("year", 12), ("month", 1))
_SECOND_SIZES: tuple[tuple[Unit, int], ...] = (
    ("week", 604_800), ("day", 86_400), ("hour", 3600), ("minute", 60), ("second", 1),
)  # fmt: skip
_MAX_INTERVAL = 9999
_MAX_COUNT = 9999
_MAX_TIMES = 1000
_MAX_MONTH_DAY = 31
_MIN_MONTH_DAYS = 28
_MAX_RANK = 5  # a month has no sixth Monday
_LEAP_YEAR = 2000
_AMBIGUOUS_RANKS = range(2, 5)
# Of the expressions of dates: those with an open end, periods of several days, single days.
_OPEN_RANGES = frozenset({"until", "before", "onward", "after", "since", "since_or_from"})
_PERIODS = frozenset({
    "span", "coming", "during", "lasting", "in_week", "month", "month_of", "next_month", "year",
    "season", "next_season", "season_of", "week_of_year", "quarter", "half_year", "in_year",
    "nth_part", "edge", "some", "first", "last", "decade", "cell", "weekend", "cell_of", "alike",
})  # fmt: skip
_DAYS = frozenset({
    "weekday", "this_weekday", "on_weekday", "monthday", "day_of_month", "ymd", "nth_weekday",
    "weekday_in", "weekday_beside", "nth_weekday_of_year", "easter", "named_day", "official_day",
    "beside", "ahead", "later", "later_weekday", "nth_workday", "workday_beside",
})  # fmt: skip
# What has a time of day: no beginning or end, except for what recurs within a day.
_TIMES = frozenset({"clock", "at", "within", "part", "now"})
_DAILY_HOURS = frozenset({"times", "at_times", "daily", "at_now", "never", "missing"})
_SHORT_CELLS = ("day", "weekend")


@dataclass(frozen=True, slots=True)
class RecurrencePattern:
    """What a text says of times that recur every ``interval`` units.

    ``weekdays`` have a rank, which is 0 for every such day and -1 for the last one of the month or
    the year. ``rank`` is that among all of the weekdays (the last working day). ``clocks`` are
    times of day, ``hours`` the daily start and end, ``length`` is how long each one lasts, ``part``
    is a part of the day, ``zone`` the time zone of all these. ``times`` says how often in that
    time, if not when (twice a day). ``bounds``, ``lasting`` and ``count`` say
    from when on and how long, ``excluded`` the dates and ``skipped`` the weekdays that are left
    out.
    """

    unit: Unit
    interval: int = 1
    months: tuple[int, ...] = ()
    monthdays: tuple[int, ...] = ()
    weekdays: tuple[tuple[int, int], ...] = ()
    rank: int = 0
    clocks: tuple[TimeExpression, ...] = ()
    hours: tuple[TimeExpression, TimeExpression] | None = None
    length: TimeExpression | None = None
    part: str = ""
    zone: str = ""
    times: int = 0
    bounds: tuple[TimeExpression, ...] = ()
    lasting: TimeExpression | None = None
    count: int = 0
    excluded: tuple[TimeExpression, ...] = ()
    skipped: tuple[int, ...] = ()

    @property
    def is_bare(self) -> bool:
        """Whether no days are named (every week)."""
        return not (self.months or self.monthdays or self.weekdays)

    @property
    def has_time(self) -> bool:
        """Whether the time of day is said."""
        return bool(self.clocks or self.hours or self.part)


Patterns: TypeAlias = tuple[RecurrencePattern, ...]
"""The patterns that a text may mean, the likeliest first."""

_Weekdays: TypeAlias = tuple[int, ...]
_Change: TypeAlias = Callable[..., RecurrencePattern | None]


# Days


def _span_days(first: int, last: int) -> _Weekdays:
    """Monday to Friday; Saturday to Tuesday."""
    return tuple([(first + shift) % 7 for shift in range((last - first) % 7 + 1)])


def _join(one: tuple[Any, ...], other: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """Both lists; None if they share an item."""
    return None if {*one} & {*other} else (*one, *other)


def _is_whole(number: Any, most: int) -> bool:
    """Whether a number, which may be a fraction, is a whole one from 1 on."""
    return isinstance(number, int) and 1 <= number <= most


# Patterns by themselves


def _every(unit: str, interval: Any = 1) -> Patterns | None:
    """Every week, every third week."""
    if unit == "weekend":
        return _on((WEEKEND,), interval)
    return _each(("amount", Fraction(interval), unit))


def _each(duration: TimeExpression) -> Patterns | None:
    """Every two weeks, every hour and a half."""
    try:
        most = evaluate_duration(duration)
    except (ValueError, OverflowError):
        return None
    if any(part[0] == "range" for part in iter_expressions(duration)):
        return None
    if len(most) == 1 and most[0][1] == "weekend":
        return _on((WEEKEND,), most[0][0])
    months = sum((n * _UNIT_MONTHS.get(unit, 0) for n, unit in most), Fraction())
    seconds = sum((n * _UNIT_SECONDS.get(unit, 0) for n, unit in most), Fraction())
    if bool(months) == bool(seconds):
        return None
    said = {unit for _, unit in most}
    # "Every 12 months" and "every 24 hours" keep their unit.
    sizes = _MONTH_SIZES if months else _SECOND_SIZES
    for unit, size in sorted(sizes, key=lambda one: one[0] not in said):
        interval = (months or seconds) / size
        if interval.denominator == 1 and interval <= _MAX_INTERVAL:
            return (RecurrencePattern(unit, int(interval)),)
    return None


def _on(days: _Weekdays, interval: int | Fraction = 1) -> Patterns | None:
    """Every Monday and Thursday, every other Tuesday."""
    if interval.denominator != 1 or not _is_whole(int(interval), _MAX_INTERVAL):
        return None
    return (RecurrencePattern("week", int(interval), weekdays=unranked(days)),)


def _ranked(ranks: tuple[int, ...], days: _Weekdays) -> Patterns | None:
    """The first and the third Monday of every month, the last working day."""
    if not all(_is_whole(abs(rank), _MAX_RANK) for rank in ranks):
        return None
    if days == (WORKDAYS,):
        if len(ranks) > 1:
            return None
        return (RecurrencePattern("month", weekdays=unranked(days), rank=ranks[0]),)
    return (RecurrencePattern("month", weekdays=(*product(ranks, days),)),)


def _ranked_or_every(ranks: tuple[int, ...], days: _Weekdays) -> Patterns | None:
    """Every second Tuesday: every other one, or the second one of each month."""
    ranked = _ranked(ranks, days)
    if len(ranks) > 1 or ranks[0] not in _AMBIGUOUS_RANKS:
        return ranked
    every = _on(days, ranks[0])
    return every and ranked and (*every, *ranked)


def _on_monthdays(numbers: tuple[int, ...]) -> Patterns | None:
    """On the 1st and the 15th, on the last day (-1) of every month."""
    if not all(_is_whole(abs(one), _MAX_MONTH_DAY) for one in numbers):
        return None
    return (RecurrencePattern("month", monthdays=numbers),)


def _dated(days: _Weekdays, number: int) -> Patterns | None:
    """Every Friday the 13th."""
    patterns = _on_monthdays((number,))
    return patterns and (replace(patterns[0], weekdays=unranked(days)),)


def _of_each(pattern: RecurrencePattern, unit: str) -> RecurrencePattern | None:
    """The days of a month that are the first or the last ones of a longer period: the last day of
    every quarter."""
    size = _UNIT_MONTHS.get(unit)
    if size is None or 12 % size:
        return None
    ranks = (pattern.rank, *pattern.monthdays, *[rank for rank, _ in pattern.weekdays])
    are_last = {rank < 0 for rank in ranks if rank}
    if len(are_last) != 1 or (size > 1 and max(pattern.monthdays, default=0) > _MIN_MONTH_DAYS):
        return None
    months = tuple(range(size if are_last.pop() else 1, 13, size)) if size > 1 else ()
    return replace(pattern, months=months)


def _edges(name: str) -> Patterns | None:
    """The first or the last day of a month, as its beginning or its end."""
    days = {"begin": 1, "end": -1}
    return _on_monthdays((days[name],)) if name in days else None


def _yearly(date_: TimeExpression) -> Patterns | None:
    """Every May 5, every Christmas; every 15th."""
    return _place_in_year(RecurrencePattern("year"), date_)


def _place_in_year(pattern: RecurrencePattern, date_: TimeExpression) -> Patterns | None:
    match date_:
        case ("month", int(month)):
            return (replace(pattern, months=(month,)),)
        case ("season", str(name)):
            return (replace(pattern, months=(3 * SEASONS.index(name) or 12,)),)
        case ("named_day", "friday_13"):
            return _dated((4,), 13)
        case ("monthday", int(month), int(day)) | ("monthday", int(month), int(day), None):
            if 1 <= month <= 12 and 1 <= day <= monthrange(_LEAP_YEAR, month)[1]:
                return (replace(pattern, months=(month,), monthdays=(day,)),)
        case ("nth_weekday_of_year", int(rank), int(day), int(month)):
            return (replace(pattern, months=(month,), weekdays=((rank, day),)),)
        case ("nth_weekday", int(rank), int(day), ("month", int(month))) if abs(rank) <= _MAX_RANK:
            return (replace(pattern, months=(month,), weekdays=((rank, day),)),) if rank else None
        case ("named_day", str(id)):
            from anaphora.entities.builtin.dates.named_days.day_table import (  # takes 2 ms
                find_named_day,
            )
            from anaphora.entities.builtin.dates.named_days.rules import YearlyDays

            rule = find_named_day(id)
            return (
                _place_in_year(pattern, rule.expression) if isinstance(rule, YearlyDays) else None
            )
        case ("day_of_month", int(day)) if pattern.interval == 1:
            return _on_monthdays((day,))
        case ("weekday_of_month", int(day), int(number)) if pattern.interval == 1:
            return _dated((day,), number)
    return None


# Patterns of patterns


def _change_each(change: _Change) -> Callable[..., Patterns | None]:
    """The operation that changes every pattern; those that it cannot change are dropped."""

    def apply(patterns: Patterns | None, *arguments: Any) -> Patterns | None:
        if patterns is None or any(argument is None for argument in arguments):
            return None
        changed = [change(pattern, *arguments) for pattern in patterns]
        return tuple([one for one in changed if one is not None]) or None

    return apply


def _repeat(pattern: RecurrencePattern, times: int) -> RecurrencePattern | None:
    """Twice a week, three times every two days."""
    if pattern.times or not _is_whole(times, _MAX_TIMES):
        return None
    return replace(pattern, times=times)


def _count(pattern: RecurrencePattern, count: int) -> RecurrencePattern | None:
    """For 10 times."""
    is_free = not (pattern.count or pattern.lasting or _is_ended(pattern))
    return replace(pattern, count=count) if is_free and _is_whole(count, _MAX_COUNT) else None


def _last(pattern: RecurrencePattern, duration: TimeExpression) -> RecurrencePattern | None:
    """For three months; at 9 for an hour."""
    if pattern.unit not in CLOCK_UNITS and is_within_day(duration):
        is_free = not (pattern.length or pattern.hours)
        return replace(pattern, length=duration) if is_free else None
    if pattern.count or pattern.lasting or _is_ended(pattern):
        return None
    return replace(pattern, lasting=duration)


def is_within_day(duration: TimeExpression) -> bool:
    """Whether a duration is shorter than a day."""
    try:
        return duration_seconds(evaluate_duration(duration)) < _UNIT_SECONDS["day"]
    except (ValueError, OverflowError):
        return False


def _is_ended(pattern: RecurrencePattern) -> bool:
    return any(bound[0] not in ("onward", "after", "since_or_from") for bound in pattern.bounds)


def _at_clocks(
    pattern: RecurrencePattern, clocks: tuple[TimeExpression, ...]
) -> RecurrencePattern | None:
    """At 9 and at 18."""
    if pattern.clocks or pattern.hours or pattern.unit in CLOCK_UNITS:
        return None
    return replace(pattern, clocks=clocks)


def _within_hours(
    pattern: RecurrencePattern, hours: tuple[TimeExpression, TimeExpression]
) -> RecurrencePattern | None:
    """From 9 to 17."""
    is_free = not (pattern.clocks or pattern.hours or pattern.length)
    return replace(pattern, hours=hours) if is_free else None


def _within_bare_hours(
    pattern: RecurrencePattern, hours: tuple[TimeExpression, TimeExpression]
) -> RecurrencePattern | None:
    """Weekdays 9 to 5; beside other units the numbers may be amounts: every day 5 to 6 cups."""
    return _within_hours(pattern, hours) if pattern.weekdays else None


def _in_part(pattern: RecurrencePattern, part: str) -> RecurrencePattern | None:
    """In the morning."""
    return None if pattern.part or pattern.hours else replace(pattern, part=part)


def _in_zone(pattern: RecurrencePattern, zone: str) -> RecurrencePattern | None:
    """At 9 in Tokyo's time."""
    return replace(pattern, zone=zone) if pattern.has_time and not pattern.zone else None


def _on_days(pattern: RecurrencePattern, days: _Weekdays) -> RecurrencePattern | None:
    """The days of a week: every two weeks on Monday, every hour on weekdays."""
    if not pattern.is_bare or pattern.unit in ("month", "year"):
        return None
    if pattern.unit == "day" and pattern.interval > 1:
        return None
    if any(bound[0] in _OPEN_RANGES and bound[1][0] == "weekday" for bound in pattern.bounds):
        return None  # every week from Monday | to Friday
    unit = "week" if pattern.unit == "day" else pattern.unit
    return replace(pattern, unit=unit, weekdays=unranked(days))


def _on_rank(
    pattern: RecurrencePattern, ranks: tuple[int, ...], days: _Weekdays
) -> RecurrencePattern | None:
    """The days of a month: every two months on the first Monday."""
    if not pattern.is_bare or pattern.unit != "month" or (ranked := _ranked(ranks, days)) is None:
        return None
    return replace(pattern, weekdays=ranked[0].weekdays, rank=ranked[0].rank)


def _on_numbers(pattern: RecurrencePattern, numbers: tuple[int, ...]) -> RecurrencePattern | None:
    """The days of a month by number: every month on the 1st and the 15th."""
    if not pattern.is_bare or pattern.unit != "month":
        return None
    found = _on_monthdays(numbers)
    return replace(pattern, monthdays=found[0].monthdays) if found else None


def _without_days(pattern: RecurrencePattern, days: _Weekdays) -> RecurrencePattern | None:
    """Except on Sundays."""
    if not pattern.weekdays and (pattern.unit == "week" or not _can_skip_days(pattern)):
        return None
    if pattern.rank or any(rank for rank, _ in pattern.weekdays):
        return None
    every_day = pattern.unit == "day" and pattern.interval == 1
    return replace(
        pattern,
        unit="week" if every_day else pattern.unit,
        weekdays=pattern.weekdays or unranked(range(7)),
        skipped=(*pattern.skipped, *days),
    )


def _can_skip_days(pattern: RecurrencePattern) -> bool:
    return pattern.unit in ("day", *CLOCK_UNITS) or bool(pattern.monthdays)


def unranked(days: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """The weekdays, every one of them."""
    return tuple([(0, day) for day in days])


def leave_out_date(pattern: RecurrencePattern, date_: TimeExpression) -> RecurrencePattern | None:
    """Except on Sundays, in August, on December 25."""
    if (days := weekdays_of(date_)) is not None:
        return _without_days(pattern, days)
    if date_[0] == "month" and len(date_) == 2 and not pattern.months:
        return replace(pattern, months=tuple([one for one in range(1, 13) if one != date_[1]]))
    is_date = date_[0] in _DAYS | _PERIODS
    return replace(pattern, excluded=(*pattern.excluded, date_)) if is_date else None


def weekdays_of(date_: TimeExpression) -> _Weekdays | None:
    """The weekdays that recur where the text gives no date of its own."""
    match date_:
        case ("weekday", int(day)):
            return (day,)
        case ("span", ("weekday", int(first)), ("weekday", int(last))):
            return _span_days(first, last)
        case ("workweek",):
            return (WORKDAYS,)
        case ("weekend",) | ("cell", "weekend"):
            return (WEEKEND,)
    return None


def _narrow(pattern: RecurrencePattern, date_: TimeExpression) -> RecurrencePattern | None:
    """What a date says beside a recurrence: the time (at 9, in the morning, from 9 to 17), the days
    (on Mondays, on May 5), or from when on and how long (from March 1, until June, this year)."""
    match date_:
        case ("clock", clock):
            return _at_clocks(pattern, (clock,))
        case ("part", part):
            return _in_part(pattern, part)
        case ("times", first, last):
            return _within_hours(pattern, (first, last))
        case ("in_zone", time, str(zone)):
            placed = _narrow(pattern, time)
            return placed and _in_zone(placed, zone)
        case ("at", day, clock):
            placed = _narrow(pattern, day)
            return placed and _at_clocks(placed, (clock,))
        case ("within", day, part):
            placed = _narrow(pattern, day)
            return placed and _in_part(placed, part)
        case ("at_times", day, first, last) | ("daily", day, first, last):
            placed = _narrow(pattern, day)
            return placed and _within_hours(placed, (first, last))
    is_year = pattern.unit == "year" and pattern.is_bare
    if is_year and (placed_in_year := _place_in_year(pattern, date_)):
        return placed_in_year[0] if placed_in_year[0].unit == "year" else None
    if date_[0] == "day_of_month" and len(date_) == 2:
        return _on_numbers(pattern, (date_[1],))
    if (days := weekdays_of(date_)) is not None and not _is_day_of_hours(pattern, date_):
        return _on_days(pattern, days)
    return replace(pattern, bounds=(*pattern.bounds, date_)) if can_bound(pattern, date_) else None


def _is_day_of_hours(pattern: RecurrencePattern, date_: TimeExpression) -> bool:
    """Every hour on Monday is the next Monday; every hour on weekdays is not."""
    return pattern.unit in CLOCK_UNITS and date_[0] == "weekday"


def can_bound(pattern: RecurrencePattern, date_: TimeExpression) -> bool:
    """Whether a recurrence can begin or end with a date, or be within it."""
    name = date_[0]
    within_day = pattern.unit in CLOCK_UNITS
    if name in ("until", "before", "span", "lasting") and (pattern.count or pattern.lasting):
        return False
    if len(pattern.bounds) > 1 or (pattern.bounds and name not in _OPEN_RANGES):
        return False
    said = {part[0] for part in iter_expressions(date_)}
    if said & _DAILY_HOURS or (said & _TIMES and not within_day):
        return False
    if name in _OPEN_RANGES:
        end = date_[1][0]
        is_range = end in _OPEN_RANGES or end == "span"
        # "Weekly" and "Friday" are a day of each week, rather than an end within one.
        is_too_short = end == "weekday" and pattern.unit in ("week", "month", "year")
        return not is_range and not (is_too_short and name in ("until", "before"))
    if name in _DAYS or (name == "cell" and date_[1] in _SHORT_CELLS):
        return within_day and pattern.unit != "second"  # every second Tuesday
    return name in _PERIODS


def share_bounds(parts: Sequence[Patterns]) -> list[Patterns]:
    """The parts of "every other Monday at 9 and Friday at 10 until June": they have in common the
    interval, which the first one has, and the beginning and the end, if only one part has any."""
    if len(parts) == 1:
        return [*parts]
    bounded = [part[0] for part in parts if part[0].bounds or part[0].lasting]
    common = bounded[0] if len(bounded) == 1 else RecurrencePattern("day")
    interval = parts[0][0].interval
    return [
        tuple(
            [
                replace(
                    pattern,
                    interval=interval if pattern.interval == 1 else pattern.interval,
                    bounds=pattern.bounds or common.bounds,
                    lasting=pattern.lasting or common.lasting,
                )
                for pattern in part
            ]
        )
        for part in parts
    ]


RECURRENCE_OPERATIONS: Mapping[str, Callable[..., Any]] = {
    "days": lambda *days: days,
    "none": lambda: (),  # words that only look like a recurrence: the whole week
    "dayspan": _span_days,
    "weekenddays": lambda: (WEEKEND,),
    "workdays": lambda: (WORKDAYS,),
    "join": _join,
    "list": lambda *items: items,
    "every": _every,
    "each": _each,
    "weekly": _on,
    "ranked": _ranked,
    "ranked_or_every": _ranked_or_every,
    "monthdays": _on_monthdays,
    "dated": _dated,
    "of_each": lambda days, unit: _change_each(_of_each)(days, unit) or (),
    "edges": _edges,
    "yearly": _yearly,
    "yearly_only": lambda date_: _yearly(date_) or (),  # February 30 is not every February
    "repeat": _change_each(_repeat),
    "count": _change_each(_count),
    "lasts": _change_each(_last),
    "clocks": _change_each(_at_clocks),
    "between_hours": _change_each(_within_hours),
    "between_bare_hours": _change_each(_within_bare_hours),
    "zoned": _change_each(_in_zone),
    "in_part": _change_each(_in_part),
    "on_days": _change_each(_on_days),
    "on_rank": _change_each(_on_rank),
    "on_numbers": _change_each(_on_numbers),
    "except_days": _change_each(_without_days),
    "except_date": _change_each(leave_out_date),
    "narrow": _change_each(_narrow),
}
"""The operations of recurrences, by their names in the tables. They return patterns, lists of
weekdays or numbers, or None."""
