"""The parts of a text between marks, with the phrases in them."""

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
    """Phrases that no mark parts, and the atoms from ``start`` up to ``end`` around them."""

    start: int
    end: int
    items: tuple[Item, ...]


def split_clauses(
    items: Sequence[Item], found: Sequence[Atom], marks: frozenset[str]
) -> Iterator[Clause]:
    """The parts of a text in which any of the phrases stand, which come in their order and don't
    overlap. A mark inside a phrase ("vs.") or a number ("3.5") parts nothing."""
    inside = {at for item in items for at in range(item.start, item.end)}
    ends = [
        at
        for at, atom in enumerate(found)
        if atom.text in marks and at not in inside and not _is_inside_word(found, at)
    ]
    start = taken = 0
    for end in (*ends, len(found)):
        first = taken
        while taken < len(items) and items[taken].start < end:
            taken += 1
        if first < taken:
            yield Clause(start, end, tuple(items[first:taken]))
        start = end + 1


def _is_inside_word(found: Sequence[Atom], at: int) -> bool:
    return at + 1 < len(found) and found[at].glued and found[at + 1].glued
