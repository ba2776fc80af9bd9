"""Compile the time expressions of date rules: ``weekday($weekday, 1)``.

An expression becomes a function of the meanings of the items that the rule references. Most of its
operations are parts of the time expression and are evaluated for a question
(:mod:`~anaphora.entities.builtin.dates.operations`). The operations here are applied while a text
is parsed; one that returns None refuses the rule for these items.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from fractions import Fraction
from functools import cache
from typing import Any

from anaphora.entities.builtin.chart_parser import BuildMeaning
from anaphora.entities.builtin.dates.intervals import CLOCK_GRAINS, GRAINS
from anaphora.entities.builtin.dates.named_days.calendars import ISLAMIC_YEARS
from anaphora.entities.builtin.dates.operations import OPERATION_NAMES
from anaphora.entities.builtin.dates.operations.clock_times import (
    CLOCK_OPERATIONS,
    HALF_DAY,
    evaluate_clock,
)
from anaphora.entities.builtin.dates.operations.durations import (
    duration_seconds,
    evaluate_duration,
    finest_grain,
)
from anaphora.entities.builtin.dates.operations.expression_analysis import assumed_unit
from anaphora.entities.builtin.dates.operations.recurrence_patterns import RECURRENCE_OPERATIONS
from anaphora.entities.builtin.dates.operations.registry import TimeExpression, iter_expressions

__all__ = ["compile_expression"]

_EDGE_DAYS: Mapping[str, int] = {"begin": 1, "first": 1, "end": -1, "last": -1}
_FIRST_EVENING_HOUR = 5
_FIRST_BARE_HOUR = 5
_LAST_SHORT_YEAR = 49  # of this century
_FIRST_WORKING_HOUR = 8
_WEEK = 7  # days
_SHORTEST_MONTH = 28
_MINUTES = 60  # of an hour
# What "not" makes of an open interval: not after five is until five.
_NEGATED: Mapping[str, str] = {"after": "until", "before": "onward", "until": "onward"}
# What a refusal behind it makes of one: if it won't do until Friday, it will after that.
_REFUSED: Mapping[str, str] = {**_NEGATED, "until": "after", "onward": "before"}
_PARTS_OF_DAYS = ("part", "within")  # operations
_START_OF_DAY: TimeExpression = ("clock24", 0, 0)
_END_OF_DAY: TimeExpression = ("clock24", 24, 0)
_OPEN_INTERVALS = frozenset(
    {"until", "since", "since_or_from", "onward", "before", "after", "both"}
)  # operations
_WEEKDAYS_BESIDE = frozenset({"later_weekday", "earlier_weekday"})  # operations
_NO_DAYS = _OPEN_INTERVALS | _WEEKDAYS_BESIDE
_NO_OFFSET = 99  # hours
_NEVER: TimeExpression = ("never",)
_CONSTANTS = (str, int, float)
_NO_NAME = re.compile(r"\$|\b(?=from\()")  # what is part of a name here, but not in Python


@cache
def compile_expression(text: str, references: tuple[str, ...]) -> BuildMeaning:
    """Compile the expression of a rule that has these ``references``. It is written as a call in
    Python, but for the ``$`` of references and the name ``from``.

    Raises ValueError for a text that is no such call, or has an unknown operation.
    """
    try:
        tree = ast.parse(_NO_NAME.sub("_", text), mode="eval").body
    except SyntaxError as error:
        raise ValueError(f"cannot parse {text!r}") from error
    places: dict[str, int] = {}  # the second $date is $date2
    for place, reference in enumerate(references):
        before = references[:place].count(reference)
        name = reference.replace("$", "_")
        places.setdefault(f"{name}{before + 1}" if before else name, place)
    return _compile(tree, places)


def _to_full_year(short: int) -> int | None:
    """The year of '99; None for other numbers."""
    return short + (1900 if short > _LAST_SHORT_YEAR else 2000) if 0 <= short < 100 else None


def _to_paired_year(one: int, other: int) -> int | None:
    """The year of "nineteen eighty-four"; None if the two numbers form no year."""
    return one * 100 + other if 16 <= one <= 20 and 10 <= other < 100 else None


def _to_duration_range(least: Any, most: TimeExpression) -> TimeExpression | None:
    """3 to 4 days, 3 days to a week; None if the ends are not in ascending order."""
    if most[0] == "more":
        most = most[1]
    if not isinstance(least, tuple):
        if most[0] != "amount":
            return None
        least = ("amount", least, *most[2:])
    try:
        is_range = duration_seconds(evaluate_duration(least)) < duration_seconds(
            evaluate_duration(most)
        )
    except ValueError:
        return None
    return ("range", least, most) if is_range and "range" not in (least[0], most[0]) else None


def _to_sum(one: TimeExpression, other: TimeExpression) -> TimeExpression | None:
    """An hour and ten minutes; None unless the units descend (24 hours a day)."""
    try:
        units = [
            [duration_seconds(((Fraction(1), unit),)) for _, unit in evaluate_duration(part)]
            for part in (one, other)
        ]
    except ValueError:
        return None
    return ("sum", one, other) if min(units[0]) > max(units[1]) else None


def _place_in_year(date_: TimeExpression, period: TimeExpression) -> TimeExpression | None:
    """May 5 of next year; None if the date has a year already or ``period`` is no year."""
    is_year = "year" in (period[0], *period[1:2]) and date_[0] != "in_year"
    is_open = assumed_unit(date_) == "year" or date_ == ("missing",)
    return ("in_year", date_, period) if is_year and is_open else None


def _place_in_month(date_: TimeExpression, shift: int) -> TimeExpression | None:
    """The 15th, next month; None if the date has a month of its own."""
    match date_:
        case "day_of_month", day:
            return "day_of_month", day, shift
    return None


def _place_in_century(tens: int, period: TimeExpression) -> TimeExpression | None:
    """The 80s of the last century; None if ``period`` is no century."""
    return ("decade_of", tens, period) if "century" in period[:2] else None


def _place_on_weekday(day: int, date_: TimeExpression) -> TimeExpression | None:
    """Friday, November 13; None if the date has a weekday of its own (Friday, Saturday)."""
    has_own = any("weekday" in str(part[0]) for part in iter_expressions(date_))
    return None if has_own else ("on_weekday", day, date_)


def _place_on_its_weekday(day: int, date_: TimeExpression) -> TimeExpression | None:
    """May 3, 1987, a Sunday; None for a date that has another weekday, or one by the year."""
    match date_:
        case "ymd", int(year), int(month), int(number):
            try:
                is_its = date(year, month, number).weekday() == day
            except ValueError:  # no such day
                return None
            return ("on_weekday", day, date_) if is_its else None
    return None


def _to_minutes_before(clock: TimeExpression, minutes: int) -> TimeExpression | None:
    """Ten to six, which is a range if one is said before; None for a time with minutes: "one to
    6:30" is a range."""
    try:
        is_hour = not evaluate_clock(clock).minutes
    except (LookupError, TypeError, ValueError):  # no such time
        return None
    return ("to_hour", clock, minutes) if is_hour else None


def _to_islamic_year(year: int) -> int | None:
    """A year of the Islamic calendar that needs no word for that; None for others."""
    return year if year in ISLAMIC_YEARS else None


def _place_weekday_in(day: int, period: TimeExpression) -> TimeExpression | None:
    """The Friday of that week; None if ``period`` is a day (Friday, all day)."""
    return None if period[:2] == ("cell", "day") else ("weekday_in", day, period)


def _place_weekday_ago(day: int, duration: TimeExpression) -> TimeExpression | None:
    """Two weeks ago, on a Friday: that of the week then; None for a duration of days or hours."""
    if not _has_weeks(duration):
        return None
    return ("weekday_in", day, ("cell_of", "week", ("ago", duration)))


def _has_weeks(duration: TimeExpression) -> bool:
    """Whether a duration is one of weeks or of longer units."""
    try:
        return GRAINS.index(finest_grain(evaluate_duration(duration))) >= GRAINS.index("week")
    except ValueError:
        return False


def _has_hours(duration: TimeExpression) -> bool:
    """Whether a duration has units that are shorter than a day."""
    try:
        return finest_grain(evaluate_duration(duration)) in CLOCK_GRAINS
    except ValueError:
        return False


def _list_weekdays(days: tuple[int, ...], week: TimeExpression | None) -> TimeExpression | None:
    """Wednesday and Thursday of this week, a date for each; None if they are not in order."""
    if list(days) != sorted(set(days)):
        return None
    if week is None:
        return "listed", *[("weekday", day) for day in days]
    return "listed", *[("weekday_in", day, week) for day in days]


def _place_in_week(days: TimeExpression, period: TimeExpression) -> TimeExpression | None:
    """Monday to Wednesday of next week; None if ``period`` is no week."""
    return ("in_week", days, period) if _is_week(period) else None


def _place_weekday_in_week(day: int, period: TimeExpression) -> TimeExpression | None:
    """Next week, Friday; None if ``period`` is no week."""
    return ("weekday_in", day, period) if _is_week(period) else None


def _is_week(period: TimeExpression) -> bool:
    return "week" in period[:3] or period[0] == "week_of_year"


def _to_two_days(one: TimeExpression, other: TimeExpression) -> TimeExpression | None:
    """December 25 and 26; None if the two days of a month are no neighbours."""
    return ("span", one, other) if other[2] == one[2] + 1 else None


def _accept_several_days(days: TimeExpression) -> TimeExpression | None:
    """Several days, other than a range, that can have daily hours; None for anything else."""
    is_weekend = days[:2] == ("cell", "weekend")
    return days if is_weekend or days[0] in ("weekend", "workweek") else None


def _to_bare_hours(first: int, last: int) -> TimeExpression | None:
    """From 22 to 2, from 9 to 5; from 9 to 18, unless something follows that is counted; from 9 to
    11 beside a day. None if the two can only be a range of numbers."""
    if first > HALF_DAY > last or first > last == 0:
        return ("times", ("clock24", first), ("clock24", last))
    if first > last and first >= _FIRST_BARE_HOUR:
        return ("times", ("time", first), ("time", last))
    if _FIRST_BARE_HOUR <= first <= HALF_DAY < last:
        return ("plain", ("times", ("clock24", first), ("clock24", last)))
    if first < last:
        return ("plain_beside_day", ("times", ("time", first), ("time", last)))
    return None


def _to_night(first: int, last: int, evening: TimeExpression) -> TimeExpression | None:
    """The night behind an ``evening``, from one weekday or day of a month to the next; None if the
    two do not follow each other."""
    is_turn = first - last == _WEEK - 1 if evening[0] == "weekday" else last == 1
    is_last = evening[0] == "weekday" or (evening[0] == "day_of_month" and first >= _SHORTEST_MONTH)
    is_next = last - first == 1 or (is_turn and is_last)
    return ("within", evening, "night") if is_next else None


def _to_working_hours(first: int, last: int) -> tuple[TimeExpression, TimeExpression] | None:
    """Nine to five; None if the two may be a score."""
    is_late = first >= _FIRST_WORKING_HOUR and first != last
    return (("time", first), ("time", last)) if is_late else None


def _negate(
    interval: TimeExpression, opposites: Mapping[str, str] = _NEGATED
) -> TimeExpression | None:
    """Not before eight, not after five on Friday; None for an interval that "not" does not
    change."""
    match interval:
        case ("at_times", day, first, last) if first == _START_OF_DAY:  # before five on that day
            return "onward", ("at", day, last)
        case ("after", ("at", day, clock)) if day[0] not in _PARTS_OF_DAYS:
            return "at_times", day, _START_OF_DAY, clock
        case (str(name), tuple(date_)) if name in opposites:
            return opposites[name], date_
    return None


def _place_bound_on(day: TimeExpression, interval: TimeExpression) -> TimeExpression | None:
    """Tomorrow not before eight; None if the bound is no time of day."""
    match interval:
        case ("onward" | "after", ("clock", clock)):
            return "onward", ("at", day, ("by_day", clock))
        case ("until" | "before", ("clock", clock)):
            return "at_times", day, _START_OF_DAY, ("by_day", clock)
    return None


def _place_bounds_on(
    day: TimeExpression, onwards: TimeExpression, upto: TimeExpression
) -> TimeExpression | None:
    """After three on Monday, but before five; None if a bound is no time of day."""
    match onwards, upto:
        case (("onward" | "after", ("clock", first)), ("until" | "before", ("clock", last))):
            return "at_times", day, ("by_day", first), ("by_day", last)
    return None


def _to_intersection(onwards: TimeExpression, upto: TimeExpression) -> TimeExpression:
    """After five but before seven; after nine but before noon on Friday is on that Friday."""
    match onwards, upto:
        case ((_, ("clock", _)), (str(name), ("at", day, last))):
            placed = _place_bounds_on(day, onwards, (name, ("clock", last)))
            return placed or ("both", onwards, upto)
        case ((_, ("clock", _)), (str(name), ("within", day, "noon"))):
            placed = _place_bounds_on(day, onwards, (name, ("clock", ("clock24", HALF_DAY, 0))))
            return placed or ("both", onwards, upto)
    return "both", onwards, upto


def _place_beside_edge(
    portion: TimeExpression, duration: TimeExpression, sign: int
) -> TimeExpression | None:
    """Three days before the end of May: before its last day, but three hours before its end. None
    for the middle, and for a part of a day."""
    match portion:
        case ("edge", str(edge), whole) if edge in _EDGE_DAYS and whole[0] not in _PARTS_OF_DAYS:
            number = _EDGE_DAYS[edge]
        case ("first" | "last" as edge, ("amount", _, "day"), whole):
            number = _EDGE_DAYS[edge]
        case _:
            return None
    day: TimeExpression = "nth", number, "day", whole
    if number < 0 and _has_hours(duration):
        day = "at", day, _END_OF_DAY
    return "from" if sign > 0 else "before_by", day, duration


def _place_in_part(part: TimeExpression, clock: TimeExpression) -> TimeExpression | None:
    """Eight tonight; None if the number is one of people (a table for two tonight)."""
    is_evening = part[-1] in ("tonight", "evening")
    is_number = is_evening and clock[0] == "time" and clock[1] < _FIRST_EVENING_HOUR
    return None if is_number else ("at", part, clock)


def _replace_part(daypart: TimeExpression, part: str) -> TimeExpression | None:
    """This evening, after dinner: on that day; None for more than a part of a day."""
    match daypart:
        case ("part", str()):
            return "part", part
        case ("within", day, str()):
            return "within", day, part
    return None


def _place_part(daypart: TimeExpression, day: TimeExpression) -> TimeExpression | None:
    """In the evening next Wednesday; None if the part has a day already."""
    return ("within", day, daypart[1]) if daypart[0] == "part" else None


def _begin_at(day: TimeExpression, clock: TimeExpression) -> TimeExpression | None:
    """Saturday from 9 pm; None for a range of hours: from 10 to 12."""
    placed = None if clock[0] == "to_hour" else _place_at(day, clock)
    return placed and ("onward", placed)


def _place_at(date_: TimeExpression, clock: TimeExpression) -> TimeExpression | None:
    """Tomorrow at eight; None if the date has a time of its own (from midnight at two) or no day of
    its own (until Thursday), and for "Friday after five"."""
    has_day = date_[0] not in _NO_DAYS and not _has_time(date_)
    return ("at", date_, clock) if has_day else None


def _to_span(first: TimeExpression, last: TimeExpression) -> TimeExpression | None:
    """From Monday to Friday, tomorrow at three until five; None for the hours of a day that stands
    behind them (from three to five tomorrow)."""
    match first, last:
        case ("at", day, start), ("clock", end):
            return "at_times", day, start, end
        case ("clock", _), ("at", _, _) | ("in_zone", ("at", _, _), _):
            return None
        case (str(name), _), ("clock", _) if name in _WEEKDAYS_BESIDE:
            return None  # el lunes siguiente a las cinco
    return "span", first, last


def _place_at_beside(date_: TimeExpression, clock: TimeExpression) -> TimeExpression | None:
    """The Friday after, at five; None for another date."""
    return ("at", date_, clock) if date_[0] in _WEEKDAYS_BESIDE else None


def _shift_recurring(
    date_: TimeExpression, duration: TimeExpression, sign: int
) -> TimeExpression | None:
    """Christmas in three years, March a year ago; None for a date that does not recur, and for some
    days."""
    if assumed_unit(date_) not in ("week", "month", "year") or not _has_weeks(duration):
        return None
    return ("shifted_ahead" if sign > 0 else "shifted_back", date_, duration)


def _to_offset(hours: int | Fraction) -> str:
    """The offset of a zone from UTC: GMT+5.5. One of too many hours is that of no zone."""
    minutes = round(max(-_NO_OFFSET, min(hours, _NO_OFFSET)) * 60)
    sign = "-" if minutes < 0 else "+"
    return f"{sign}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"


def _clock_to_offset(clock: TimeExpression, sign: int = 1) -> str | None:
    """The offset of a zone from UTC as it is written: +05:30, -0800."""
    if clock[0] not in ("time", "clock24"):
        return None
    hours, minutes = (*clock[1:], 0)[:2]
    return _to_offset(sign * (hours + Fraction(minutes, 60)))


def _place_in_zone(time: TimeExpression, zone: str) -> TimeExpression | None:
    """Nine o'clock in Tokyo's time; None without a time, and with a zone of its own."""
    is_free = all(part[0] != "in_zone" for part in iter_expressions(time))
    return ("in_zone", time, zone) if is_free and _has_time(time) else None


def _has_time(meaning: TimeExpression) -> bool:
    return any(
        part[0] in CLOCK_OPERATIONS or part[0] == "now" for part in iter_expressions(meaning)
    )


_EAGER_OPERATIONS: Mapping[str, Callable[..., Any]] = {
    "add": lambda one, other: one + other,
    "mul": lambda one, other: one * other,
    "minus": lambda one: -one,
    "atleast": lambda number, least: number if number >= least else None,
    "within_hour": lambda number: number if 1 <= number < _MINUTES else None,
    "tohour": _to_minutes_before,
    "paired": _to_paired_year,
    "upto": _to_duration_range,
    "inyear": _place_in_year,
    "inmonth": _place_in_month,
    "decadein": _place_in_century,
    "inweek": _place_in_week,
    "weekdayof": _place_weekday_in_week,
    "islamicyear": _to_islamic_year,
    "on_weekday": _place_on_weekday,
    "on_its_weekday": _place_on_its_weekday,
    "weekday_in": _place_weekday_in,
    "weekday_ago": _place_weekday_ago,
    "listed": lambda days, week=None: _list_weekdays(days, week),
    "daily": lambda days, hours: ("daily", days, *hours),
    "hoursof": lambda day, hours: ("at_times", day, *hours),
    "twodays": _to_two_days,
    "several": _accept_several_days,
    "barehours": _to_bare_hours,
    "overnight": _to_night,
    "span": _to_span,
    # From ten to six tomorrow, where the day stands before its time
    "spanto": lambda clock, day, other: ("span", ("clock", clock), ("at", day, other)),
    "sum": _to_sum,
    "workhours": _to_working_hours,
    "negated": _negate,
    "refused": lambda interval: _negate(interval, _REFUSED),
    "boundon": _place_bound_on,
    "both": _to_intersection,
    "boundson": _place_bounds_on,
    "besideedge": _place_beside_edge,
    "at": _place_at,
    "from_time": _begin_at,
    "at_beside": _place_at_beside,
    "evening_at": _place_in_part,
    "otherpart": _replace_part,
    "partof": _place_part,
    "shift": _shift_recurring,
    "inzone": _place_in_zone,
    "ides": lambda month: ("monthday", month, 15 if month in (3, 5, 7, 10) else 13),
    "offset": _to_offset,
    "offset_ahead": _clock_to_offset,
    "offset_back": lambda clock: _clock_to_offset(clock, -1),
    "shortyear": _to_full_year,
    "pair": lambda one, other: (one, other),
    "timesof": lambda hours: ("times", *hours),
    # Before a date the first Friday is, like the last one, the nearest; after it none is the last,
    # which has the invalid rank 0.
    "back": lambda rank: -abs(rank),
    "forth": lambda rank: max(rank, 0),
    **RECURRENCE_OPERATIONS,
}
_CALLABLE_NAMES = OPERATION_NAMES | _EAGER_OPERATIONS.keys()


def _apply(operation: Callable[..., Any], parts: Sequence[Any]) -> Any:
    """The result of an operation; None if one of its parts is no date: 4 people, 3 pm."""
    return None if _NEVER in parts else operation(*parts)


def _compile(tree: ast.expr, places: Mapping[str, int]) -> BuildMeaning:
    constant: Any
    match tree:
        case ast.Name(id=name) if name.startswith("_"):
            if name not in places:  # optional in the rule and absent here
                return lambda _: None
            place = places[name]
            return lambda meanings: meanings[place]
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
            name = name.removeprefix("_")
            if name not in _CALLABLE_NAMES:
                raise ValueError(f"unknown operation {name!r}")
            builds = [_compile(argument, places) for argument in arguments]
            operation = _EAGER_OPERATIONS.get(name) or (lambda *parts: (name, *parts))
            return lambda meanings: _apply(operation, [build(meanings) for build in builds])
        case ast.Name(id=constant) | ast.Constant(value=constant) if type(constant) in _CONSTANTS:
            pass
        case ast.UnaryOp(ast.USub(), ast.Constant(value=constant)) if type(constant) in _CONSTANTS:
            constant = ast.literal_eval(tree)
        case _:
            raise ValueError(f"cannot parse {ast.unparse(tree)!r}")
    if isinstance(constant, float):
        constant = Fraction(str(constant))
    return lambda _: constant
