"""Find the days beside a date that leave the month to it: *5* или 12 декабря, *der 5.* oder
12. Dezember, May 5, *6* and *7*; and weekdays of one letter: 今週の水、木."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from collections.abc import Set as AbstractSet
from operator import attrgetter
from typing import Any, Final

from anaphora.entities.builtin.atoms import Atom
from anaphora.entities.builtin.chart_parser import Chart
from anaphora.entities.builtin.dates.operations.expression_analysis import day_part
from anaphora.entities.builtin.dates.operations.registry import TimeExpression, iter_expressions

__all__ = ["FollowingDays", "expand_weekdays", "find_listed_days"]

_AtomDate = tuple[int, int, TimeExpression]
LISTED: Final = "listed"
"""The operation of several weekdays, which is replaced by each of them."""
_LAST_DAY: Final = 31
_DAY_DIGITS: Final = 2


def find_listed_days(
    atoms: Sequence[Atom],
    chart: Chart,
    dates: Sequence[_AtomDate],
    conjunctions: Collection[str],
    weak: AbstractSet[str],
) -> Iterator[_AtomDate]:
    """The dates by their atoms, in the order of the text, and the days that a conjunction joins to
    the day at the beginning of one of them. They are written as that day is, in digits or in words,
    as ordinals or not; commas may stand between further ones, and before a conjunction, and a
    ``weak`` word before a day. Two neighbouring days behind a further one are days, too, and no
    range."""
    reach = 0
    for date in dates:
        date = _without_pair(atoms, chart, date, conjunctions, weak)
        yield from reversed(list(_find_before(atoms, chart, date, conjunctions, weak, reach)))
        yield date
        reach = date[1]


def _without_pair(
    atoms: Sequence[Atom],
    chart: Chart,
    date: _AtomDate,
    conjunctions: Collection[str],
    weak: AbstractSet[str],
) -> _AtomDate:
    """The second of the two days of a date (6 y 7 de mayo), if another one is before them."""
    start, end, meaning = date
    is_pair = meaning[0] == "span" and meaning[2][0] == "monthday" and len(meaning[2]) == 4
    if not is_pair or start < 2 or atoms[start - 1].text not in {",", *weak}:
        return date
    is_joined = any(atom.text in conjunctions for atom in atoms[start:end])
    comma = _skip_weak(atoms, start, (), weak - {","}) - 1
    is_day = atoms[comma].text == "," and any(one.end == comma for one in chart.items("day"))
    if not (is_joined and is_day):
        return date
    _, month, day, year = meaning[2]
    last = ("monthday", month, day) if year is None else ("ymd", year, month, day)
    starts = [
        one.start
        for one in chart.items("date")
        if one.end == end and one.start > start and one.meaning == last
    ]
    return (max(starts), end, last) if starts else date


def _find_before(
    atoms: Sequence[Atom],
    chart: Chart,
    date: _AtomDate,
    conjunctions: Collection[str],
    weak: AbstractSet[str],
    reach: int,
) -> Iterator[_AtomDate]:
    """The days before a date, from right to left, behind the end of the date before it."""
    start, _, meaning = date
    whole = day_part(meaning)
    if whole[0] not in ("monthday", "ymd") or start < reach + 2:
        return
    joint = _skip_weak(atoms, start, conjunctions, weak)
    if atoms[joint - 1].text not in conjunctions:
        return
    ordinals = {(one.start, one.end) for one in chart.items("ordinal")}
    days = sorted(chart.items("day"), key=lambda one: one.start, reverse=True)
    forms = {
        (atoms[one.start].kind, (one.start, one.end) in ordinals)
        for one in days
        if one.start == start
    }
    joining = frozenset(conjunctions)
    while joint > reach + 1 and atoms[joint - 1].text in joining:
        end = joint - 1
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
        joining = joining | {","}
        joint = _skip_weak(atoms, day.start, joining, weak)


def _skip_weak(
    atoms: Sequence[Atom], at: int, joining: Collection[str], weak: AbstractSet[str]
) -> int:
    """The start of a day with the article or preposition before it: or *the* 9th."""
    before = atoms[at - 1].text if at else ""
    return at - 1 if at > 1 and before in weak and before not in joining else at


def expand_weekdays(chart: Chart, dates: Sequence[_AtomDate]) -> Iterator[_AtomDate]:
    """The dates by their atoms, one for each of several weekdays in one word (周一、三、五): the
    first one with what is before them, the last one with what is behind."""
    for date in dates:
        start, end, meaning = date
        listed = [part for part in iter_expressions(meaning) if part[0] == LISTED]
        if not listed:
            yield date
            continue
        names = sorted(chart.items("weekdayname"), key=lambda one: one.start)
        places: list[tuple[int, int]] = []
        for day in listed[0][1:]:
            reach = places[-1][1] if places else start
            found = [one for one in names if one.start >= reach and one.meaning == day[1]]
            places.append((found[0].start, found[0].end))
        begins = [start, *[first for first, _ in places[1:]]]
        ends = [*[last for _, last in places[:-1]], end]
        for first, last, day in zip(begins, ends, listed[0][1:], strict=True):
            yield first, last, _replace_part(meaning, listed[0], day)


def _replace_part(meaning: Any, part: TimeExpression, by: TimeExpression) -> Any:
    if meaning == part:
        return by
    if not isinstance(meaning, tuple):
        return meaning
    return tuple([_replace_part(one, part, by) for one in meaning])


class FollowingDays:
    """Adds to dates the days that one of the ``conjunctions`` joins to a day behind its month, at
    the end of a text, before a mark or before one of the ``words`` that nothing counts: May 5, 6
    and 7. A year behind the last one is that of all."""

    def __init__(
        self, conjunctions: Collection[str], suffixes: Collection[str], words: Collection[str]
    ) -> None:
        self._conjunctions, self._suffixes, self._words = conjunctions, suffixes, words

    def add(self, dates: Sequence[_AtomDate], atoms: Sequence[Atom]) -> Iterator[_AtomDate]:
        """The dates, by offsets in the text, and the days that are joined to them, in the order of
        the text."""
        year = 0
        for at, date in enumerate(dates):
            if year and year == at:
                continue
            following = dates[at + 1] if at + 1 < len(dates) else None
            days = self._find(date, following, atoms)
            if days and following is not None and self._has_year(days[-1], following, atoms):
                year = at + 1
                days = [
                    (start, end, ("ymd", following[2][1], *meaning[1:3]))
                    for start, end, meaning in days
                ]
                days[-1] = days[-1][0], following[1], days[-1][2]
            yield from days or (date,)

    def _find(
        self, date: _AtomDate, following: _AtomDate | None, atoms: Sequence[Atom]
    ) -> list[_AtomDate]:
        """A day and those behind it, before the following date; empty if there are none."""
        _, end, whole = date
        if whole[0] not in ("monthday", "ymd"):
            return []
        at = bisect_left(atoms, end, key=attrgetter("start"))
        is_ordinal = atoms[at - 1].text in self._suffixes
        last = atoms[at - 1 - is_ordinal]
        if last.kind != "digits" or int(last.text) != whole[2 if whole[0] == "monthday" else 3]:
            return []
        limit = following[0] if following is not None else atoms[-1].end
        found, day = [date], int(last.text)
        is_last = False
        while not is_last and at < len(atoms) and (atoms[at].text in {",", *self._conjunctions}):
            at += atoms[at].text == ","
            is_last = at < len(atoms) and atoms[at].text in self._conjunctions
            at += is_last
            digits = atoms[at] if at < len(atoms) else None
            if digits is None or digits.kind != "digits" or len(digits.text) > _DAY_DIGITS:
                return []
            if not day < int(digits.text) <= _LAST_DAY or digits.end > limit:
                return []
            day, at = int(digits.text), at + 1
            if is_ordinal:
                if at == len(atoms) or atoms[at].text not in self._suffixes:
                    return []
                at += 1
            found.append((digits.start, atoms[at - 1].end, _with_day(whole, day)))
        is_free = at == len(atoms) or (atoms[at].kind == "mark" and not atoms[at].glued)
        return found if is_last and (is_free or self._ends_list(atoms, at)) else []

    def _ends_list(self, atoms: Sequence[Atom], at: int) -> bool:
        """Whether what is behind a day is not counted by it: a mark that nothing is glued to, or a
        word."""
        if atoms[at].kind == "mark":
            return at + 1 == len(atoms) or not atoms[at + 1].glued
        return atoms[at].text in self._words

    def _has_year(self, day: _AtomDate, year: _AtomDate, atoms: Sequence[Atom]) -> bool:
        first = bisect_left(atoms, day[1], key=attrgetter("start"))
        last = bisect_left(atoms, year[0], key=attrgetter("start"))
        between = [atom.text for atom in atoms[first:last]]
        return year[2][0] == "year" and day[2][0] == "monthday" and between in ([","], [])


def _with_day(date_: TimeExpression, day: int) -> TimeExpression:
    """Another day of the month of a date."""
    match date_:
        case "monthday", month, _, *year:
            return "monthday", month, day, *year
        case _, year, month, _:
            return "ymd", year, month, day
    raise ValueError(f"no day of a month: {date_!r}")
