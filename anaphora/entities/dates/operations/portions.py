"""The first week of a month, the end of a year: parts of what is longer."""

from __future__ import annotations

from datetime import datetime, timedelta
from fractions import Fraction

from anaphora.entities.dates.calendar import Grain, Interval, Moment
from anaphora.entities.dates.operations.amounts import amount_of, finest, later
from anaphora.entities.dates.operations.registry import Meaning, closed, operation


@operation("nth")
def _nth(moment: Moment, n: int, unit: Grain, of: Meaning) -> Interval:
    """The n-th day, week, month … of it, -1 for the last one. A week belongs to the month in
    which most of its days lie, as ISO 8601 counts those of a year; a weekend to that of its
    Saturday."""
    whole = closed(moment, of)
    first = moment.cell(unit, whole.start)
    if _middle(first) < whole.start:
        first = moment.cell(unit, first.start, shift=1)
    last = moment.cell(unit, moment.passed(whole.end, -1))
    if _middle(last) >= whole.end:
        last = moment.cell(unit, last.start, shift=-1)
    base, shift = (first, n - 1) if n > 0 else (last, n + 1)
    found = moment.cell(unit, base.start, shift=shift)
    if n == 0 or not whole.start <= _middle(found) < whole.end:
        raise ValueError("there are not as many in it")
    return found


def _middle(cell: Interval) -> datetime:
    """The second before its half is over."""
    assert cell.start is not None
    assert cell.end is not None
    return cell.start + (cell.end - cell.start) / 2 - timedelta(seconds=1)


@operation("some")
def _some(moment: Moment, n: int, duration: Meaning, of: Meaning) -> Interval:
    """The first (1) or the last (-1) two weeks of it."""
    if abs(n) != 1:
        raise ValueError("which of them?")
    return _first(moment, duration, of) if n > 0 else _last(moment, duration, of)


@operation("beside")
def _beside(moment: Moment, unit: Grain, date_: Meaning, n: int) -> Interval:
    """The n-th day, week or weekend that begins when that date is over; of those that are over
    before it begins, if n is negative: the weekend before Christmas."""
    if n == 0:
        raise ValueError("which of them?")
    found = closed(moment, date_)
    at = found.start if n < 0 else moment.passed(found.end, -1)
    cell = moment.cell(unit, at)
    assert cell.start is not None
    assert cell.end is not None
    fits = cell.end <= found.start if n < 0 else cell.start >= found.end
    return moment.cell(unit, at, shift=n + (n < 0) - (n > 0) if fits else n)


@operation("first")
def _first(moment: Moment, duration: Meaning, of: Meaning) -> Interval:
    """The first two weeks of it."""
    whole, amount = closed(moment, of), amount_of(duration)
    end = later(moment, whole.start, amount, 1)
    return Interval(whole.start, min(end, whole.end), finest(amount))


@operation("last")
def _last(moment: Moment, duration: Meaning, of: Meaning) -> Interval:
    """The last two weeks of it."""
    whole, amount = closed(moment, of), amount_of(duration)
    start = later(moment, whole.end, amount, -1)
    return Interval(max(start, whole.start), whole.end, finest(amount))


@operation("nth_part")
def _nth_part(moment: Moment, n: int, of: int, whole: Meaning) -> Interval:
    """The n-th of so many equal parts of its months, if these can be divided, else of its days,
    -1 for the last one: the second half of January."""
    found = closed(moment, whole)
    n = of + 1 + n if n < 0 else n
    first, end = found.start.date(), found.end.date()
    days, months = (end - first).days, (end.year - first.year) * 12 + end.month - first.month
    if not 1 <= n <= of <= days:
        raise ValueError("it has no such part")
    if first.day == end.day == 1 and months % of == 0:
        from_, to = (
            moment.later(Fraction(months * cut // of), "month", found.start) for cut in (n - 1, n)
        )
        return Interval(from_, to, "month")
    start, last = (first + timedelta(days=days * cut // of) for cut in (n - 1, n))
    return moment.days(start, last, "day")


@operation("edge")
def _edge(moment: Moment, which: str, of: Meaning) -> Interval:
    """The beginning, the middle or the end of it: a third of its months, if it has several, of
    its days, or of its time."""
    whole = closed(moment, of)
    cuts = {"begin": (0, 1), "middle": (1, 2), "end": (2, 3)}[which]
    first, end = whole.start.date(), whole.end.date()
    days, months = (end - first).days, (end.year - first.year) * 12 + end.month - first.month
    if months >= 3 and first.day == end.day == 1:
        from_, to = (
            moment.later(Fraction(months * cut // 3), "month", whole.start) for cut in cuts
        )
        return Interval(from_, to, "month")
    if days >= 3:
        from_day, to_day = (first + timedelta(days=days * cut // 3) for cut in cuts)
        return moment.days(from_day, to_day, "day")
    seconds = (whole.end - whole.start).total_seconds()
    from_, to = (moment.passed(whole.start, seconds * cut // 3) for cut in cuts)
    return Interval(from_, to, "hour")
