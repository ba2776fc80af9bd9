"""Operations: times and parts of a day (in the evening, tomorrow at five, from five to seven)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, timedelta

from anaphora.entities.builtin.dates.intervals import (
    CLOCK_SECONDS,
    BoundedInterval,
    Interval,
    Moment,
)
from anaphora.entities.builtin.dates.operations.clock_times import (
    HALF_DAY,
    ClockTime,
    evaluate_clock,
)
from anaphora.entities.builtin.dates.operations.durations import floor_to_minute
from anaphora.entities.builtin.dates.operations.registry import (
    TimeExpression,
    evaluate,
    evaluate_bounded,
    evaluate_start,
    operation,
)

_TODAY: TimeExpression = ("cell", "day")
_MIDNIGHT = 24  # the hour at the end of a day
_DAY = timedelta(days=1)
# The hours of times in a part of a day that are outside its own: "Friday night at seven".
_CLOCK_HOURS: Mapping[str, tuple[float, float]] = {
    "wide night": (18, 30), "wide evening": (18, 30),
}  # fmt: skip


@operation("part")
def _part(moment: Moment, name: str) -> Interval:
    """A part of today; of tomorrow if it is over and the future is preferred, of yesterday if it
    has not begun and the past is preferred."""
    found = _part_of_today(moment, name)
    if moment.prefer_future and found.end <= moment.at:
        return _part_of(moment, moment.today + _DAY, name)
    if not moment.prefer_future and found.start > moment.at:
        return _part_of(moment, moment.today - _DAY, name)
    return found


@operation("within")
def _within(moment: Moment, day: TimeExpression, name: str) -> Interval:
    """A part of a day, or of the first day of a longer period."""
    if day == _TODAY:
        return _part_of_today(moment, name)
    return _part_of(moment, _day_of(day, moment)[0], name)


@operation("at")
def _at(moment: Moment, day: TimeExpression, clock: TimeExpression) -> Interval:
    """A time on a day, or in a part of a day: five in the evening is 17:00. If a time of today has
    passed and the future is preferred, it is in the afternoon, if it may be."""
    on, placed = _place_clock(moment, day, evaluate_clock(clock))
    found = _clock_interval(moment, on, placed)
    if _is_in_direction(moment, found.start):
        return found
    if day == _TODAY and moment.prefer_future and placed.open:
        later = _clock_interval(
            moment, on, placed._replace(hours=placed.hours % HALF_DAY + HALF_DAY)
        )
        return later if _is_in_direction(moment, later.start) else found
    if day[0] != "part":
        return found
    return _clock_interval(moment, on + (_DAY if moment.prefer_future else -_DAY), placed)


@operation("some_day")
def _some_day(moment: Moment, period: TimeExpression, time: TimeExpression) -> Interval:
    """A week or a longer period, one day of which has that time: next week, at eight."""
    return evaluate(period, moment)


@operation("at_now")
def _at_now(moment: Moment, day: TimeExpression) -> Interval:
    """The current time of day, on another day."""
    on = _day_of(day, moment)[0]
    return moment.period("minute", moment.local_time(on, moment.at.hour, moment.at.minute))


@operation("clock")
def _clock(moment: Moment, clock: TimeExpression) -> Interval:
    """The next such time, or the last one; an hour in the morning or the afternoon is the nearer of
    both."""
    return _nearest_clock(moment, evaluate_clock(clock))


@operation("plain")
@operation("plain_beside_day")
def _plain(moment: Moment, date_: TimeExpression) -> Interval:
    """A date of plain numbers, which something behind it may count."""
    return evaluate(date_, moment)


@operation("times")
def _times(moment: Moment, first: TimeExpression, last: TimeExpression) -> Interval:
    """From five to seven: the next such range, or the last one. From nine to five is by day, not by
    night."""
    one, other = _align_halves(evaluate_clock(first), evaluate_clock(last))
    if one.open and other.open and other[:2] < one[:2] and one.hours < HALF_DAY:
        one = one._replace(open=False)
    start = _nearest_clock(moment, one).start
    return _clock_range(moment, start.date(), one._replace(hours=start.hour), other)


@operation("at_times")
def _at_times(
    moment: Moment, day: TimeExpression, first: TimeExpression, last: TimeExpression
) -> Interval:
    """Tomorrow from five to seven, which is by day, too."""
    one, other = evaluate_clock(first), evaluate_clock(last)
    if _day_of(day, moment)[1].grain == "part":
        one, other = _with_either_half(one), _with_either_half(other)
    elif one.open and other.open and one[:2] < other[:2] and other.hours < HALF_DAY:
        one = evaluate_clock(("by_day", first))
    one, other = _align_halves(one, other)
    on, one = _place_clock(moment, day, one)
    return _clock_range(moment, on, one, other)


def _part_of_today(moment: Moment, name: str) -> BoundedInterval:
    """A part of today; one that begins behind midnight is that of yesterday until it is over."""
    if moment.conventions.parts[name][0] >= _MIDNIGHT:
        current = _part_of(moment, moment.today - _DAY, name)
        if current.end > moment.at:
            return current
    return _part_of(moment, moment.today, name)


def _part_of(moment: Moment, day: date, name: str) -> BoundedInterval:
    start, end = moment.conventions.parts[name]
    return BoundedInterval(moment.local_time(day, start), moment.local_time(day, end), "part")


def _day_of(meaning: TimeExpression, moment: Moment) -> tuple[date, Interval]:
    """The first day of a date, and its interval; raises ValueError for a time of day."""
    start, found = evaluate_start(meaning, moment)
    if found.grain in CLOCK_SECONDS:
        raise ValueError("not a day")
    return start.date(), found


def _place_clock(
    moment: Moment, meaning: TimeExpression, clock: ClockTime
) -> tuple[date, ClockTime]:
    """The day, and the time on a 24-hour clock from its start: in a part of a day the hour inside
    that part, or the nearest one."""
    day, found = _day_of(meaning, moment)
    if found.grain != "part":
        return day, clock
    if meaning[-1] == "afternoon":
        return day, _after_noon(clock)
    part = evaluate_bounded(meaning, moment)
    begins: float = part.start.hour
    ends = begins + (part.end - part.start).total_seconds() / 3600
    if moment.conventions.parts.get(meaning[-1], (0,))[0] >= _MIDNIGHT:
        day, begins, ends = day - _DAY, begins + _MIDNIGHT, ends + _MIDNIGHT
    if meaning[-1] in _CLOCK_HOURS:
        begins, ends = _CLOCK_HOURS[meaning[-1]]
    later = (0, HALF_DAY, 24) if _with_either_half(clock).open else (0, 24)
    hours = [clock.hours + more for more in later]
    away = [_hours_from_part(hour + clock.minutes / 60, begins, ends) for hour in hours]
    nearest = min(away)
    if nearest and ends <= HALF_DAY:
        return day, clock  # one in the morning is the same day
    return day, clock._replace(hours=hours[away.index(nearest)])


def _after_noon(clock: ClockTime) -> ClockTime:
    """The second half of the day, evening and night too: 午後9時 is 21:00, 午後0時 noon."""
    later = clock.hours % HALF_DAY + HALF_DAY
    return clock._replace(hours=max(clock.hours, later), open=False)


def _hours_from_part(hour: float, begins: float, ends: float) -> float:
    """The distance of a time from a part of the day; a time behind its end counts as farther."""
    return max(begins - hour, hour - ends + 1 if hour >= ends else 0, 0)


def _with_either_half(clock: ClockTime) -> ClockTime:
    """Beside a part of the day, a time on a 24-hour clock may be in either half too: 8h of the
    evening."""
    return clock._replace(open=1 <= clock.hours <= HALF_DAY and not clock.half)


def _nearest_clock(moment: Moment, clock: ClockTime) -> BoundedInterval:
    hours = {clock.hours % 24}
    if clock.open:
        hours |= {clock.hours % HALF_DAY, clock.hours % HALF_DAY + HALF_DAY}
    days = (moment.today, moment.today + (_DAY if moment.prefer_future else -_DAY))
    found = [
        _clock_interval(moment, day, clock._replace(hours=hour)) for day in days for hour in hours
    ]
    starts = {one.start: one for one in found if _is_in_direction(moment, one.start)}
    return starts[min(starts) if moment.prefer_future else max(starts)]


def _is_in_direction(moment: Moment, start: datetime) -> bool:
    now = floor_to_minute(moment.at)
    return start >= now if moment.prefer_future else start <= now


def _clock_interval(moment: Moment, day: date, clock: ClockTime) -> BoundedInterval:
    grain = "minute" if clock.grain == "hour" and clock.minutes else clock.grain
    start = moment.local_time(day, clock.hours, clock.minutes, clock.seconds)
    return BoundedInterval(
        start, moment.add_seconds(start, CLOCK_SECONDS[grain]), grain, whole=True
    )


def _align_halves(one: ClockTime, other: ClockTime) -> tuple[ClockTime, ClockTime]:
    """Choose the half of the day of the first time by the second: from 5 to 7 pm starts at 5 pm,
    from 11 to 1 am at 11 pm. Beside a time on a 24-hour clock it is on one too: from 8 to 22."""
    if other.half:
        one = _with_either_half(one)
    if not one.open or other.open:
        return one, other
    if not other.half and HALF_DAY < other.hours < _MIDNIGHT and one[:2] < other[:2]:
        return one._replace(open=False), other
    later = one.hours % HALF_DAY + HALF_DAY
    is_later = not (one.hours, one.minutes) < other[:2] <= (later, one.minutes)
    hours = later if is_later else one.hours
    return one._replace(hours=hours, open=False), other


def _clock_range(moment: Moment, day: date, one: ClockTime, other: ClockTime) -> Interval:
    hours = other.hours
    while (hours, other.minutes) <= (one.hours, one.minutes):
        hours += HALF_DAY if other.open else 24
    start = moment.local_time(day, one.hours, one.minutes, one.seconds)
    return Interval(start, moment.local_time(day, hours, other.minutes, other.seconds), "minute")
