"""Operations: parts of a longer period (the first week of a month, the end of a year)."""

from __future__ import annotations

from collections.abc import Mapping
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

# The days of a week and a month and the months of a year at which their edges start and end; 0 is
# the end of the period.
_EDGES: Mapping[str, Mapping[str, tuple[int, int]]] = {
    "week": {"begin": (0, 3), "middle": (2, 4), "end": (4, 0)},
    "month": {"begin": (0, 10), "middle": (10, 20), "end": (20, 0)},
    "year": {"begin": (0, 3), "middle": (4, 8), "end": (8, 0)},
}


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


@operation("nth_workday")
def _nth_workday(moment: Moment, n: int, of: TimeExpression) -> Interval:
    """The n-th working day of a period; -1 is the last one."""
    whole = evaluate_bounded(of, moment)
    found = _workday_beyond(moment, whole.end if n < 0 else moment.add_seconds(whole.start, -1), n)
    if not whole.start <= found.start < whole.end:
        raise ValueError("the period has fewer working days")
    return found


@operation("workday_beside")
def _workday_beside(moment: Moment, date_: TimeExpression, n: int) -> Interval:
    """The n-th working day after the end of a date; before its start, if n is negative."""
    found = evaluate_bounded(date_, moment)
    return _workday_beyond(moment, found.start if n < 0 else moment.add_seconds(found.end, -1), n)


def _workday_beyond(moment: Moment, at: datetime, n: int) -> BoundedInterval:
    if n == 0:
        raise ValueError("the ordinal must not be 0")
    return moment.day(moment.add_workdays(n, at).date())


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


def _turn(moment: Moment, whole: BoundedInterval, *, is_current: bool) -> Interval:
    """The turn of a period; of the current one it is the next or the last one, for a century the
    nearer one."""
    unit: Grain = "year" if whole.grain == "century" else "day"
    at = whole.start
    if is_current and whole.grain == "century":
        at = min(whole.start, whole.end, key=lambda end: abs(end - moment.at))
    elif is_current and moment.prefer_future:
        at = whole.end
    first, last = (moment.add(Fraction(n), unit, at) for n in (-1, 1))
    return Interval(first, last, unit)


@operation("edge")
def _edge(moment: Moment, which: str, of: TimeExpression) -> Interval:
    """The beginning, the middle or the end of a period ("late" is the same, but what is to be done
    before it has nothing of it): its first, second or last ten days in a month, the days and months
    of ``_EDGES`` in a week and a year; a third of others, by months, days or seconds. Its turn is
    the last day, for a century the last year, before it, and the first one in it."""
    whole = evaluate_bounded(of, moment)
    if which == "turn":
        return _turn(moment, whole, is_current=of[0] == "cell" and len(of) == 2)
    which = "end" if which == "late" else which
    first, end = whole.start.date(), whole.end.date()
    days, months = (end - first).days, (end.year - first.year) * 12 + end.month - first.month
    if months >= 3 and first.day == end.day == 1:
        cuts = _edge_cuts(whole, which, months)
        from_, to = (moment.add(Fraction(cut), "month", whole.start) for cut in cuts)
        return Interval(from_, to, "month")
    if days >= 3:
        cuts = _edge_cuts(whole, which, days)
        from_day, to_day = (first + timedelta(days=cut) for cut in cuts)
        return moment.days(from_day, to_day, "day")
    seconds = int((whole.end - whole.start).total_seconds())
    from_, to = (moment.add_seconds(whole.start, cut) for cut in _third(which, seconds))
    return Interval(from_, to, "hour")


def _edge_cuts(whole: BoundedInterval, which: str, length: int) -> tuple[int, int]:
    """Where an edge of a period of so many days or months starts and ends."""
    if whole.whole and whole.grain in _EDGES:
        start, end = _EDGES[whole.grain][which]
        return start, end or length
    return _third(which, length)


def _third(which: str, length: int) -> tuple[int, int]:
    """Where a third of so many seconds starts and ends, on full hours if the whole is some."""
    part = ("begin", "middle", "end").index(which)
    unit = 3600 if length >= 3 * 3600 else 1
    start, end = (round(Fraction(length * one, 3 * unit)) * unit for one in (part, part + 1))
    return start, end if part < 2 else length
