"""Find the days before a date that leave the month to it: *5* или 12 декабря, *der 5.* oder
12. Dezember."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from anaphora.entities.builtin.atoms import Atom
from anaphora.entities.builtin.chart_parser import Chart
from anaphora.entities.builtin.dates.operations.expression_analysis import day_part
from anaphora.entities.builtin.dates.operations.registry import TimeExpression

__all__ = ["find_listed_days"]

_AtomDate = tuple[int, int, TimeExpression]
_LAST_DAY = 31


def find_listed_days(
    atoms: Sequence[Atom], chart: Chart, dates: Sequence[_AtomDate], conjunctions: Collection[str]
) -> Iterator[_AtomDate]:
    """The dates by their atoms, in the order of the text, and the days that a conjunction joins to
    the day at the beginning of one of them. They are written as that day is, in digits or in words,
    as ordinals or not; commas may stand between further ones, and before a conjunction."""
    reach = 0
    for date in dates:
        yield from reversed(list(_find_before(atoms, chart, date, conjunctions, reach)))
        yield date
        reach = date[1]


def _find_before(
    atoms: Sequence[Atom],
    chart: Chart,
    date: _AtomDate,
    conjunctions: Collection[str],
    reach: int,
) -> Iterator[_AtomDate]:
    """The days before a date, from right to left, behind the end of the date before it."""
    start, _, meaning = date
    whole = day_part(meaning)
    if whole[0] not in ("monthday", "ymd") or start < reach + 2:
        return
    if atoms[start - 1].text not in conjunctions:
        return
    ordinals = {(one.start, one.end) for one in chart.items("ordinal")}
    days = sorted(chart.items("day"), key=lambda one: one.start, reverse=True)
    forms = {
        (atoms[one.start].kind, (one.start, one.end) in ordinals)
        for one in days
        if one.start == start
    }
    joining = frozenset(conjunctions)
    while start > reach + 1 and atoms[start - 1].text in joining:
        end = start - 1
        if atoms[end].text in conjunctions and atoms[end - 1].text == ",":
            end -= 1
        ending = [one for one in days if one.end == end and one.start >= reach]
        if not ending:
            return
        day = ending[-1]  # the longest one
        form = atoms[day.start].kind, (day.start, day.end) in ordinals
        if form not in forms or not 1 <= day.meaning <= _LAST_DAY:
            return
        yield day.start, day.end, _with_day(whole, day.meaning)
        start = day.start
        joining = joining | {","}


def _with_day(date_: TimeExpression, day: int) -> TimeExpression:
    """Another day of the month of a date."""
    match date_:
        case "monthday", month, _, *year:
            return "monthday", month, day, *year
        case _, year, month, _:
            return "ymd", year, month, day
    raise ValueError(f"no day of a month: {date_!r}")
