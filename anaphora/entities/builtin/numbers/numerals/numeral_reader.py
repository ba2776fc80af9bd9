"""Numerals in words: "two hundred and five", «двадцать пятого», *vierundzwanzig*, 二百五.

What the words mean is in ``languages/<code>/numerals.yaml`` (that of ``en`` says what the keys
are), see :mod:`anaphora.entities.builtin.numbers.numerals.numeral_vocabulary`; how they are put
together, in :mod:`anaphora.entities.builtin.numbers.numerals.numeral_parser`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

from anaphora.entities.builtin.atoms import Atom, AtomKind
from anaphora.entities.builtin.numbers.numerals.numeral_parser import Numeral, NumeralParser
from anaphora.entities.builtin.numbers.numerals.numeral_vocabulary import (
    NumeralTerm,
    NumeralToken,
    NumeralVocabulary,
    load_vocabulary,
)

__all__ = ["EmbeddedNumber", "Numeral", "NumeralReader", "get_numeral_reader"]

_MAX_NUMERALS = 1_000  # numerals; no utterance has more
_CACHED_ROWS = 4_096  # rows of words
_MAX_CACHED_ATOMS = 12  # atoms

_CachedNumerals: TypeAlias = tuple[tuple[int, int, int | Fraction, bool, bool, int], ...]
"""Numerals by what they are made of, from the start of the row in which they stand."""


@dataclass(frozen=True, slots=True)
class EmbeddedNumber:
    """A number in digits that stands among the words ("5 million"); ``end`` is the atom after
    it."""

    end: int
    value: int | Fraction


@lru_cache(maxsize=32)
def get_numeral_reader(language: str) -> NumeralReader:
    """The reader of a language; one that finds nothing for a language without a table."""
    return NumeralReader(load_vocabulary(language))


class NumeralReader:
    """Reads the numerals of one language. It may be used by many threads at a time."""

    def __init__(self, words: NumeralVocabulary) -> None:
        self._vocabulary = words
        # Few numbers are said often, and to put one together takes half of the whole time.
        self._cached_rows = lru_cache(maxsize=_CACHED_ROWS)(self._read_words)

    def find_in_words(self, found: Sequence[Atom]) -> list[Numeral]:
        """The longest numerals in words, in their order: among them words that are often
        something else (*un*, "second"), see :meth:`is_weak`."""
        slots = self._vocabulary.tokenize(found)
        return self._read(found, slots) if slots else []

    def find_mixed(
        self, found: Sequence[Atom], literals: Mapping[int, EmbeddedNumber]
    ) -> list[Numeral]:
        """The longest numerals in words, in digits and in both ("5 million", "2 and a half");
        ``literals`` are those in digits, by the index of their first atom."""
        spoken = self._vocabulary.tokenize(found)
        if not literals:
            return self._read(found, spoken) if spoken else []
        if not _are_near(spoken, literals):
            alone = [Numeral(start, one.end, one.value) for start, one in literals.items()]
            return sorted([*alone, *self._read(found, spoken)], key=_start_of)
        written = [
            NumeralToken(start, one.end, {"add": (NumeralTerm("add", one.value),)}, literal=True)
            for start, one in literals.items()
        ]
        taken = {index for one in written for index in range(one.start, one.end)}
        free = [one for one in spoken if taken.isdisjoint(range(one.start, one.end))]
        return self._read(found, sorted((*written, *free), key=_start_of))

    def is_weak(self, found: Sequence[Atom]) -> bool:
        """Whether these atoms are more often something else when they stand alone."""
        return self._vocabulary.is_weak(found)

    def _read(self, found: Sequence[Atom], slots: Sequence[NumeralToken]) -> list[Numeral]:
        """The numerals of the rows of slots that stand next to each other."""
        read: list[Numeral] = []
        first, count = 0, len(slots)
        while first < count and len(read) < _MAX_NUMERALS:
            end = first + 1
            while end < count and slots[end].start <= slots[end - 1].end + 1:
                end += 1
            if end == first + 1:
                read.extend(_single_token_numerals(slots[first]))
            else:
                read.extend(self._read_row_cached(found, slots[first:end]))
            first = end
        return read

    def _read_row_cached(
        self, found: Sequence[Atom], slots: Sequence[NumeralToken]
    ) -> list[Numeral]:
        start, end = slots[0].start, slots[-1].end
        if end - start > _MAX_CACHED_ATOMS or any(slot.literal for slot in slots):
            return self._read_row(found, slots)
        words = tuple([(atom.text, atom.kind, atom.glued) for atom in found[start:end]])
        return [
            Numeral(start + at, start + after, value, ordinal, decimal, scale)
            for at, after, value, ordinal, decimal, scale in self._cached_rows(words)
        ]

    def _read_words(self, words: tuple[tuple[str, AtomKind, bool], ...]) -> _CachedNumerals:
        """The numerals of a row of words, wherever it stands."""
        found = [Atom(text, kind, 0, 0, glued) for text, kind, glued in words]
        return tuple(
            (one.start, one.end, one.value, one.ordinal, one.decimal, one.scale)
            for one in self._read_row(found, self._vocabulary.tokenize(found))
        )

    def _read_row(self, found: Sequence[Atom], row: Sequence[NumeralToken]) -> list[Numeral]:
        read: list[Numeral] = []
        slots, index = list(row), 0
        while index < len(slots) and len(read) < _MAX_NUMERALS:
            reading = NumeralParser(self._vocabulary, found, slots, index)
            numeral = reading.parse()
            if numeral is not None:
                read.append(numeral)
                index = reading.position
            elif slots[index].is_prefix and reading.position == index:
                index += 1  # what stands behind the prefix may be one by itself
                slots[index] = slots[index]._replace(inner=False)
            else:
                index = max(index + 1, reading.position)
                while index < len(slots) and slots[index].inner:
                    index += 1
        return read


def _start_of(one: NumeralToken | Numeral) -> int:
    return one.start


def _are_near(slots: Sequence[NumeralToken], literals: Mapping[int, EmbeddedNumber]) -> bool:
    """Whether any slot is so near to a number in digits that both may be parts of one. Most are
    not, and it takes a third of the time to see that."""
    around = {at for start, one in literals.items() for at in range(start - 1, one.end + 2)}
    return any(slot.start in around or slot.end in around for slot in slots)


def _single_token_numerals(slot: NumeralToken) -> Iterator[Numeral]:
    """What a slot means with no other near it: most stand like this."""
    terms = slot.terms
    of_role = terms.get("fraction") or terms.get("add") or terms.get("times")
    if of_role:
        term = of_role[0]
        scale = int(term.value) if term.role == "times" else 1
        yield Numeral(slot.start, slot.end, term.value, term.ordinal, scale=scale)
