"""When facts hold: the rules by which statements become facts, with no database.

A *timeline* holds the facts that exclude each other: those of a subject and a functional relation,
or else those with the same subject, relation and object. At any time at most one of them holds: the
one that was last stated by then, whatever the order in which the statements arrive. Of two
statements for the same moment the later arrival counts. Nothing is deleted: a fact that lost its
whole time ends when it began.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

__all__ = ["FOREVER", "FactRow", "Timeline", "close_gaps"]

FOREVER = 2**63 - 1
"""The end of a fact that still holds."""


@dataclass(slots=True)
class FactRow:
    """A fact as stored; times are microseconds since 1970, and entities are given by id.

    ``retracted_at`` is the end that was set by a retraction, ``FOREVER`` without one.
    """

    id: int
    subject: int
    relation: int
    object: int
    valid_at: int
    invalid_at: int
    retracted_at: int
    created_at: int
    last_at: int
    count: int
    source: str

    @property
    def is_void(self) -> bool:
        """Whether it never holds."""
        return self.invalid_at <= self.valid_at

    def holds_at(self, time: int) -> bool:
        return self.valid_at <= time < self.invalid_at


NewRow = Callable[[int, int], FactRow]
"""Makes the row of a new fact from its object and the time from which it holds. It holds for ever
and has the count 0."""
SplitRow = Callable[[FactRow, int], FactRow | None]
"""Moves the statements of a fact after a time to a new fact, and returns its row, which begins with
the first of them; None if there are none before the end of the fact."""


class Timeline:
    """The facts that exclude each other. :attr:`changed` holds those that were changed, by id."""

    def __init__(self, rows: Iterable[FactRow], *, new_row: NewRow, split_row: SplitRow) -> None:
        self.rows = list(rows)
        self.changed: dict[int, FactRow] = {}
        self._new_row, self._split_row = new_row, split_row

    def state(self, object: int, at: int) -> FactRow:
        """Enter the statement that the fact with this object holds at a time; return the fact."""
        for row in self._holding(at):
            if row.object == object:
                return self._change(row)
        following = self._following(at)
        end = FOREVER if following is None else following.valid_at
        for row in self._holding(at):
            end = min(end, self._interrupt(row, at))
        if following is not None and following.object == object and end == following.valid_at:
            following.valid_at = at
            return self._change(following)
        new = self._new_row(object, at)
        new.invalid_at = end
        self.rows.append(new)
        return self._change(new)

    def _interrupt(self, row: FactRow, at: int) -> int:
        """End a fact at a time. If it was stated again later it holds again from then on; returns
        the time of that, FOREVER if never."""
        rest = self._split_row(row, at) if row.last_at > at else None
        if rest is not None:
            rest.invalid_at, rest.retracted_at = row.invalid_at, row.retracted_at
            row.retracted_at = FOREVER
            self.rows.append(rest)
            self._change(rest)
        row.invalid_at = at
        self._change(row)
        return FOREVER if rest is None else rest.valid_at

    def _holding(self, at: int) -> list[FactRow]:
        """Return the facts that hold at a time: one, unless the relation has not been functional
        from the beginning."""
        return [row for row in self.rows if row.holds_at(at)]

    def _following(self, at: int) -> FactRow | None:
        """Return the fact that begins next after a time."""
        later = [row for row in self.rows if row.valid_at > at and not row.is_void]
        return min(later, key=lambda row: (row.valid_at, row.id), default=None)

    def _change(self, row: FactRow) -> FactRow:
        self.changed[row.id] = row
        return row


def close_gaps(rows: Iterable[FactRow]) -> None:
    """Let each fact of a timeline hold until the next one begins, or until it was retracted: after
    facts between them were erased."""
    # Of facts that begin at the same time, those that were overruled come first.
    ordered = sorted(rows, key=lambda row: (row.valid_at, not row.is_void, row.id))
    end = FOREVER
    for place in range(len(ordered) - 1, -1, -1):
        row = ordered[place]
        row.invalid_at = max(row.valid_at, min(end, row.retracted_at))
        end = row.valid_at
