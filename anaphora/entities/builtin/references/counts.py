"""Find counts in digits and in words, for ``#`` in the tables of phrases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from anaphora.entities.builtin.atoms import Atom
from anaphora.entities.builtin.chart_parser import Item
from anaphora.entities.builtin.numbers.digits import GROUP_SIZE, find_groups_end
from anaphora.entities.builtin.numbers.numerals.numeral_reader import get_numeral_reader
from anaphora.entities.builtin.phrasebook import COUNT
from anaphora.entities.words.scripts import FIRST_UNSPACED

__all__ = ["find_counts"]

_MAX_DIGITS = 9
_SEPARATORS = frozenset(",.'’")


def find_counts(atoms: Sequence[Atom], language: str) -> list[Item]:
    """The whole numbers from 1 on that can be counts, as items of :data:`.COUNT`: no decimals,
    percentages, ordinals, or numbers with a unit attached ("5km")."""
    written = [
        Item(numeral.start, numeral.end, COUNT, numeral.value)
        for numeral in get_numeral_reader(language).find_in_words(atoms)
        if isinstance(numeral.value, int) and numeral.value > 0 and not numeral.ordinal
    ]
    return [*_find_digit_counts(atoms), *written]


def _find_digit_counts(atoms: Sequence[Atom]) -> Iterator[Item]:
    at = 0
    while at < len(atoms):
        if atoms[at].kind != "digits":
            at += 1
            continue
        end = find_groups_end(atoms, at, marks="")
        end = end if end > at + 1 else _number_end(atoms, at)
        digits = "".join(atom.text for atom in atoms[at:end] if atom.kind == "digits")
        if _is_free_standing(atoms, at, end) and len(digits) <= _MAX_DIGITS and int(digits):
            yield Item(at, end, COUNT, int(digits))
        at = end


def _number_end(atoms: Sequence[Atom], start: int) -> int:
    """The end of a run of digits and separators without blanks."""
    end = start + 1
    while (
        end + 1 < len(atoms)
        and atoms[end].glued
        and atoms[end].text in _SEPARATORS
        and atoms[end + 1].glued
        and atoms[end + 1].kind == "digits"
    ):
        end += 2
    return end


def _is_free_standing(atoms: Sequence[Atom], start: int, end: int) -> bool:
    groups = (atom for atom in atoms[start + 1 : end] if atom.kind == "digits")
    if any(len(group.text) != GROUP_SIZE for group in groups):
        return False
    if start and atoms[start].glued and atoms[start - 1].text in "+-−.," and start > 1:
        before = atoms[start - 1]
        if before.glued and atoms[start - 2].kind != "word":
            return False
    if end == len(atoms):
        return True
    behind = atoms[end]
    if behind.text in "%‰°":
        return False
    return not (behind.glued and behind.kind == "word" and behind.text < FIRST_UNSPACED)
