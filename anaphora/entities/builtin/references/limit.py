"""The built-in entity ``limit``: how many of something, and from which end.

The phrases are in ``languages/<code>/limits.yaml``; ``#`` is a number or one of the amounts:

- ``descending`` and ``ascending``: phrases for the greatest, best or latest ("top #"), or for the
  least, worst or first ("bottom #"); ``either``: phrases without a direction ("# of");
- ``before``: phrases that follow what they limit ("# in total");
- ``bare``: ``descending`` and ``ascending`` phrases without a number ("top cities"), whose number
  is the option ``default``;
- ``alone``: amounts that are limits by themselves ("a few"); ``amounts``: others ("dozen"), each
  under its number;
- ``none``: phrases that are no limits ("on top of").

The value is the number. In the metadata ``limit`` is the number, ``asc`` indicates whether the
least come first (absent without a direction), and ``refers`` is ``before`` for phrases of that
section. The target is resolved later: see :mod:`anaphora.entities.builtin.references.resolution`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from anaphora.entities.builtin.atoms import Atom
from anaphora.entities.builtin.chart_parser import Item
from anaphora.entities.builtin.numbers.digits import GROUP_SIZE, find_groups_end
from anaphora.entities.builtin.numbers.numerals.numeral_reader import get_numeral_reader
from anaphora.entities.builtin.phrasebook import (
    COUNT,
    NO_MATCH,
    Phrasebook,
    PhraseRecognizer,
    leftmost_longest,
    load_phrase_tables,
)
from anaphora.entities.recognizers.recognizer import Mention, Recognizer
from anaphora.entities.words.normalization import base_code
from anaphora.entities.words.scripts import FIRST_UNSPACED

__all__ = ["create"]

_MAX_DIGITS = 9  # of a count
_SEPARATORS = frozenset(",.'’")
_DIRECTIONS: Mapping[str, bool | None] = {"descending": False, "ascending": True, "either": None}


@dataclass(frozen=True, slots=True)
class _LimitKind:
    """The meaning of a phrase; ``count`` is the number of an amount, ``bare`` means the default."""

    asc: bool | None = None
    before: bool = False
    bare: bool = False
    count: int = 0


def create(language: str, options: Mapping[str, Any]) -> Recognizer:
    """Create the recognizer of limits in a language; it uses the option ``default``."""
    code = base_code(language)
    return _LimitRecognizer(_phrasebook(code), code, int(options.get("default", 10)))


@lru_cache(maxsize=32)
def _phrasebook(language: str) -> Phrasebook:
    book = Phrasebook(language)
    for table in load_phrase_tables("limits", language):
        book.add_beside(table.get("none", ()), NO_MATCH, table)
        for section, asc in _DIRECTIONS.items():
            book.add(table.get(section, ()), _LimitKind(asc), table)
            bare = table.get("bare", {}).get(section, ())
            book.add(bare, _LimitKind(asc, bare=True), table)
        book.add(table.get("before", ()), _LimitKind(before=True), table)
        for count, phrases in table.get("alone", {}).items():
            book.add(phrases, _LimitKind(count=int(count)), table)
            book.add_count(phrases, int(count), table)
        for count, phrases in table.get("amounts", {}).items():
            book.add_count(phrases, int(count), table)
    return book.finish()


class _LimitRecognizer(PhraseRecognizer):
    def __init__(self, book: Phrasebook, language: str, default: int) -> None:
        super().__init__(book)
        self._language = language
        self._default = default

    def _find_mentions(self, atoms: Sequence[Atom]) -> list[Mention]:
        phrases = self._book.read(atoms, _find_counts(atoms, self._language))
        usable = [item for item in phrases if not _is_bare(item) or _is_word_at(atoms, item.end)]
        return [
            self._to_mention(item, atoms)
            for item in leftmost_longest(usable)
            if item.meaning != NO_MATCH
        ]

    def _to_mention(self, item: Item, atoms: Sequence[Atom]) -> Mention:
        if isinstance(item.meaning, _LimitKind):
            kind, limit = item.meaning, item.meaning.count or self._default
        else:
            kind, limit = item.meaning
        meta: dict[str, Any] = {"limit": limit}
        if kind.asc is not None:
            meta["asc"] = kind.asc
        if kind.before:
            meta["refers"] = "before"
        return Mention(atoms[item.start].start, atoms[item.end - 1].end, str(limit), meta)


def _is_bare(item: Item) -> bool:
    return isinstance(item.meaning, _LimitKind) and item.meaning.bare


def _is_word_at(atoms: Sequence[Atom], end: int) -> bool:
    """Whether the next atom is a word: "top cities", but not "the top" or "top 10.5"."""
    return end < len(atoms) and atoms[end].kind == "word"


def _find_counts(atoms: Sequence[Atom], language: str) -> list[Item]:
    """The whole numbers from 1 on that can be counts, as items of ``COUNT``: no decimals,
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
