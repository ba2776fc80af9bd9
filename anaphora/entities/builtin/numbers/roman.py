"""Find numbers in Roman digits beside words that ask for one: chapter IV, Louis XIV, XXI century.

The words come from ``roman`` in ``languages/<code>/numbers.yaml``. Roman digits alone are letters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from anaphora.entities.builtin.atoms import Atom
from anaphora.entities.builtin.numbers.phrase_lookup import PhraseLookup, iter_phrases
from anaphora.entities.languages import cached_table
from anaphora.entities.words.normalization import base_code

__all__ = [
    "ROMAN_LETTERS",
    "RomanContext",
    "RomanNumber",
    "find_roman_numbers",
    "load_roman_context",
]

_TO_LATIN = str.maketrans("ХІМС", "XIMC")  # Cyrillic letters of the same form
ROMAN_LETTERS = "ivxlcdmхімс"
"""The letters of Roman digits, in lower case."""

_LETTERS = ROMAN_LETTERS.upper()
_CANDIDATE = re.compile(rf"(?<!\w)(?:[{_LETTERS}]+|(?!vi\b|xi\b)[ivx]{{2,}}\b)")
# Two searches of one class each take a third of the time of the whole pattern.
_UPPER = re.compile(f"[{_LETTERS}]")
_LOWER = re.compile(r"\s[ivx]{2}")
_CANONICAL = re.compile("M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")
_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
_SINGLE_LETTERS = frozenset("IVX")  # section C is no 100


@dataclass(frozen=True, slots=True)
class RomanContext:
    """The words beside which Roman digits are a number; True for those that make an ordinal."""

    before: PhraseLookup[bool]
    after: PhraseLookup[bool]


@dataclass(frozen=True, slots=True)
class RomanNumber:
    """A number in Roman digits; ``start`` and ``end`` are indexes of atoms (half open)."""

    start: int
    end: int
    value: int
    ordinal: bool


def load_roman_context(language: str) -> RomanContext | None:
    """The words of a language; None if it has none."""
    written = cached_table(base_code(language), "numbers").get("roman")
    if written is None:
        return None
    return RomanContext(
        before=PhraseLookup(
            language,
            [
                (word, key == "ordinal")
                for key in ("cardinal", "ordinal")
                for word, _ in iter_phrases(written, key)
            ],
        ),
        after=PhraseLookup(
            language, [(word, True) for word, _ in iter_phrases(written, "ordinal_after")]
        ),
    )


def find_roman_numbers(
    context: RomanContext | None, text: str, atoms: Sequence[Atom], suffixes: Set[str]
) -> Iterator[RomanNumber]:
    """The numbers in Roman digits, in order; ``suffixes`` are the endings of ordinals in digits
    (*XIXe siècle*)."""
    if context is None or not (_UPPER.search(text) or _LOWER.search(text)):
        return
    for index, atom in enumerate(atoms):
        match = _CANDIDATE.match(text, atom.start, atom.end) if atom.kind == "word" else None
        if match is None:
            continue
        letters = match.group().upper().translate(_TO_LATIN)
        rest = text[match.end() : atom.end].casefold()
        if _CANONICAL.fullmatch(letters) is None or (rest and rest not in suffixes):
            continue
        end = _skip_suffix(atoms, index + 1, suffixes)
        if len(letters) == 1 and not _may_be_single(letters, atoms, end):
            continue
        before = context.before.find_before(atoms, index)
        if before is not None:
            yield RomanNumber(index, end, _value_of(letters), before[1])
        elif context.after.find_after(atoms, end) is not None:
            yield RomanNumber(index, end, _value_of(letters), ordinal=True)


def _skip_suffix(atoms: Sequence[Atom], end: int, suffixes: Set[str]) -> int:
    """The end of the number with its suffix or dot: XXI-го, *XXI. Jahrhundert*."""
    if end + 1 >= len(atoms) or not atoms[end].glued:
        return end
    if atoms[end].text == "." and atoms[end + 1].kind == "word":
        return end + 1
    if atoms[end].text == "-" and atoms[end + 1].text in suffixes and atoms[end + 1].glued:
        return end + 2
    return end


def _may_be_single(letters: str, atoms: Sequence[Atom], end: int) -> bool:
    """Whether a single letter is a number: "chapter V", but "section C". An I before a word may be
    the pronoun."""
    if letters not in _SINGLE_LETTERS:
        return False
    return letters != "I" or end == len(atoms) or atoms[end].kind == "mark"


def _value_of(letters: str) -> int:
    values = [_VALUES[letter] for letter in letters]
    smaller = [
        -one if one < following else one
        for one, following in zip(values, [*values[1:], 0], strict=True)
    ]
    return sum(smaller)
