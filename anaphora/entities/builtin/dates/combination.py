"""Combine two dates that are parts of one: Friday and at eight, in May and the 5th.

A date says a day or a longer period, a part of the day, and a time. What the new date leaves open
comes from the old one; what both say, the new one replaces. The result is the date that one text
with both would mean, so that the order does not matter where both orders mean the same. A new date
that leaves nothing open is not combined.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

from msgspec.structs import replace as replace_struct

from anaphora.core.utterance import Entity
from anaphora.entities.builtin.atoms import get_atoms
from anaphora.entities.builtin.completion import find_completion
from anaphora.entities.builtin.dates.date_grammar import load_grammar
from anaphora.entities.builtin.dates.date_parser import get_date_parser
from anaphora.entities.builtin.dates.intervals import CLOCK_GRAINS, GRAINS, Grain, Moment
from anaphora.entities.builtin.dates.operations.clock_times import HALF_DAY, evaluate_clock
from anaphora.entities.builtin.dates.operations.durations import evaluate_duration, finest_grain
from anaphora.entities.builtin.dates.operations.expression_analysis import assumed_unit
from anaphora.entities.builtin.dates.operations.registry import TimeExpression, evaluate_bounded
from anaphora.entities.builtin.dates.resolution import (
    ResolvedDate,
    parse_expression,
    resolve_date,
)
from anaphora.entities.builtin.numbers.prefilter import build_prefilter
from anaphora.entities.recognizers.recognizer import Mention

__all__ = ["combine_dates", "create_combiner", "is_relative"]

_SOME_DAY = "some_day"
_TODAY: TimeExpression = ("cell", "day")
_DAY = timedelta(days=1)
_JANUARY = 1
_MAX_DISTANCE = timedelta(hours=2)  # of a time from the part of the day that it is said to be in
_LONGEST_NIGHT = timedelta(hours=12)  # from a time in the evening to one behind midnight
# The operations on one date that make an interval which begins or ends with it.
_STARTS = ("onward", "since", "since_or_from", "after")
_ENDS = ("until", "before")
_PLAIN_NUMBERS: Mapping[str, Any] = MappingProxyType({})  # options
_SHIFTS = {"later": "from", "earlier": "before_by"}  # to the operations with another date
# The operations that name a year, and the grains of what lies in a year.
_DATED = ("ymd", "month_of", "in_year", "season_of")
_LONGER_THAN_DAY = GRAINS[GRAINS.index("day") + 1 :]
_FINER_THAN_YEAR = GRAINS[: GRAINS.index("year")]


class _Time(NamedTuple):
    """What a date says of the time of day: a part of the day, a time or the two of a range."""

    part: str = ""
    clock: tuple[TimeExpression, ...] = ()


class _Reading(NamedTuple):
    """What a date says: ``day`` is a day or a longer period, ``bound`` the operation of an interval
    that is open at one end ("until"). ``start`` and ``end`` are those of the resolved date; None at
    an open end."""

    day: TimeExpression | None
    time: _Time
    bound: str
    expression: TimeExpression
    start: datetime | None
    end: datetime | None
    grain: Grain

    @property
    def period(self) -> Grain | None:
        """The grain of the day or longer period; None without one."""
        if self.day is None:
            return None
        return self.grain if self.time == _Time() or self.is_open else "day"

    @property
    def is_open(self) -> bool:
        """Whether it has a time, but not yet the day: at eight on some day of next week."""
        name: str = self.expression[0]
        return name == _SOME_DAY


def create_combiner(
    name: str, options: Mapping[str, Any], *, is_full: bool
) -> _PartialDateCombiner:
    """Create the combiner of dates; unless it ``is_full``, it only completes dates without a month
    or a start."""
    return _DateCombiner(options) if is_full else _PartialDateCombiner(options)


class _PartialDateCombiner:
    """Completes dates without a month or a start."""

    completes = False

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._options = options

    def combine(self, old: Entity, new: Entity, at: datetime) -> Entity | None:
        if old.element != new.element or not _is_continuation(new):
            return None
        return _continue_date(old, new, self._moment(at))

    def complete(self, old: Entity, text: str, language: str, at: datetime) -> Mention | None:
        return None

    def _moment(self, at: datetime) -> Moment:
        at = at if at.tzinfo is not None else at.replace(tzinfo=UTC)
        first_day = 0 if self._options["week"] == "monday" else 6
        prefer_future = self._options["prefer"] == "future"
        return Moment(at.replace(second=0, microsecond=0), prefer_future, first_day)


class _DateCombiner(_PartialDateCombiner):
    """Combines the parts of dates. What is a time only behind a day (Russian в восемь) completes
    a date."""

    completes = True

    def combine(self, old: Entity, new: Entity, at: datetime) -> Entity | None:
        return combine_dates(old, new, self._moment(at)) if old.element == new.element else None

    def complete(self, old: Entity, text: str, language: str, at: datetime) -> Mention | None:
        if not _may_complete(text, language):
            return None
        completion = _Completion(old, text, language, self._options, self._moment(at))
        return completion.find()


def _may_complete(text: str, language: str) -> bool:
    """A fast negative test: whether there is a number or a word of dates in a text."""
    grammar = load_grammar(language)
    words = (atom.text for atom in get_atoms(text, language))
    may_be_date = any(word in grammar.words and word not in grammar.weak for word in words)
    return may_be_date or build_prefilter(language)(text)


class _Completion(NamedTuple):
    """Reads at the start of a text what is a part of an ``old`` date, and no date by itself."""

    old: Entity
    text: str
    language: str
    options: Mapping[str, Any]
    moment: Moment

    def find(self) -> Mention | None:
        whole = _read(self.old.meta, self.moment)
        if whole is None:
            return None
        return (
            self._find_date()
            or self._find_time()
            or (whole.period in _LONGER_THAN_DAY and self._find_day())
            or self._find_hour(whole)
            or (len(whole.time.clock) == 1 and self._find_half(whole))
            or self._find_day()
            or None
        )

    def _find_date(self) -> Mention | None:
        """A date by itself, which other words hide in its sentence."""
        found = self._parse("", "")
        combined = found and combine_dates(
            self.old, replace_struct(self.old, value=found.value, meta=found.meta), self.moment
        )
        if found is None or combined is None:
            return found
        return replace_struct(found, value=combined.value, meta=combined.meta)

    def _find_time(self) -> Mention | None:
        """A time, or a part of the day, as it stands beside a day: Russian *в восемь*, "evening",
        *утра*."""
        today = self.moment.today.isoformat()
        for before, behind in ((f"{today} ", ""), ("", f" {today}")):
            found = self._parse(before, behind)
            said = found and _read(found.meta, self.moment)
            if found and said and not said.bound and said.time != _Time():
                return self._combine(found, _join(None, said.time))
        return None

    def _find_hour(self, whole: _Reading) -> Mention | None:
        """The hour that a bare number is, of a day or a time."""
        number = self._parse("", "", "number")
        hour = number and number.meta.get("value")
        if number is None or not isinstance(hour, int) or number.meta.get("kind") == "ordinal":
            return None
        if not (whole.time.clock or whole.period == "day"):
            return None
        return self._combine(number, ("clock", ("time", hour)))

    def _find_half(self, whole: _Reading) -> Mention | None:
        """The half of the day of a time: "pm"."""
        try:
            shown = evaluate_clock(whole.time.clock[0])
        except (LookupError, TypeError, ValueError):
            return None
        minutes = f":{shown.minutes:02}" if shown.minutes else ""
        found = self._parse(f"{(shown.hours - 1) % HALF_DAY + 1}{minutes} ", "")
        said = found and _read(found.meta, self.moment)
        if not found or not said or said.bound or said.day or not said.time.clock:
            return None
        is_half = said.time.part or said.time.clock[0][0] in ("am", "pm")
        return self._combine(found, said.expression) if is_half else None

    def _find_day(self) -> Mention | None:
        """The day of a month: Russian *пятого*."""
        month = _find_month_name(self.language)
        found = month and self._parse("", f" {month}")
        said = found and parse_expression(found.meta.get("expression"))
        if not found or not said or said[:2] != ("monthday", _JANUARY):
            return None
        return self._combine(found, ("day_of_month", said[2]))

    def _parse(self, before: str, behind: str, name: str = "date") -> Mention | None:
        """The mention that begins the text, between the words ``before`` and ``behind``; with
        words behind, it is the whole text."""
        options = self.options if name == "date" else _PLAIN_NUMBERS
        return find_completion(
            name, self.language, options, self.text, self.moment.at, before=before, behind=behind
        )

    def _combine(self, found: Mention, said: TimeExpression) -> Mention | None:
        """Combine the old date with what a mention says."""
        part = resolve_date(said, self.moment)
        if part is None:
            return None
        new = replace_struct(self.old, value=part[0], meta=part[1])
        combined = combine_dates(self.old, new, self.moment)
        if combined is None:
            return None
        return replace_struct(found, value=combined.value, meta=combined.meta)


@lru_cache(maxsize=64)
def _find_month_name(language: str) -> str:
    """The name of January beside a day; '' if the language writes it otherwise."""
    parser = get_date_parser(language)
    for name, month in load_grammar(language).months.items():
        text = f"31 {name}"
        if month == _JANUARY and parser.find_dates(text) == [
            (0, len(text), ("monthday", _JANUARY, 31))
        ]:
            return name
    return ""


def combine_dates(old: Entity, new: Entity, moment: Moment) -> Entity | None:
    """Combine two dates; None if the new one replaces the old one, and for other entities. The
    result has the words of the new date, and the text of both unless one replaces a part of the
    other."""
    shifted = _shift(old, new, moment)
    if shifted is not None:
        value, meta = shifted
        return replace_struct(new, value=value, meta=meta)
    first, last = _read(old.meta, moment), _read(new.meta, moment)
    if first is None or last is None:
        return None
    try:
        found = _combine_ranges(first, last, moment) or _combine_points(first, last, moment)
    except (LookupError, TypeError, ValueError, OverflowError):  # no such date
        return None
    if found is None or found[1].get("expression") == new.meta.get("expression"):
        return None
    is_over = "to" in found[1] and found[1]["to"] <= moment.at.timestamp() * 1000
    if is_over and moment.prefer_future and last.end is not None and last.end > moment.at:
        return None
    value, meta = found
    return replace_struct(new, text=_join_texts(old, new, first, last), value=value, meta=meta)


def _shift(old: Entity, new: Entity, moment: Moment) -> ResolvedDate | None:
    """The old date a duration later or earlier, or its time on another day; None unless the new one
    says so ("an hour later", "at the same time on Friday"), and if the old one has no such grain
    ("an hour later" than Friday)."""
    expression = parse_expression(new.meta.get("expression"))
    grain = old.meta.get("grain")
    if expression is None or expression[0] not in (*_SHIFTS, "at_now") or grain not in GRAINS:
        return None
    whole = parse_expression(old.meta.get("expression"))
    if "start" not in old.meta or "end" not in old.meta or whole is None:
        return None
    if whole[0] in ("span", "times", "at_times", "lasting"):
        return None
    start = datetime.fromisoformat(old.meta["start"]).astimezone(moment.zone)
    if expression[0] == "at_now":
        clock = ("clock24", start.hour, start.minute)
        return resolve_date(("at", expression[1], clock), moment) if grain in CLOCK_GRAINS else None
    unit = finest_grain(evaluate_duration(expression[1]))
    if unit in CLOCK_GRAINS and grain not in CLOCK_GRAINS:
        return None
    origin = _ymd(start.date())
    if grain in CLOCK_GRAINS:
        origin = "at", origin, ("clock24", start.hour, start.minute)
    try:
        found = evaluate_bounded((_SHIFTS[expression[0]], origin, expression[1]), moment)
    except (ValueError, OverflowError):
        return None
    day = _ymd(found.start.date())
    if grain in CLOCK_GRAINS:
        return resolve_date(("at", day, ("clock24", found.start.hour, found.start.minute)), moment)
    return resolve_date(day if grain == "day" else ("cell_of", grain, day), moment)


def is_relative(entity: Entity) -> bool:
    """Whether a date is later or earlier than one that was said before: "an hour later"."""
    expression = entity.meta.get("expression")
    return isinstance(expression, list | tuple) and bool(expression) and expression[0] in _SHIFTS


def _continue_date(old: Entity, new: Entity, moment: Moment) -> Entity | None:
    """Resolve a date that leaves its month or its start open by an old date in the future. This
    much is combined in every model."""
    first, last = _read(old.meta, moment), _read(new.meta, moment)
    if first is None or last is None or first.start is None or first.start <= moment.at:
        return None
    if last.bound in _ENDS:
        found = _continue_until(first, last, moment)
    else:
        month = moment.period("month", first.start.date()).start
        found = resolve_date(last.expression, replace(moment, at=max(moment.at, month)))
    return replace_struct(new, value=found[0], meta=found[1]) if found else None


def _is_continuation(new: Entity) -> bool:
    """Whether a date leaves its month or its start open, for another date to say."""
    assumed, expression = new.meta.get("assumed"), new.meta.get("expression")
    return assumed == "month" or bool(assumed and expression and expression[0] in _ENDS)


def _join_texts(old: Entity, new: Entity, first: _Reading, last: _Reading) -> str:
    is_replaced = (first.time.clock and last.time.clock) or (first.time.part and last.time.part)
    is_same = first.period is not None and first.period == last.period and not last.bound
    is_longer = last.period in _LONGER_THAN_DAY and first.period == "day"
    if is_replaced or is_same or is_longer or first.expression[0] == "span":
        return new.text
    if first.bound in _ENDS or (first.day is None and last.day is not None):
        return f"{new.text} {old.text}"
    return f"{old.text} {new.text}"


def _read(meta: Mapping[str, Any], moment: Moment) -> _Reading | None:
    """What a date says, by its metadata; None if that is not known."""
    expression, grain = parse_expression(meta.get("expression")), meta.get("grain")
    if expression is None or grain not in GRAINS:
        return None
    start, end = (
        datetime.fromisoformat(meta[key]).astimezone(moment.zone) if key in meta else None
        for key in ("start", "end")
    )
    inner, bound = expression, ""
    if len(expression) == 2 and expression[0] in (*_STARTS, *_ENDS):
        bound, inner = expression
    day, time = _split(inner)
    if day is not None and time == _Time() and grain in CLOCK_GRAINS:
        return None  # in two hours
    return _Reading(day, time, bound, expression, start, end, grain)


def _split(expression: TimeExpression) -> tuple[TimeExpression | None, _Time]:
    """Split a date into the day, or a longer period, and the time of day."""
    match expression:
        case ("clock", clock):
            return None, _Time(clock=(clock,))
        case ("times", first, last):
            return None, _Time(clock=(first, last))
        case ("part", name):
            return None, _Time(part=name)
        case ("within", day, name):
            return day, _Time(part=name)
        case ("some_day", day, time):
            return day, _split(time)[1]
        case ("at", day, *clock) | ("at_times", day, *clock):
            inner, time = _split(day)
            return inner, time._replace(clock=tuple(clock))
    return expression, _Time()


def _join(day: TimeExpression | None, time: _Time) -> TimeExpression:
    """The date with that day and time of day."""
    if time.part:
        day = ("part", time.part) if day is None else ("within", day, time.part)
    name = "times" if len(time.clock) > 1 else "clock"
    if not time.clock:
        assert day is not None
        return day
    if day is None:
        return (name, *time.clock)
    return ("at" if name == "clock" else "at_times", day, *time.clock)


def _combine_points(first: _Reading, last: _Reading, moment: Moment) -> ResolvedDate | None:
    """Combine the day of one date with the time of the other, or two parts of one day."""
    if last.bound and last.day is not None:
        return None
    if first.bound and first.day is not None:
        if last.day is None and first.period == "day" and first.time == _Time():
            return resolve_date((first.bound, _join(first.day, last.time)), moment)
        day = _place_day(last, first, moment)
        return resolve_date(_join(day, last.time), moment) if day is not None else None
    day = _combine_days(first, last, moment)
    if day is None and (first.day is not None or last.day is not None):
        return _combine_period(first, last, moment)
    says_all = last.day is not None and last.time != _Time()
    time = last.time if says_all else _combine_times(first, last, day, moment)
    bound, expression = last.bound or first.bound, _join(day, time)
    if first.is_open and day is not None and _is_longer_than_day(day, moment):
        expression = _SOME_DAY, day, _join(None, time)
    return resolve_date((bound, expression) if bound else expression, moment)


def _combine_period(first: _Reading, last: _Reading, moment: Moment) -> ResolvedDate | None:
    """The week, or a longer period, of one date with the time of the other, for a day to come:
    next week and at eight. None if neither has one."""
    whole = first if last.day is None else last
    is_period = whole.period in _LONGER_THAN_DAY and not (first.bound or last.bound)
    if whole.day is None or not is_period or (whole is last and last.time != _Time()):
        return None
    time = _combine_times(first, last, None, moment)
    if time == _Time():
        return None
    return resolve_date((_SOME_DAY, whole.day, _join(None, time)), moment)


def _is_longer_than_day(day: TimeExpression, moment: Moment) -> bool:
    return evaluate_bounded(day, moment).grain in _LONGER_THAN_DAY


def _combine_days(first: _Reading, last: _Reading, moment: Moment) -> TimeExpression | None:
    """The day, or longer period, that both dates say; None if there is none, and if the new date
    replaces the old one."""
    if last.day is None:
        return _day_said(first, moment) if first.period == "day" else None
    if first.day is not None:
        found = _place_day(last, first, moment) or _place_day(first, last, moment, is_later=False)
        if found is not None:
            return found
    has_new_time, has_old_time = last.time != _Time(), first.time != _Time()
    if last.period == "day" and has_old_time and not has_new_time:
        return _day_said(last, moment)
    return None


def _day_said(reading: _Reading, moment: Moment) -> TimeExpression:
    """The day of a date on its own: as the text says it, unless that means another day by now."""
    if reading.start is None or reading.day is None:
        raise ValueError("the date has no day")
    day = reading.start.date()
    days = (day - _DAY, day) if reading.time.part else (day,)  # Friday night at one is on Saturday
    again = evaluate_bounded(reading.day, moment).start.date()
    if again not in days:
        return _ymd(day)
    return _TODAY if again == moment.today else reading.day


def _ymd(day: date) -> TimeExpression:
    return "ymd", day.year, day.month, day.day


def _place_day(
    open_: _Reading, whole: _Reading, moment: Moment, *, is_later: bool = True
) -> TimeExpression | None:
    """The day of a date that leaves a week, a month or a year open, in the one of another date;
    None if it does not. Unless the open date ``is_later``, only a period that is no day, and no
    week, tells where it lies: after "on Friday", "next week" is the whole week."""
    day, other = open_.day, whole.day
    if day is None or other is None or whole.start is None:
        return None
    unit, at = assumed_unit(day), whole.start.date()
    period = None if whole.bound else whole.period
    if unit == "week" and day[0] == "weekday" and is_later:
        is_week = period in ("week", "weekend")
        if is_week or (other[0] in ("weekday", "weekday_in") and assumed_unit(other) is None):
            grain = period if is_week else "week"
            return "weekday_in", day[1], ("cell_of", grain, _ymd(at))
    if unit == "month" and day[0] == "day_of_month":
        if period == "month" and (is_later or assumed_unit(other) == "year"):
            return _ymd(at.replace(day=day[1]))
        if is_later and (whole.start > moment.at or not moment.prefer_future):
            base = max(moment.at, moment.period("month", at).start)
            if not moment.prefer_future:
                return _ymd(at.replace(day=day[1]))
            found = evaluate_bounded(day, replace(moment, at=base))
            return _ymd(found.start.date())
    if unit == "year":
        is_in_year = other[0] in _DATED and open_.period in _FINER_THAN_YEAR
        if period == "year" or (is_later and is_in_year):
            return "in_year", day, ("year", at.year)
    return None


def _combine_times(
    first: _Reading, last: _Reading, day: TimeExpression | None, moment: Moment
) -> _Time:
    """The time of day that both dates say: what both say is that of the new one."""
    time = _Time(last.time.part or first.time.part, last.time.clock or first.time.clock)
    if len(time.clock) != 1:
        return time
    (clock,) = time.clock
    shown = evaluate_clock(clock)
    if time.part:
        # A time in the part of the day, or near it ("at five" and "in the evening").
        away = _distance_to_part(_join(day, time), day, time.part, moment)
        is_near = away <= _MAX_DISTANCE if shown.open else not away
        return time if is_near or (shown.open and last.time.clock) else last.time
    if not shown.open or first.start is None:
        return time
    if first.time.clock and last.time.clock:
        # After "at 8 pm", "at nine" is 9 pm.
        old = evaluate_clock(first.time.clock[0]) if first.is_open else None
        if old is not None and old.open:
            return time
        hour = old.hours if old is not None else first.start.hour
        half = "pm" if _is_nearer_after_noon(shown.hours, hour) else "am"
        closed = time._replace(clock=((half, clock),))
        if first.is_open:
            return closed
        found = [resolve_date(_join(day, one), moment) for one in (time, closed)]
        return time if found[0] and found[1] and found[0][0] == found[1][0] else closed
    if first.time.clock and first.day is not None and shown.hours < HALF_DAY <= first.start.hour:
        return time._replace(clock=(("pm", clock),))  # "at eight" of today was 8 pm
    return time


def _is_nearer_after_noon(hours: int, old: int) -> bool:
    hours %= HALF_DAY
    return abs(hours + HALF_DAY - old) < abs(hours - old)


def _distance_to_part(
    expression: TimeExpression, day: TimeExpression | None, part: str, moment: Moment
) -> timedelta:
    """How far a time is from that part of a day; zero inside it."""
    start = evaluate_bounded(expression, moment).start
    whole = evaluate_bounded(_join(day, _Time(part)), moment)
    length = whole.end - whole.start
    behind = (start - whole.start) % _DAY  # without a day, both may be on different ones
    if behind < length:
        return timedelta()
    return min(behind - length + timedelta(minutes=1), _DAY - behind)


def _combine_ranges(first: _Reading, last: _Reading, moment: Moment) -> ResolvedDate | None:
    """Combine the start of a range with its end; None unless one date says the end."""
    if last.bound in _ENDS and first.bound not in _ENDS:
        return _limit_day(first, last, moment) or _continue_until(first, last, moment)
    if first.bound in _ENDS and last.bound not in _ENDS and (last.bound or first.day is None):
        return _continue_until(last, first, moment)
    if last.bound in _STARTS and first.expression[0] == "span":
        until = ("until", first.expression[2])
        return _continue_until(last, first._replace(expression=until, bound="until"), moment)
    return None


def _limit_day(first: _Reading, last: _Reading, moment: Moment) -> ResolvedDate | None:
    """The day of a date until a time that is not after its own: "before noon" of what was Friday
    at eight in the evening, and of Friday. None for a later end, and one in the night behind that
    time."""
    if first.period != "day" or last.day is not None or last.time.part:
        return None
    if first.start is None or len(first.time.clock) > 1 or len(last.time.clock) != 1:
        return None
    day, midnight = _day_said(first, moment), ("clock24", 0, 0)
    if not first.time.clock:
        is_limit = last.bound == "before" and not first.time.part
        by_day = ("by_day", *last.time.clock)
        return resolve_date(("at_times", day, midnight, by_day), moment) if is_limit else None
    clock = _combine_times(first, last, day, moment).clock
    end = evaluate_bounded(_join(day, _Time(clock=clock)), moment).start
    is_next_night = last.bound == "until" and end + _DAY - first.start < _LONGEST_NIGHT
    if end > first.start or is_next_night:
        return None
    return resolve_date(("at_times", day, midnight, *clock), moment)


def _continue_until(first: _Reading, last: _Reading, moment: Moment) -> ResolvedDate | None:
    """The range from a date in the future until another one."""
    start = first.start
    if start is None or start <= moment.at or (last.bound == "before" and last.day is not None):
        return None
    end = last.expression[1]
    found = resolve_date(("until", end), replace(moment, at=start, prefer_future=True))
    if found is None or "start" not in found[1]:
        return None
    clock = ("clock24", start.hour, start.minute)
    from_: TimeExpression = _ymd(start.date())
    if start.time() != datetime.min.time():
        from_ = "at", from_, clock
    value, meta = found
    again = resolve_date(("span", from_, end), moment)
    return again if again is not None and again[0] == value else (value, meta)
