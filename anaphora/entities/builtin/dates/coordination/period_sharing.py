"""Share the week, the month or the year of one date with those that are joined to it: Monday or
*Tuesday next week*, the 5th or *the 6th of May*."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from itertools import pairwise
from typing import Final, Literal, TypeAlias

from anaphora.entities.builtin.atoms import Atom
from anaphora.entities.builtin.chart_parser import Chart, Item
from anaphora.entities.builtin.dates.operations.expression_analysis import (
    TIMED_OPERATIONS,
    day_part,
)
from anaphora.entities.builtin.dates.operations.registry import TimeExpression

__all__ = ["PeriodSharing"]

_COMMAS: Final = frozenset({",", "،", "、", "，", "/"})
_WEEKDAYS: Final = frozenset({"weekday_in", "next_weekday", "last_weekday", "this_weekday"})
# By the operation of a date, the category of the word that is its day, or its month.
_CORES: Final = {
    "weekday": "anyweekday", **dict.fromkeys(_WEEKDAYS, "anyweekday"), "day_of_month": "day",
    "nth": "day", "month": "anymonth", "month_of": "anymonth",
}  # fmt: skip

_AtomDate: TypeAlias = tuple[int, int, TimeExpression]
"""A date by its atoms (half open)."""
_Side: TypeAlias = Literal["before", "behind", "", None]


class PeriodSharing:
    """Completes dates that are joined by one of the ``conjunctions``, or a comma, with
    ``prepositions`` beside it; the atoms of these are separated by blanks.

    What stands before the first day belongs to all that follow (next week Monday or Tuesday), what
    stands behind the last day to all before it. ``parse`` makes a chart of some atoms.
    """

    def __init__(
        self,
        conjunctions: Collection[str],
        prepositions: Collection[str],
        parse: Callable[[Sequence[Atom]], Chart],
    ) -> None:
        self._conjunctions = frozenset(conjunctions)
        joining = "|".join(map(re.escape, _COMMAS.union(conjunctions)))
        beside = "|".join(map(re.escape, prepositions)) or "(?!)"
        self._between = re.compile(rf" ((?:{beside}) )*((?:{joining}) )+((?:{beside}) )*")
        self._parse = parse

    def share(self, atoms: Sequence[Atom], dates: Sequence[_AtomDate]) -> list[_AtomDate]:
        """The dates, each with the period of its neighbor if it leaves that open."""
        shared = list(dates)
        sides: list[_Side] = [None] * len(dates)
        joined = [
            at for at, (one, other) in enumerate(pairwise(dates)) if self._joins(atoms, one, other)
        ]
        for at in joined:
            self._complete(atoms, shared, sides, (at, at + 1), "before")
        for at in reversed(joined):
            self._complete(atoms, shared, sides, (at + 1, at), "behind")
        return shared

    def _joins(self, atoms: Sequence[Atom], one: _AtomDate, other: _AtomDate) -> bool:
        """Whether nothing but a conjunction stands between two dates, or is the ending of the first
        one."""
        if one[1] == other[0]:
            last = atoms[one[1] - 1]
            return last.glued and last.text in self._conjunctions
        between = " ".join(["", *[atom.text for atom in atoms[one[1] : other[0]]], ""])
        return self._between.fullmatch(between) is not None

    def _complete(
        self,
        atoms: Sequence[Atom],
        dates: list[_AtomDate],
        sides: list[_Side],
        pair: tuple[int, int],
        side: _Side,
    ) -> None:
        """Complete the second date of a pair by the first one, if the period of that stands on the
        given side of its day. ``sides`` has those that are known."""
        known, open_ = pair
        start, end, whole = dates[known]
        first, last, part = dates[open_]
        found = _share_period(day_part(whole), day_part(part))
        if found is None:
            return
        if sides[known] is None:
            sides[known] = self._find_side(atoms[start:end], day_part(whole))
        if sides[known] == side:
            dates[open_] = first, last, _replace_day(part, found)
            sides[open_] = side

    def _find_side(self, atoms: Sequence[Atom], date_: TimeExpression) -> _Side:
        """The side of its day on which the period of a date stands; '' if that is not known."""
        chart = self._parse(atoms)
        spans = [item for item in chart.items("date") if item.meaning == date_]
        if not spans:
            return ""
        whole = min(spans, key=lambda item: item.end - item.start)
        if date_[0] == "ymd":
            years = [item for item in chart.items("year") if item.meaning == date_[1]]
            is_last = any(year.end == whole.end for year in years)
            return "behind" if is_last else "before" if years else ""
        cores = _find_cores(chart, date_)
        if any(core.start <= whole.start and core.end < whole.end for core in cores):
            return "behind"
        return "before" if any(core.end == whole.end for core in cores) else ""


def _find_cores(chart: Chart, date_: TimeExpression) -> list[Item]:
    """The items that may be the day of a date without its period."""
    if date_[0] == "in_year":
        date_ = date_[1]
    if date_[0] == "monthday":
        return [
            *[one for one in chart.items("date") if one.meaning == date_[:3]],
            *[one for one in chart.items("day") if one.meaning == date_[2]],
        ]
    return [one for one in chart.items(_CORES[date_[0]]) if one.meaning == date_[1]]


def _share_period(whole: TimeExpression, part: TimeExpression) -> TimeExpression | None:
    """The date that the ``part`` is in the week, month or year of the ``whole``; None if it is in
    one already, or the other one names none."""
    match part, whole:
        case ("weekday", int(day)), ("weekday", _, int(week)):
            return "weekday", day, week
        case ("weekday", int(day)), (str(name), _, *period) if name in _WEEKDAYS:
            return name, day, *period
        case ("day_of_month", int(day)), ("monthday", int(month), _, *year):
            return "monthday", month, day, *year
        case ("day_of_month", int(day)), ("ymd", year, month, _):
            return "ymd", year, month, day
        case ("day_of_month", int(day)), ("day_of_month", _, month):
            return "day_of_month", day, month
        case ("day_of_month", int(day)), ("nth", _, "day", period):
            return "nth", day, "day", period
        case ("month", int(month)), ("month_of", _, year):
            return "month_of", month, year
        case ("month", int(month)), ("month", _, year):
            return "month", month, year
        case ("monthday", int(month), int(day)), ("monthday", _, _, int(year)):
            return "monthday", month, day, year
        case ("monthday", int(month), int(day)), ("ymd", year, _, _):
            return "ymd", year, month, day
        case (("month" | "monthday" | "day_of_month"), *_), ("in_year", date_, year):
            inner = part if date_[0] == part[0] else _share_period(date_, part)
            return inner and ("in_year", inner, year)
    return None


def _replace_day(date_: TimeExpression, day: TimeExpression) -> TimeExpression:
    """The date on another day, with its time or part of a day."""
    if date_[0] not in TIMED_OPERATIONS:
        return day
    return date_[0], _replace_day(date_[1], day), *date_[2:]
