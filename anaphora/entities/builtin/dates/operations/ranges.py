"""From Monday to Friday, since May, until tomorrow: what has a beginning and an end."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from anaphora.entities.builtin.dates.intervals import GRAINS, Interval, Moment
from anaphora.entities.builtin.dates.operations.durations import floor_to_minute
from anaphora.entities.builtin.dates.operations.expression_analysis import end_completes_start
from anaphora.entities.builtin.dates.operations.registry import (
    CLOCK_GRAINS,
    TimeExpression,
    bounded_interval,
    evaluate,
    operation,
)


@operation("span")
def _span(moment: Moment, first: TimeExpression, last: TimeExpression) -> Interval:
    """From the beginning of the first one to the end of the last one; to the beginning of a
    time of the day. A last one that would come before the first is the next one after it; the
    other way round, where dates lie behind."""
    one, other = _ordered_ends(moment, first, last)
    grain = min(one.grain, other.grain, key=GRAINS.index)
    return Interval(one.start, _range_end(other), grain)


def _ordered_ends(
    moment: Moment, first: TimeExpression, last: TimeExpression
) -> tuple[Interval, Interval]:
    """Both ends. A year, a month or a week that is told of the last one is that of the first one
    too."""
    other = evaluate(last, moment)
    if end_completes_start(first, last):
        return _latest_before(moment, first, other), other
    one = evaluate(first, moment)
    if _is_valid_range(one, other):
        return one, other
    later = one, _next_after(moment, last, one)
    earlier = _latest_before(moment, first, other), other
    for found in (later, earlier) if moment.prefer_future else (earlier, later):
        if _is_valid_range(*found):
            return found
    raise ValueError("it ends before it begins")


def _is_valid_range(one: Interval, other: Interval) -> bool:
    end = _range_end(other)
    if one.start is None or end is None:
        raise ValueError("it has no end")
    return one.start < end


def _range_end(last: Interval) -> datetime | None:
    """A time of the day ends when it comes."""
    return last.start if last.grain in CLOCK_GRAINS and last.grain != "part" else last.end


def _next_after(moment: Moment, date_: TimeExpression, after: Interval) -> Interval:
    """The nearest such date from the beginning of ``after`` on."""
    assert after.start is not None
    return evaluate(date_, replace(moment, at=after.start, prefer_future=True))


def _latest_before(moment: Moment, date_: TimeExpression, before: Interval) -> Interval:
    """The nearest such date back from the beginning of ``before``."""
    if before.start is None:
        raise ValueError("it has no beginning")
    return evaluate(date_, replace(moment, at=before.start, prefer_future=False))


@operation("in_week")
def _in_week(moment: Moment, days: TimeExpression, week: TimeExpression) -> Interval:
    """Monday to Wednesday of next week."""
    before = moment.add_seconds(bounded_interval(moment, week).start, -1)
    return evaluate(days, replace(moment, at=before, prefer_future=True))


@operation("daily")
def _daily(
    moment: Moment, days: TimeExpression, first: TimeExpression, last: TimeExpression
) -> Interval:
    """Monday to Friday, 9 to 5: from 9 on the first day to 5 on the last one."""
    whole = bounded_interval(moment, days)
    first_day, last_day = whole.start.date(), moment.add_seconds(whole.end, -1).date()
    on = [("ymd", day.year, day.month, day.day) for day in (first_day, last_day)]
    start, end = (evaluate(("at_times", day, first, last), moment) for day in on)
    return Interval(start.start, end.end, "minute")


@operation("since")
def _since(moment: Moment, first: TimeExpression) -> Interval:
    """From then up to now; without an end, if that is still to come. Since Monday is since the
    last one."""
    behind = replace(moment, prefer_future=False)
    found = evaluate(first, behind)
    if found.start is None:
        raise ValueError("it has no beginning")
    now = floor_to_minute(moment.at)
    return Interval(found.start, now if found.start < now else None, found.grain)


@operation("since_or_from")
def _since_or_from(moment: Moment, first: TimeExpression) -> Interval:
    """Where one word is said for both, from the nearer one: since the last 5th up to now, or from
    the next 5th on. Where dates lie behind, it is the last one."""
    since = _since(moment, first)
    onward = _onward(moment, first)
    if not moment.prefer_future or since.start == onward.start:
        return since
    assert since.start is not None
    assert onward.start is not None
    return since if moment.at - since.start <= onward.start - moment.at else onward


@operation("until")
def _until(moment: Moment, last: TimeExpression) -> Interval:
    """From now up to then, that day itself included; without a beginning, if that has passed."""
    found = evaluate(last, moment)
    end = found.start if found.grain in CLOCK_GRAINS else found.end
    if end is None:
        raise ValueError("it has no end")
    now = floor_to_minute(moment.at)
    return Interval(now if now < end else None, end, found.grain)


@operation("onward")
def _onward(moment: Moment, first: TimeExpression) -> Interval:
    """From then on."""
    found = evaluate(first, moment)
    if found.start is None:
        raise ValueError("it has no beginning")
    return Interval(found.start, None, found.grain)


@operation("after")
def _after(moment: Moment, date_: TimeExpression) -> Interval:
    found = evaluate(date_, moment)
    if found.end is None:
        raise ValueError("it has no end")
    start = found.start if found.grain in CLOCK_GRAINS and found.grain != "part" else found.end
    return Interval(start, None, found.grain)


@operation("before")
def _before(moment: Moment, date_: TimeExpression) -> Interval:
    found = evaluate(date_, moment)
    if found.start is None:
        raise ValueError("it has no beginning")
    return Interval(None, found.start, found.grain)
