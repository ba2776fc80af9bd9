"""Counts in a text, in digits and in words: what ``#`` stands for in the tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from anaphora.entities.builtin.atoms import Atom
from anaphora.entities.builtin.chart_parser import Item
from anaphora.entities.builtin.numbers.digit_groups import find_groups_end
from anaphora.entities.builtin.numbers.numerals.numeral_reader import get_numeral_reader
from anaphora.entities.builtin.phrasebook import COUNT

__all__ = ["find_counts"]

_MAX_DIGITS = 9
_GROUP_SIZE = 3  # digits between the separators of a thousand
_SEPARATORS = frozenset(",.'’")
_FIRST_UNSPACED = "\u0e00"


def find_counts(found: Sequence[Atom], language: str) -> list[Item]:
    """The whole numbers from 1 on that count something: neither decimals nor percentages,
    ordinals, or numbers with a unit right behind them ("5km")."""
    written = [
        Item(numeral.start, numeral.end, COUNT, numeral.value)
        for numeral in get_numeral_reader(language).find_in_words(found)
        if isinstance(numeral.value, int) and numeral.value > 0 and not numeral.ordinal
    ]
    return [*_find_digit_counts(found), *written]


def _find_digit_counts(found: Sequence[Atom]) -> Iterator[Item]:
    at = 0
    while at < len(found):
        if found[at].kind != "digits":
            at += 1
            continue
        end = find_groups_end(found, at, marks="")
        end = end if end > at + 1 else _number_end(found, at)
        digits = "".join(atom.text for atom in found[at:end] if atom.kind == "digits")
        if _is_free_standing(found, at, end) and len(digits) <= _MAX_DIGITS and int(digits):
            yield Item(at, end, COUNT, int(digits))
        at = end


def _number_end(found: Sequence[Atom], start: int) -> int:
    """Behind all digits and separators that hang together."""
    end = start + 1
    while (
        end + 1 < len(found)
        and found[end].glued
        and found[end].text in _SEPARATORS
        and found[end + 1].glued
        and found[end + 1].kind == "digits"
    ):
        end += 2
    return end


def _is_free_standing(found: Sequence[Atom], start: int, end: int) -> bool:
    groups = (atom for atom in found[start + 1 : end] if atom.kind == "digits")
    if any(len(group.text) != _GROUP_SIZE for group in groups):
        return False
    if start and found[start].glued and found[start - 1].text in "+-−.," and start > 1:
        before = found[start - 1]
        if before.glued and found[start - 2].kind != "word":
            return False
    if end == len(found):
        return True
    behind = found[end]
    if behind.text in "%‰°":
        return False
    return not (behind.glued and behind.kind == "word" and behind.text < _FIRST_UNSPACED)
