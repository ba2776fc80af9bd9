"""Find numerals in words: "two hundred and five", «двадцать пятого», *vierundzwanzig*, 二百五.

The meanings of words come from ``languages/<code>/numerals.yaml`` (the file of ``en`` documents
the keys) by :mod:`anaphora.entities.builtin.numbers.numerals.numeral_vocabulary`; the tokens are
parsed by :mod:`anaphora.entities.builtin.numbers.numerals.numeral_parser`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from operator import attrgetter

from anaphora.entities.builtin.atoms import Atom, AtomKind
from anaphora.entities.builtin.numbers.numerals.numeral_parser import Numeral, NumeralParser
from anaphora.entities.builtin.numbers.numerals.numeral_vocabulary import (
    NumeralTerm,
    NumeralToken,
    NumeralVocabulary,
    load_vocabulary,
)

__all__ = ["EmbeddedNumber", "Numeral", "NumeralReader", "get_numeral_reader"]

_MAX_NUMERALS = 1_000  # no utterance has more
_CACHED_ROWS = 4_096
_MAX_CACHED_ATOMS = 12  # of a cached row


@dataclass(frozen=True, slots=True)
class EmbeddedNumber:
    """A number in digits among words ("5 million"); ``end`` is the index of the atom after it."""

    end: int
    value: int | Fraction


@lru_cache(maxsize=32)
def get_numeral_reader(language: str) -> NumeralReader:
    """The reader of a language; without a table of numerals it finds nothing."""
    return NumeralReader(load_vocabulary(language))


class NumeralReader:
    """Finds the numerals of one language. It is thread-safe."""

    def __init__(self, words: NumeralVocabulary) -> None:
        self._vocabulary = words
        # Few numbers are frequent, and parsing takes half of the whole time.
        self._cached_rows = lru_cache(maxsize=_CACHED_ROWS)(self._read_words)

    def find_in_words(self, atoms: Sequence[Atom]) -> list[Numeral]:
        """The longest numerals in words, in order; including words that often mean something else
        (*un*, "second"), see :meth:`is_weak`."""
        tokens = self._vocabulary.tokenize(atoms)
        return self._read(atoms, tokens) if tokens else []

    def find_mixed(
        self, atoms: Sequence[Atom], literals: Mapping[int, EmbeddedNumber]
    ) -> list[Numeral]:
        """The longest numerals in words, in digits and in both ("5 million", "2 and a half");
        ``literals`` are those in digits, by the index of their first atom."""
        spoken = self._vocabulary.tokenize(atoms)
        if not literals:
            return self._read(atoms, spoken) if spoken else []
        if not _are_near(spoken, literals):
            alone = [Numeral(start, one.end, one.value) for start, one in literals.items()]
            return sorted([*alone, *self._read(atoms, spoken)], key=attrgetter("start"))
        written = [
            NumeralToken(start, one.end, {"add": (NumeralTerm("add", one.value),)}, literal=True)
            for start, one in literals.items()
        ]
        taken = {index for one in written for index in range(one.start, one.end)}
        free = [one for one in spoken if taken.isdisjoint(range(one.start, one.end))]
        return self._read(atoms, sorted((*written, *free), key=attrgetter("start")))

    def is_weak(self, atoms: Sequence[Atom]) -> bool:
        """Whether these atoms alone usually mean something else."""
        return self._vocabulary.is_weak(atoms)

    def _read(self, atoms: Sequence[Atom], tokens: Sequence[NumeralToken]) -> list[Numeral]:
        """The numerals in each row of adjacent tokens."""
        read: list[Numeral] = []
        first, count = 0, len(tokens)
        while first < count and len(read) < _MAX_NUMERALS:
            end = first + 1
            while end < count and tokens[end].start <= tokens[end - 1].end + 1:
                end += 1
            if end == first + 1:
                read.extend(_single_token_numerals(tokens[first]))
            else:
                read.extend(self._read_row_cached(atoms, tokens[first:end]))
            first = end
        return read

    def _read_row_cached(
        self, atoms: Sequence[Atom], tokens: Sequence[NumeralToken]
    ) -> list[Numeral]:
        start, end = tokens[0].start, tokens[-1].end
        if end - start > _MAX_CACHED_ATOMS or any(token.literal for token in tokens):
            return self._read_row(atoms, tokens)
        words = tuple([(atom.text, atom.kind, atom.glued) for atom in atoms[start:end]])
        return [
            Numeral(
                start + one.start, start + one.end, one.value, one.ordinal, one.decimal, one.scale
            )
            for one in self._cached_rows(words)
        ]

    def _read_words(self, words: tuple[tuple[str, AtomKind, bool], ...]) -> list[Numeral]:
        """The numerals of a row of words, for the cache."""
        found = [Atom(text, kind, 0, 0, glued) for text, kind, glued in words]
        return self._read_row(found, self._vocabulary.tokenize(found))

    def _read_row(self, atoms: Sequence[Atom], row: Sequence[NumeralToken]) -> list[Numeral]:
        read: list[Numeral] = []
        tokens, index = list(row), 0
        while index < len(tokens) and len(read) < _MAX_NUMERALS:
            reading = NumeralParser(self._vocabulary, atoms, tokens, index)
            numeral = reading.parse()
            if numeral is not None:
                read.append(numeral)
                index = reading.position
            elif tokens[index].is_prefix and reading.position == index:
                index += 1  # the word behind the prefix may be a numeral by itself
                tokens[index] = tokens[index]._replace(inner=False)
            else:
                index = max(index + 1, reading.position)
                while index < len(tokens) and tokens[index].inner:
                    index += 1
        return read


def _are_near(tokens: Sequence[NumeralToken], literals: Mapping[int, EmbeddedNumber]) -> bool:
    """Whether any token is near enough to a number in digits to form a numeral with it. Most are
    not; the check takes a third of the time of parsing."""
    around = {at for start, one in literals.items() for at in range(start - 1, one.end + 2)}
    return any(token.start in around or token.end in around for token in tokens)


def _single_token_numerals(token: NumeralToken) -> Iterator[Numeral]:
    """The numeral of a token without neighbours, as most are."""
    terms = token.terms
    of_role = terms.get("fraction") or terms.get("add") or terms.get("times")
    if of_role and not of_role[0].counted:
        term = of_role[0]
        scale = int(term.value) if term.role == "times" else 1
        yield Numeral(token.start, token.end, term.value, term.ordinal, scale=scale)
