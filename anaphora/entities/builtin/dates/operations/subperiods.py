"""Operations: parts of a longer period (the first week of a month, the end of a year)."""

from __future__ import annotations

from datetime import datetime, timedelta
from fractions import Fraction

from anaphora.entities.builtin.dates.intervals import BoundedInterval, Grain, Interval, Moment
from anaphora.entities.builtin.dates.operations.durations import (
    add_duration,
    evaluate_duration,
    finest_grain,
)
from anaphora.entities.builtin.dates.operations.registry import (
    TimeExpression,
    evaluate_bounded,
    operation,
)


@operation("nth")
def _nth(moment: Moment, n: int, unit: Grain, of: TimeExpression) -> Interval:
    """The n-th day, week, month … of a period; -1 is the last one. A week belongs to the month that
    has most of its days (as in ISO 8601 for years), a weekend to the month of its Saturday."""
    whole = evaluate_bounded(of, moment)
    first = moment.period(unit, whole.start)
    if _middle(first) < whole.start:
        first = moment.period(unit, first.start, shift=1)
    last = moment.period(unit, moment.add_seconds(whole.end, -1))
    if _middle(last) >= whole.end:
        last = moment.period(unit, last.start, shift=-1)
    base, shift = (first, n - 1) if n > 0 else (last, n + 1)
    found = moment.period(unit, base.start, shift=shift)
    if n == 0 or not whole.start <= _middle(found) < whole.end:
        raise ValueError("the period has fewer of these units")
    return found


def _middle(period: BoundedInterval) -> datetime:
    """The second before the middle of a period."""
    return period.start + (period.end - period.start) / 2 - timedelta(seconds=1)


@operation("some")
def _some(moment: Moment, n: int, duration: TimeExpression, of: TimeExpression) -> Interval:
    """The first (1) or the last (-1) two weeks of a period."""
    if abs(n) != 1:
        raise ValueError("the ordinal must be 1 or -1")
    return _end_part(moment, duration, of, n=n)


@operation("beside")
def _beside(moment: Moment, unit: Grain, date_: TimeExpression, n: int) -> Interval:
    """The n-th day, week or weekend after the end of a date; before its start, if n is negative:
    the weekend before Christmas."""
    if n == 0:
        raise ValueError("the ordinal must not be 0")
    found = evaluate_bounded(date_, moment)
    at = found.start if n < 0 else moment.add_seconds(found.end, -1)
    period = moment.period(unit, at)
    fits = period.end <= found.start if n < 0 else period.start >= found.end
    return moment.period(unit, at, shift=n + (n < 0) - (n > 0) if fits else n)


@operation("first", n=1)
@operation("last", n=-1)
def _end_part(moment: Moment, duration: TimeExpression, of: TimeExpression, *, n: int) -> Interval:
    """The first or the last two weeks of a period."""
    whole, amount = evaluate_bounded(of, moment), evaluate_duration(duration)
    grain = finest_grain(amount)
    if n > 0:
        end = add_duration(moment, whole.start, amount, 1)
        return Interval(whole.start, min(end, whole.end), grain)
    start = add_duration(moment, whole.end, amount, -1)
    return Interval(max(start, whole.start), whole.end, grain)


@operation("nth_part")
def _nth_part(moment: Moment, n: int, of: int, whole: TimeExpression) -> Interval:
    """The n-th of equal parts, by months if these can be divided evenly, otherwise by days; -1 is
    the last one: the second half of January."""
    found = evaluate_bounded(whole, moment)
    n = of + 1 + n if n < 0 else n
    first, end = found.start.date(), found.end.date()
    days, months = (end - first).days, (end.year - first.year) * 12 + end.month - first.month
    if not 1 <= n <= of <= days:
        raise ValueError("the period has no such part")
    if first.day == end.day == 1 and months % of == 0:
        from_, to = (
            moment.add(Fraction(months * cut // of), "month", found.start) for cut in (n - 1, n)
        )
        return Interval(from_, to, "month")
    start, last = (first + timedelta(days=days * cut // of) for cut in (n - 1, n))
    return moment.days(start, last, "day")


@operation("edge")
def _edge(moment: Moment, which: str, of: TimeExpression) -> Interval:
    """The beginning, the middle or the end of a period: a third of its months (from three on), of
    its days (from three on), or of its time."""
    whole = evaluate_bounded(of, moment)
    cuts = {"begin": (0, 1), "middle": (1, 2), "end": (2, 3)}[which]
    first, end = whole.start.date(), whole.end.date()
    days, months = (end - first).days, (end.year - first.year) * 12 + end.month - first.month
    if months >= 3 and first.day == end.day == 1:
        from_, to = (moment.add(Fraction(months * cut // 3), "month", whole.start) for cut in cuts)
        return Interval(from_, to, "month")
    if days >= 3:
        from_day, to_day = (first + timedelta(days=days * cut // 3) for cut in cuts)
        return moment.days(from_day, to_day, "day")
    seconds = (whole.end - whole.start).total_seconds()
    from_, to = (moment.add_seconds(whole.start, seconds * cut // 3) for cut in cuts)
    return Interval(from_, to, "hour")
