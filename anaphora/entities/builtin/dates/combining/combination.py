"""Combine two dates that are parts of one: Friday and at eight, in May and the 5th.

A date says a day or a longer period, a part of the day, and a time. What the new date leaves open
comes from the old one; what both say, the new one replaces. The result is the date that one text
with both would mean, so that the order does not matter where both orders mean the same. A new date
that leaves nothing open is not combined.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, timedelta

from msgspec.structs import replace as replace_struct

from anaphora.core.utterance import Entity
from anaphora.entities.builtin.dates.combining.readings import (
    ENDS,
    LONGER_THAN_DAY,
    LONGEST_DAY,
    SOME_DAY,
    STARTS,
    DateReading,
    TimeOfDay,
    join_date,
    read_date,
)
from anaphora.entities.builtin.dates.combining.shifting import shift_date
from anaphora.entities.builtin.dates.intervals import GRAINS, Moment
from anaphora.entities.builtin.dates.operations.alternatives import has_numeric_date
from anaphora.entities.builtin.dates.operations.clock_times import HALF_DAY, evaluate_clock
from anaphora.entities.builtin.dates.operations.expression_analysis import assumed_unit
from anaphora.entities.builtin.dates.operations.registry import TimeExpression, evaluate_bounded
from anaphora.entities.builtin.dates.resolution.alternative_dates import (
    resolve_with_alternatives,
)
from anaphora.entities.builtin.dates.resolution.date_resolution import (
    ResolvedDate,
    resolve_date,
)

__all__ = ["combine_dates", "continue_date", "in_half"]

_TODAY: TimeExpression = ("cell", "day")
_DAY = timedelta(days=1)
_MAX_DISTANCE = timedelta(hours=2)  # of a time from the part of the day that it is said to be in
_LONGEST_NIGHT = timedelta(hours=12)  # from a time in the evening to one behind midnight
# The operations that name a year, and the grains of what lies in a year.
_DATED = ("ymd", "month_of", "in_year", "season_of")
_WEEKDAYS = ("weekday", "weekday_in", "next_weekday", "last_weekday")
_FINER_THAN_YEAR = GRAINS[: GRAINS.index("year")]


def combine_dates(old: Entity, new: Entity, moment: Moment) -> Entity | None:
    """Combine two dates; None if the new one replaces the old one, and for other entities. The
    result has the words of the new date, and the text of both unless one replaces a part of the
    other."""
    shifted = shift_date(old.meta, new.meta, moment)
    if shifted is not None:
        return replace_struct(new, value=shifted[0], meta=shifted[1])
    first, last = read_date(old.meta, moment), read_date(new.meta, moment)
    if last is not None and (moved := _shift_to_time(old, new, last, moment)) is not None:
        return moved
    if first is None or last is None:
        return None
    try:
        last = _read_hours(first, last)
        is_numeric = has_numeric_date((old if last.day is None else new).text)
        found = _move_lasting(first, last, moment) or _combine_ranges(first, last, moment)
        found = found or _combine_points(first, last, moment, is_numeric=is_numeric)
    except (LookupError, TypeError, ValueError, OverflowError):  # no such date
        return None
    if found is None or found[1].get("expression") == new.meta.get("expression"):
        return None
    is_over = "to" in found[1] and found[1]["to"] <= moment.at.timestamp() * 1000
    if is_over and moment.prefer_future and last.end is not None and last.end > moment.at:
        return None
    value, meta = found
    return replace_struct(new, text=_join_texts(old, new, first, last), value=value, meta=meta)


def continue_date(old: Entity, new: Entity, moment: Moment) -> Entity | None:
    """Resolve a date that leaves its month or its start open by an old date in the future. This
    much is combined in every model."""
    first, last = read_date(old.meta, moment), read_date(new.meta, moment)
    if first is None or last is None or first.start is None or first.start <= moment.at:
        return None
    if last.bound in ENDS:
        found = _continue_until(first, last, moment)
    else:
        month = moment.period("month", first.start.date()).start
        found = resolve_date(last.expression, replace(moment, at=max(moment.at, month)))
    return replace_struct(new, value=found[0], meta=found[1]) if found else None


def _shift_to_time(old: Entity, new: Entity, last: DateReading, moment: Moment) -> Entity | None:
    """The old date moved to the time of day that is said beside the shift: "the day after at 6".
    None for other dates."""
    if last.day is None or last.time == TimeOfDay() or last.bound:
        return None
    shifted = shift_date(old.meta, {"expression": last.day}, moment)
    if shifted is None:
        return None
    moved = replace_struct(new, value=shifted[0], meta=shifted[1])
    whole = read_date(moved.meta, moment)
    if last.time.part and whole is not None:
        found = resolve_date(join_date(whole.day, last.time), moment)
        return found and replace_struct(new, value=found[0], meta=found[1])
    time = resolve_date(join_date(None, last.time), moment)
    said = time and replace_struct(new, value=time[0], meta=time[1])
    combined = combine_dates(moved, said, moment) if said else None
    return combined and replace_struct(combined, text=new.text)


def _move_lasting(first: DateReading, last: DateReading, moment: Moment) -> ResolvedDate | None:
    """A time with its duration at another time: "at ten" after "at nine for two hours"."""
    is_time = last.day is None and not last.bound and not last.time.part
    if first.expression[0] != "lasting" or not is_time or len(last.time.clock) != 1:
        return None
    if len(first.time.clock) < 2 or first.start is None:
        return None
    clock = in_half(last.time.clock[0], first.start.hour)
    day = None if first.day is None else _day_said(first, moment)
    time = join_date(day, TimeOfDay(clock=(clock,)))
    return resolve_date(("lasting", time, first.expression[2]), moment)


def _read_hours(first: DateReading, last: DateReading) -> DateReading:
    """The new date with the hours that its time is after other hours: "10 to 12", which by itself
    is ten minutes to twelve."""
    match last.time.clock:
        case (("to_hour", hour, int(start)),) if len(first.time.clock) > 1 and start <= HALF_DAY:
            if start != evaluate_clock(hour).hours:
                return last._replace(time=last.time._replace(clock=(("time", start), hour)))
    return last


def _join_texts(old: Entity, new: Entity, first: DateReading, last: DateReading) -> str:
    is_replaced = (first.time.clock and last.time.clock) or (first.time.part and last.time.part)
    is_same = first.period is not None and first.period == last.period and not last.bound
    is_longer = last.period in LONGER_THAN_DAY and first.period == "day"
    if is_replaced or is_same or is_longer or first.expression[0] == "span":
        return new.text
    if first.bound in ENDS or (first.day is None and last.day is not None):
        return f"{new.text} {old.text}"
    return f"{old.text} {new.text}"


def _combine_points(
    first: DateReading, last: DateReading, moment: Moment, *, is_numeric: bool
) -> ResolvedDate | None:
    """Combine the day of one date with the time of the other, or two parts of one day."""
    if last.bound and last.day is not None:
        return None
    is_limited_time = first.bound and first.time != TimeOfDay()
    if first.bound and first.day is not None and not is_limited_time:
        if last.day is None and first.period == "day":
            return _resolve_bounded(first.bound, join_date(first.day, last.time), moment)
        day = _place_day(last, first, moment)
        return resolve_date(join_date(day, last.time), moment) if day is not None else None
    day = _combine_days(first, last, moment)
    if day is None and (first.day is not None or last.day is not None):
        return _combine_period(first, last, moment)
    says_all = last.day is not None and last.time != TimeOfDay()
    time = last.time if says_all else _combine_times(first, last, day, moment)
    has_new_clock = first.time.clock and last.time.clock  # "at six" is no longer "after five"
    bound = last.bound or ("" if has_new_clock else first.bound)
    expression = join_date(day, time)
    if time != TimeOfDay() and day is not None and _is_longer_than_day(day, moment):
        expression = SOME_DAY, day, join_date(None, time)
    if zone := last.zone or first.zone:
        expression = "in_zone", expression, zone
    if has_new_clock:  # in the half of the day of the old one
        return resolve_date((bound, expression) if bound else expression, moment)
    if bound:
        return _resolve_bounded(bound, expression, moment)
    return resolve_with_alternatives(expression, moment, is_numeric=is_numeric)


def _resolve_bounded(bound: str, date: TimeExpression, moment: Moment) -> ResolvedDate | None:
    """A date that is a limit, at the usual hours if there are any."""
    if moment.conventions.hours is None:
        return resolve_date((bound, date), moment)
    return resolve_with_alternatives((bound, date), moment, is_numeric=False)


def _combine_period(first: DateReading, last: DateReading, moment: Moment) -> ResolvedDate | None:
    """The week, or a longer period, of one date with the time of the other, for a day to come:
    next week and at eight. None if neither has one."""
    whole = first if last.day is None else last
    is_period = whole.period in LONGER_THAN_DAY and not (first.bound or last.bound)
    if whole.day is None or not is_period or (whole is last and last.time != TimeOfDay()):
        return None
    time = _combine_times(first, last, None, moment)
    if time == TimeOfDay():
        return None
    return resolve_date((SOME_DAY, whole.day, join_date(None, time)), moment)


def _is_longer_than_day(day: TimeExpression, moment: Moment) -> bool:
    found = evaluate_bounded(day, moment)
    return found.grain in LONGER_THAN_DAY or found.end - found.start > LONGEST_DAY


def _combine_days(first: DateReading, last: DateReading, moment: Moment) -> TimeExpression | None:
    """The day, or longer period, that both dates say; None if there is none, and if the new date
    replaces the old one."""
    if last.day is None:
        return _day_said(first, moment) if first.period == "day" else None
    if first.day is not None:
        found = _place_day(last, first, moment) or _place_day(first, last, moment, is_later=False)
        if found is not None:
            return found
    has_new_time, has_old_time = last.time != TimeOfDay(), first.time != TimeOfDay()
    if last.period == "day" and has_old_time and not has_new_time:
        return _day_said(last, moment)
    return None


def _day_said(reading: DateReading, moment: Moment) -> TimeExpression:
    """The day of a date on its own: as the text says it, unless that means another day by now."""
    if reading.start is None or reading.day is None:
        raise ValueError("the date has no day")
    if reading.day[0] == "lasting" and reading.period == "day":
        return "lasting", _day_said(reading._replace(day=reading.day[1]), moment), reading.day[2]
    day = reading.start.date()
    days = (day - _DAY, day) if reading.time.part else (day,)  # Friday night at one is on Saturday
    again = evaluate_bounded(reading.day, moment).start.date()
    if again not in days:
        return _ymd(day)
    return _TODAY if again == moment.today else reading.day


def _ymd(day: date) -> TimeExpression:
    return "ymd", day.year, day.month, day.day


def _place_day(
    open_: DateReading, whole: DateReading, moment: Moment, *, is_later: bool = True
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
        if is_week or (other[0] in _WEEKDAYS and assumed_unit(other) is None):
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
    first: DateReading, last: DateReading, day: TimeExpression | None, moment: Moment
) -> TimeOfDay:
    """The time of day that both dates say: what both say is that of the new one."""
    time = TimeOfDay(last.time.part or first.time.part, last.time.clock or first.time.clock)
    if len(last.time.clock) > 1 and first.time.clock and first.start is not None:
        return _place_range(time, first.start.hour)
    if len(time.clock) != 1:
        is_other_part = last.time.part and first.time.clock and not last.time.clock
        return last.time if is_other_part and _is_outside(time, first, day, moment) else time
    (clock,) = time.clock
    shown = evaluate_clock(clock)
    if time.part:
        # A time in the part of the day, or near it ("at five" and "in the evening").
        away = _distance_to_part(join_date(day, time), day, time.part, moment)
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
        half = _choose_half(shown.hours, hour, moment)
        closed = time._replace(clock=((half, clock),))
        if first.is_open:
            return closed
        found = [resolve_date(join_date(day, one), moment) for one in (time, closed)]
        return time if found[0] and found[1] and found[0][0] == found[1][0] else closed
    if first.time.clock and first.day is not None and shown.hours < HALF_DAY <= first.start.hour:
        return time._replace(clock=(("pm", clock),))  # "at eight" of today was 8 pm
    return time


def _place_range(time: TimeOfDay, hour: int) -> TimeOfDay:
    """A range of times in the half of the day that is nearer to the ``hour`` of the old one, if it
    says neither: "from 4 to 6" after "from 1 pm to 3 pm"."""
    first, last = time.clock
    if time.part or not evaluate_clock(last).open:
        return time
    return time._replace(clock=(in_half(first, hour), last))


def in_half(clock: TimeExpression, hour: int) -> TimeExpression:
    """A time in the half of the day that is nearer to an ``hour``, if it says none."""
    shown = evaluate_clock(clock)
    if not shown.open:
        return clock
    return "pm" if _is_nearer_after_noon(shown.hours, hour) else "am", clock


def _choose_half(hours: int, old: int, moment: Moment) -> str:
    """The half of the day of a time, nearer to the hour of the old one, but within the usual hours
    if the other half is: "10" after "6 pm", in a shop that closes at 7."""
    noon = {"am": 0, "pm": HALF_DAY}
    halves = ["pm", "am"] if _is_nearer_after_noon(hours, old) else ["am", "pm"]
    if usual := moment.conventions.hours:
        first, last = usual
        halves.sort(key=lambda half: not first <= hours % HALF_DAY + noon[half] < last)
    return halves[0]


def _is_nearer_after_noon(hours: int, old: int) -> bool:
    hours %= HALF_DAY
    return abs(hours + HALF_DAY - old) < abs(hours - old)


def _is_outside(
    time: TimeOfDay, first: DateReading, day: TimeExpression | None, moment: Moment
) -> bool:
    """Whether the times of an old range are not in the part of the day: in the evening after
    "from 9 to 11 am"."""
    if first.start is None or first.end is None:
        return True
    found = evaluate_bounded(join_date(day, time), moment)
    away = _distance_to_part(join_date(day, time), day, time.part, moment)
    return away > _MAX_DISTANCE or found.end - found.start != first.end - first.start


def _distance_to_part(
    expression: TimeExpression, day: TimeExpression | None, part: str, moment: Moment
) -> timedelta:
    """How far a time is from that part of a day; zero inside it."""
    start = evaluate_bounded(expression, moment).start
    whole = evaluate_bounded(join_date(day, TimeOfDay(part)), moment)
    length = whole.end - whole.start
    behind = (start - whole.start) % _DAY  # without a day, both may be on different ones
    if behind < length:
        return timedelta()
    return min(behind - length + timedelta(minutes=1), _DAY - behind)


def _combine_ranges(first: DateReading, last: DateReading, moment: Moment) -> ResolvedDate | None:
    """Combine the start of a range with its end; None unless one date says the end."""
    if last.bound in ENDS and first.bound not in ENDS:
        return _limit_day(first, last, moment) or _continue_until(first, last, moment)
    if first.bound in ENDS and last.bound not in ENDS and (last.bound or first.day is None):
        return _continue_until(last, first, moment)
    if last.bound in STARTS and len(first.time.clock) > 1 and last.day is None:
        return _replace_start(first, last, moment)
    if last.bound in STARTS and first.expression[0] == "span":
        until = ("until", first.expression[2])
        return _continue_until(last, first._replace(expression=until, bound="until"), moment)
    return None


def _replace_start(first: DateReading, last: DateReading, moment: Moment) -> ResolvedDate | None:
    """The hours of a date with another start: "starting at 2" after "from 1 to 3:30". None for a
    start behind their end."""
    if len(last.time.clock) != 1 or first.start is None or first.end is None:
        return None
    clock = in_half(last.time.clock[0], first.start.hour)
    day = None if first.day is None else _day_said(first, moment)
    start = evaluate_bounded(join_date(day, TimeOfDay(clock=(clock,))), moment).start
    if start.time() >= first.end.time():
        return None
    stop = ("clock24", first.end.hour, first.end.minute)
    return resolve_date(join_date(day, TimeOfDay(clock=(clock, stop))), moment)


def _limit_day(first: DateReading, last: DateReading, moment: Moment) -> ResolvedDate | None:
    """The day of a date until a time that is not after its own: "before noon" of what was Friday
    at eight in the evening, and of Friday. None for a later end, and one in the night behind that
    time."""
    if first.period != "day" or first.start is None or last.day is not None:
        return None
    if len(first.time.clock) > 1 or len(last.time.clock) > 1:
        return None
    day, midnight = _day_said(first, moment), ("clock24", 0, 0)
    if not last.time.clock:
        part = evaluate_bounded(join_date(day, last.time), moment).start
        last = last._replace(time=TimeOfDay(clock=(("clock24", part.hour, part.minute),)))
    if not first.time.clock:
        is_limit = last.bound == "before" and not first.time.part
        by_day = ("by_day", *last.time.clock)
        return resolve_date(("at_times", day, midnight, by_day), moment) if is_limit else None
    end = evaluate_bounded(join_date(day, _combine_times(first, last, day, moment)), moment).start
    is_next_night = last.bound == "until" and end + _DAY - first.start < _LONGEST_NIGHT
    if end > first.start or is_next_night:
        return None
    clock = ("clock24", end.hour, end.minute)
    return resolve_date(("at_times", day, midnight, clock), moment)


def _by_day(time: TimeExpression) -> TimeExpression:
    """A time of a day that is open, in the hours of the day."""
    is_open = time[0] == "clock" and evaluate_clock(time[1]).open
    return ("clock", ("by_day", time[1])) if is_open else time


def _continue_until(first: DateReading, last: DateReading, moment: Moment) -> ResolvedDate | None:
    """The range from a date in the future until another one."""
    start = first.start
    if start is None or start <= moment.at or (last.bound == "before" and last.day is not None):
        return None
    end = last.expression[1]
    if first.period == "day" and first.time == TimeOfDay() and last.day is None:
        end = _by_day(end)  # tomorrow until five
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
