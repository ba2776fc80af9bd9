"""Operations: dates relative to now or to another date (this week, the last three days)."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from anaphora.entities.builtin.dates.intervals import CLOCK_GRAINS, GRAINS, Grain, Interval, Moment
from anaphora.entities.builtin.dates.operations.durations import (
    Duration,
    add_duration,
    distance_grain,
    duration_seconds,
    evaluate_duration,
    evaluate_duration_range,
    finest_grain,
    floor_to_minute,
    period_around,
)
from anaphora.entities.builtin.dates.operations.registry import (
    TimeExpression,
    evaluate,
    evaluate_start,
    operation,
)

_DAY_SECONDS = 86_400


@operation("now")
def _now(moment: Moment) -> Interval:
    return moment.period("second")


@operation("never")
@operation("missing")
def _never(moment: Moment) -> Interval:
    raise ValueError("there is no such day")


@operation("behind")
def _behind(moment: Moment, date: TimeExpression) -> Interval:
    """The date with the past preferred: the last one before now."""
    return evaluate(date, replace(moment, prefer_future=False))


@operation("upcoming")
def _upcoming(moment: Moment, date: TimeExpression) -> Interval:
    """The date with the future preferred: the next one."""
    return evaluate(date, replace(moment, prefer_future=True))


@operation("after_next")
def _after_next(moment: Moment, date: TimeExpression) -> Interval:
    """The second such date from now on: March after next."""
    following = evaluate(date, replace(moment, prefer_future=True))
    if following.end is None:
        raise ValueError("the interval has no end")
    return evaluate(date, replace(moment, at=following.end, prefer_future=True))


@operation("cell")
def _cell(moment: Moment, unit: Grain, shift: int = 0) -> Interval:
    return moment.period(unit, shift=shift)


@operation("ago", sign=-1)
@operation("earlier", sign=-1)
@operation("ahead", sign=1)
@operation("later", sign=1)
def _offset_from_now(moment: Moment, duration: TimeExpression, *, sign: int) -> Interval:
    """In an hour, two months ago; "an hour later" is later than a date that was said before, if
    any."""
    coarsest = distance_grain(evaluate_duration(duration))
    return _offset_from(moment, moment.at, duration, sign, coarsest)


@operation("later_weekday", sign=1)
@operation("earlier_weekday", sign=-1)
def _weekday_from_now(moment: Moment, day: int, *, sign: int) -> Interval:
    """The Friday after, the Friday before: than a date that was said before, if any."""
    return evaluate(("weekday_beside", day, ("cell", "day"), sign), moment)


def _offset_from(
    moment: Moment,
    origin: datetime,
    duration: TimeExpression,
    sign: int,
    coarsest: Grain,
) -> Interval:
    """The period at that distance from the origin; for 3 to 4 days the interval of both.
    ``coarsest`` limits its grain."""
    least, most = evaluate_duration_range(duration)
    grain = min(finest_grain(most), coarsest, key=GRAINS.index)
    near, far = (
        period_around(moment, add_duration(moment, origin, amount, sign), grain)
        for amount in (least, most)
    )
    if near == far:
        return near
    first, last = (near, far) if sign > 0 else (far, near)
    return Interval(first.start, last.end, grain)


@operation("past", sign=-1)
@operation("coming", sign=1)
def _adjacent(moment: Moment, duration: TimeExpression, *, sign: int) -> Interval:
    """The last or the next 3 days, without today; 2 hours end or start now."""
    amount = evaluate_duration(duration)
    grain = finest_grain(amount)
    if grain in CLOCK_GRAINS:
        near = floor_to_minute(moment.at)
    else:
        near = moment.period(grain).end if sign > 0 else moment.period(grain).start
    far = add_duration(moment, near, amount, sign)
    return Interval(near, far, grain) if sign > 0 else Interval(far, near, grain)


@operation("alike")
def _alike(moment: Moment, unit: Grain, duration: TimeExpression, sign: int) -> Interval:
    """The same minute, day or week at a distance: this time tomorrow, the same week last year, a
    year ago today. ``sign`` is 1 for later, -1 for earlier."""
    return moment.period(unit, add_duration(moment, moment.at, evaluate_duration(duration), sign))


@operation("during")
def _during(moment: Moment, duration: TimeExpression) -> Interval:
    """Within the next 3 days, starting now."""
    amount = evaluate_duration(duration)
    start = floor_to_minute(moment.at)
    return Interval(start, add_duration(moment, start, amount, 1), finest_grain(amount))


@operation("shifted_ahead", sign=1)
@operation("shifted_back", sign=-1)
def _shifted(
    moment: Moment, date: TimeExpression, duration: TimeExpression, *, sign: int
) -> Interval:
    """A date that recurs, as said at another time: Christmas in three years, March a year ago."""
    at = add_duration(moment, moment.at, evaluate_duration(duration), sign)
    return evaluate(date, replace(moment, at=at, prefer_future=True))


@operation("from", sign=1)
@operation("before_by", sign=-1)
def _offset_from_date(
    moment: Moment, origin: TimeExpression, duration: TimeExpression, *, sign: int
) -> Interval:
    """Two days after or before Christmas, an hour after midnight; the result is no coarser than the
    date (a year after a day is a day)."""
    start, found = evaluate_start(origin, moment)
    coarsest: Grain = "day" if found.grain == "part" else found.grain
    return _offset_from(moment, start, duration, sign, coarsest)


@operation("starting")
def _starting(moment: Moment, origin: TimeExpression, duration: TimeExpression) -> Interval:
    """Two weeks from Friday (a day), or two nights from Friday (a stay)."""
    if _has_nights(evaluate_duration(duration)):
        return _lasting(moment, origin, duration)
    return _offset_from_date(moment, origin, duration, sign=1)


@operation("lasting")
def _lasting(moment: Moment, origin: TimeExpression, duration: TimeExpression) -> Interval:
    """A duration from a date on: three days from Monday on, tomorrow at 5 for two hours. Two nights
    from the 24th on, whatever the hour, include the 26th, the day of departure. Hours of a day that
    does not say yet when they begin leave it the day."""
    (start, found), amount = evaluate_start(origin, moment), evaluate_duration(duration)
    if found.grain not in CLOCK_GRAINS and duration_seconds(amount) < _DAY_SECONDS:
        return found
    end: datetime | None = add_duration(moment, start, amount, 1)
    if end is not None and _has_nights(amount):
        end = moment.period("day", end).end
    return Interval(start, end, finest_grain(amount))


def _has_nights(amount: Duration) -> bool:
    return any(unit == "night" for _, unit in amount)
