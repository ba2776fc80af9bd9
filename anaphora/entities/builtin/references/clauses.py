"""Split a text into clauses at punctuation marks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from anaphora.entities.builtin.atoms import Atom
from anaphora.entities.builtin.chart_parser import Item
from anaphora.entities.tokens import sentence_ends

__all__ = ["SENTENCE_MARKS", "Clause", "split_clauses"]

SENTENCE_MARKS = sentence_ends.SENTENCE_MARKS | frozenset(";；؛\n")


@dataclass(frozen=True, slots=True)
class Clause:
    """The phrases of one clause, which has the atoms from ``start`` up to ``end``."""

    start: int
    end: int
    items: tuple[Item, ...]


def split_clauses(
    items: Sequence[Item], atoms: Sequence[Atom], marks: frozenset[str]
) -> Iterator[Clause]:
    """The clauses of a text that have any of the phrases (``items``, sorted, without overlaps). A
    mark inside a phrase ("vs.") or a number ("3.5") is no boundary."""
    inside = {at for item in items for at in range(item.start, item.end)}
    ends = [
        at
        for at, atom in enumerate(atoms)
        if atom.text in marks and at not in inside and not _is_inside_word(atoms, at)
    ]
    start = taken = 0
    for end in (*ends, len(atoms)):
        first = taken
        while taken < len(items) and items[taken].start < end:
            taken += 1
        if first < taken:
            yield Clause(start, end, tuple(items[first:taken]))
        start = end + 1


def _is_inside_word(atoms: Sequence[Atom], at: int) -> bool:
    return at + 1 < len(atoms) and atoms[at].glued and atoms[at + 1].glued
