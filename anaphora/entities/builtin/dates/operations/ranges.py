"""Operations: ranges of dates (from Monday to Friday, since May, until tomorrow)."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from anaphora.entities.builtin.dates.intervals import (
    CLOCK_GRAINS,
    CLOCK_SECONDS,
    GRAINS,
    Interval,
    Moment,
)
from anaphora.entities.builtin.dates.operations.durations import (
    add_duration,
    evaluate_duration,
    finest_grain,
    floor_to_minute,
)
from anaphora.entities.builtin.dates.operations.expression_analysis import end_completes_start
from anaphora.entities.builtin.dates.operations.registry import (
    TimeExpression,
    evaluate,
    evaluate_bounded,
    evaluate_start,
    operation,
)


@operation("span")
def _span(moment: Moment, first: TimeExpression, last: TimeExpression) -> Interval:
    """From the start of the first date to the end of the last one (the start, if it is a time of
    day). If the dates are not in order, the last one is the next such date after the first; if
    the past is preferred, the first one is the latest such date before the last."""
    if first[0] == last[0] == "clock":
        return evaluate(("times", first[1], last[1]), moment)
    one, other = _ordered_ends(moment, first, last)
    grain = min(one.grain, other.grain, key=GRAINS.index)
    return Interval(one.start, _range_end(other), grain)


def _ordered_ends(
    moment: Moment, first: TimeExpression, last: TimeExpression
) -> tuple[Interval, Interval]:
    """Both ends of a range. A year, month or week of the last one applies to the first one too."""
    other = evaluate(last, moment)
    if end_completes_start(first, last):
        return _latest_before(moment, first, other), other
    one = evaluate(first, moment)
    if _is_valid_range(one, other):
        return one, other
    assert one.start is not None
    later = one, evaluate(last, replace(moment, at=one.start, prefer_future=True))
    earlier = _latest_before(moment, first, other), other
    for found in (later, earlier) if moment.prefer_future else (earlier, later):
        if _is_valid_range(*found):
            return found
    raise ValueError("the range ends before it starts")


def _is_valid_range(one: Interval, other: Interval) -> bool:
    end = _range_end(other)
    if one.start is None or end is None:
        raise ValueError("the interval has no end")
    return one.start < end


def _range_end(last: Interval) -> datetime | None:
    """The end of a range; a time of day ends it as it begins."""
    return last.start if last.grain in CLOCK_SECONDS else last.end


def _latest_before(moment: Moment, date_: TimeExpression, before: Interval) -> Interval:
    """The last such date up to the start of ``before``."""
    if before.start is None:
        raise ValueError("the interval has no start")
    return evaluate(date_, replace(moment, at=before.start, prefer_future=False))


@operation("in_week")
def _in_week(moment: Moment, days: TimeExpression, week: TimeExpression) -> Interval:
    """Monday to Wednesday of next week."""
    before = moment.add_seconds(evaluate_bounded(week, moment).start, -1)
    return evaluate(days, replace(moment, at=before, prefer_future=True))


@operation("daily")
def _daily(
    moment: Moment, days: TimeExpression, first: TimeExpression, last: TimeExpression
) -> Interval:
    """Monday to Friday, 9 to 5: from 9 on the first day to 5 on the last day."""
    whole = evaluate_bounded(days, moment)
    first_day, last_day = whole.start.date(), moment.add_seconds(whole.end, -1).date()
    on = [("ymd", day.year, day.month, day.day) for day in (first_day, last_day)]
    start, end = (evaluate(("at_times", day, first, last), moment) for day in on)
    return Interval(start.start, end.end, "minute")


@operation("both")
def _both(moment: Moment, first: TimeExpression, last: TimeExpression) -> Interval:
    """The intersection of two open intervals: after five, but before seven."""
    one = evaluate(first, moment)
    at = moment if one.start is None else replace(moment, at=one.start, prefer_future=True)
    other = evaluate(last, at)
    starts = [start for start in (one.start, other.start) if start is not None]
    ends = [end for end in (one.end, other.end) if end is not None]
    if not (starts and ends):
        raise ValueError("the interval has no end")
    grain = min(one.grain, other.grain, key=GRAINS.index)
    return Interval(max(starts), min(ends), grain)


@operation("since")
def _since(moment: Moment, first: TimeExpression) -> Interval:
    """From the last such date up to now; without an end, if it is in the future."""
    behind = replace(moment, prefer_future=False)
    start, found = evaluate_start(first, behind)
    now = floor_to_minute(moment.at)
    return Interval(start, now if start < now else None, found.grain)


@operation("since_or_from")
def _since_or_from(moment: Moment, first: TimeExpression) -> Interval:
    """The nearer of :func:`_since` and :func:`_onward`, for a word that means both: since the last
    5th, or from the next 5th on; since the last one, if the past is preferred."""
    last, since = evaluate_start(("since", first), moment)
    following, onward = evaluate_start(("onward", first), moment)
    if not moment.prefer_future or last == following:
        return since
    return since if moment.at - last <= following - moment.at else onward


@operation("until")
def _until(moment: Moment, last: TimeExpression) -> Interval:
    """From now up to a date, including it; without a start, if it has passed."""
    found = evaluate(last, moment)
    end = found.start if found.grain in CLOCK_GRAINS else found.end
    if end is None:
        raise ValueError("the interval has no end")
    now = floor_to_minute(moment.at)
    return Interval(now if now < end else None, end, found.grain)


@operation("ending")
def _ending(moment: Moment, last: TimeExpression, duration: TimeExpression) -> Interval:
    """So long up to the end of a date: the month ending December 18."""
    amount = evaluate_duration(duration)
    found = evaluate_bounded(last, moment)
    start = add_duration(moment, found.end, amount, -1)
    return Interval(start, found.end, min(finest_grain(amount), found.grain, key=GRAINS.index))


@operation("ended")
def _ended(moment: Moment, last: TimeExpression, duration: TimeExpression) -> Interval:
    """As :func:`_ending`; of months and years the last such date, as in reports: the three months
    to September, the year ended March 31."""
    is_report = GRAINS.index(finest_grain(evaluate_duration(duration))) >= GRAINS.index("month")
    return _ending(replace(moment, prefer_future=not is_report), last, duration)


@operation("onward")
def _onward(moment: Moment, first: TimeExpression) -> Interval:
    """From a date on."""
    start, found = evaluate_start(first, moment)
    return Interval(start, None, found.grain)


@operation("after")
def _after(moment: Moment, date_: TimeExpression) -> Interval:
    found = evaluate(date_, moment)
    if found.end is None:
        raise ValueError("the interval has no end")
    start = found.start if found.grain in CLOCK_SECONDS else found.end
    return Interval(start, None, found.grain)


@operation("before")
def _before(moment: Moment, date_: TimeExpression) -> Interval:
    """Before Friday, before late May; what is to be done before the end of May has all of May."""
    start, found = evaluate_start(date_, moment)
    if date_[:2] == ("edge", "end"):
        start = evaluate_bounded(date_, moment).end
    return Interval(None, start, found.grain)
