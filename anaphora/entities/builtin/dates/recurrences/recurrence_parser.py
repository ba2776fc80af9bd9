"""Parse recurrence patterns in texts, without resolving them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from anaphora.entities.builtin.chart_parser import Chart, Item
from anaphora.entities.builtin.dates.date_parser import DateParser, get_date_parser
from anaphora.entities.builtin.dates.grammar.date_grammar import RECURRENCE_TABLES
from anaphora.entities.builtin.dates.grammar.islands import DateMatch, Island
from anaphora.entities.builtin.dates.operations.recurrence_patterns import share_bounds
from anaphora.entities.builtin.dates.recurrences.distant_times import (
    RecurrenceMatch,
    join_distant_time,
    needs_time,
)

__all__ = ["RecurrenceParser", "get_recurrence_parser"]

_MAX_COUNT_ATOMS = 5


@lru_cache(maxsize=128)
def get_recurrence_parser(language: str, order: str = "") -> RecurrenceParser:
    """The shared parser of a language; ``order`` is that of day, month and year (``DMY``), if not
    the one of the language."""
    return RecurrenceParser(language, order)


class RecurrenceParser(DateParser):
    """A parser of dates whose grammar has the rules of recurrences besides: a recurrence can use
    whatever a date can say. It is apart, so that dates alone are not slower."""

    tables = RECURRENCE_TABLES

    def find_recurrences(self, text: str) -> list[RecurrenceMatch]:
        """The recurrences, in the order of the text; a single one also with a time that is said
        apart from it."""
        found = [
            RecurrenceMatch(*one)
            for one in self._find_with_endings(text, lambda island: island.recurrences)
        ]
        if len(found) == 1 and needs_time(found[0].patterns):
            dates = get_date_parser(self.language, self._order).find_dates(text)
            return [join_distant_time(text, found[0], dates, self._grammar.conjunctions)]
        return found

    def find_count(self, text: str) -> int | None:
        """How many times the whole text says: once, three times. None for other texts."""
        atoms = self.get_atoms(text)
        if not 0 < len(atoms) <= _MAX_COUNT_ATOMS:
            return None
        items = self._parse_chart(atoms).items("ntimes")
        counts = [one.meaning for one in items if one.end - one.start == len(atoms)]
        return next((count for count in counts if isinstance(count, int) and count > 0), None)

    def _select(self, chart: Chart, is_weak: Sequence[bool]) -> Island:
        found = [
            (item.start, item.end, item.meaning)
            for item in _cover_most(chart.items("recurrence"), len(is_weak))
            if item.meaning  # words that only look like a recurrence have no patterns
        ]
        return Island(recurrences=_join_parts(found, chart) if found else (), edges=chart.edges)


def _cover_most(items: Iterable[Item], size: int) -> Sequence[Item]:
    """The items that cover the most of ``size`` atoms together without an overlap, as few as
    possible: of "Mondays at 9, Fridays at 10" not *at 9, Fridays*, which is the longest."""
    by_end: dict[int, list[Item]] = {}
    for item in items:
        by_end.setdefault(item.end, []).append(item)
    covered: list[tuple[int, int]] = [(0, 0)]  # by the end: the atoms, and minus the items
    chosen: list[tuple[Item, ...]] = [()]
    for end in range(1, size + 1):
        best, kept = covered[-1], chosen[-1]
        for item in by_end.get(end, ()):
            atoms, others = covered[item.start]
            score = atoms + end - item.start, others - 1
            if score > best:
                best, kept = score, (*chosen[item.start], item)
        covered.append(best)
        chosen.append(kept)
    return chosen[-1]


def _join_parts(found: Sequence[DateMatch], chart: Chart) -> tuple[DateMatch, ...]:
    """The recurrences with those that go on behind a conjunction with other days at other times,
    which no single rule can say: every Monday at 9 *and Friday at 10*."""
    conjunctions = chart.items("joint")
    further = chart.items("further")
    with_conjunction = chart.items("andfurther")
    by_start = {one[0]: one for one in found}
    joined: list[DateMatch] = []
    at = 0
    for first in found:
        if first[0] < at:
            continue
        parts: list[DateMatch] = [first]
        while parts[-1][2][0].has_time:
            end = parts[-1][1]
            begins = {end} | {one.end for one in conjunctions if one.start == end}
            items = [one for one in further if one.start in begins - {end}]
            items += [one for one in with_conjunction if one.start == end]
            following = [by_start[begin] for begin in begins if begin in by_start] or [
                (one.start, one.end, one.meaning) for one in items
            ]
            if not following:
                break
            parts.append(max(following, key=lambda part: part[1] - part[0]))
        at = parts[-1][1]
        shared = share_bounds([patterns for _, _, patterns in parts])
        joined += [
            (start, end, patterns) for (start, end, _), patterns in zip(parts, shared, strict=True)
        ]
    return tuple(joined)
