"""Find bare hours that are joined to a time: tomorrow at 6 *or 7*."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Sequence
from operator import attrgetter
from typing import Final, TypeAlias

from anaphora.entities.builtin.atoms import Atom
from anaphora.entities.builtin.dates.operations.registry import TimeExpression

__all__ = ["JoinedHours"]

_DateMatch: TypeAlias = tuple[int, int, TimeExpression]
"""The offsets of a date in the text (half open), and what it means."""

_WITH_CLOCK: Final = frozenset({"at", "clock"})  # the operations of times
_MAX_DIGITS: Final = 2


class JoinedHours:
    """Adds to dates the hours that one of the ``conjunctions`` joins to them, at the end of a text,
    before a mark, or behind the time of a known day before one of the ``prepositions``: elsewhere
    they may count what follows. ``read_clock`` gives the time that an atom is alone, if any."""

    def __init__(
        self,
        conjunctions: Collection[str],
        prepositions: Collection[str],
        read_clock: Callable[[Atom], TimeExpression | None],
    ) -> None:
        self._conjunctions, self._prepositions = conjunctions, prepositions
        self._read_clock = read_clock

    def add(self, dates: Sequence[_DateMatch], atoms: Sequence[Atom]) -> Iterator[_DateMatch]:
        """The dates, and the hours that are joined to them, in the order of the text."""
        for at, date_ in enumerate(dates):
            yield date_
            limit = dates[at + 1][0] if at + 1 < len(dates) else atoms[-1].end
            if date_[2][0] in _WITH_CLOCK and (hour := self._find_hour(date_, atoms, limit)):
                yield hour

    def _find_hour(self, date_: _DateMatch, atoms: Sequence[Atom], limit: int) -> _DateMatch | None:
        """The hour behind a date, and before the ``limit``."""
        end = bisect_left(atoms, date_[1], key=attrgetter("start"))
        if end + 1 >= len(atoms) or atoms[end].text not in self._conjunctions:
            return None
        hour, *behind = atoms[end + 1 : end + 3]
        if hour.end > limit or (hour.kind == "digits" and len(hour.text) > _MAX_DIGITS):
            return None
        if behind and behind[0].kind != "mark":
            has_day = date_[2][0] == "at"
            if not (has_day and behind[0].text in self._prepositions):
                return None
        clock = self._read_clock(hour)
        return None if clock is None else (hour.start, hour.end, clock)
