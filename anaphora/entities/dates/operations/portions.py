"""The first week of a month, the end of a year: parts of what is longer."""

from __future__ import annotations

from datetime import timedelta
from fractions import Fraction

from anaphora.entities.dates.calendar import Grain, Interval, Moment
from anaphora.entities.dates.operations.amounts import amount_of, finest, later
from anaphora.entities.dates.operations.registry import Meaning, closed, operation


@operation("nth")
def _nth(moment: Moment, n: int, unit: Grain, of: Meaning) -> Interval:
    """The n-th day, week, month … of it, -1 for the last one; the first week of a month is the
    one that holds its first day."""
    whole = closed(moment, of)
    first = moment.cell(unit, whole.start)
    last = moment.cell(unit, moment.passed(whole.end, -1))
    found = moment.cell(unit, first.start, shift=n - 1)
    if n < 0:
        found = moment.cell(unit, last.start, shift=n + 1)
    assert found.start is not None
    assert found.end is not None
    if n == 0 or found.start >= whole.end or found.end <= whole.start:
        raise ValueError("there are not as many in it")
    return found


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
    """The n-th of so many equal parts of its days: the second half of January."""
    found = closed(moment, whole)
    first = found.start.date()
    days = (found.end.date() - first).days
    if not 1 <= n <= of <= days:
        raise ValueError("it has no such part")
    start, end = (first + timedelta(days=days * cut // of) for cut in (n - 1, n))
    return moment.days(start, end, "day")


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
