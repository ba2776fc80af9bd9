"""Read adjectives that tell how long something is in one word: двухнедельный, *dreistündig*.

The table of a language maps the stems of such adjectives to units (``measures``). What stands
before the stem is a numeral; endings of up to three letters may follow it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import chain

from anaphora.entities.builtin.atoms import Atom, split_atoms
from anaphora.entities.builtin.numbers.numerals.numeral_reader import get_numeral_reader
from anaphora.entities.languages import cached_table
from anaphora.entities.words.normalization import create_normalizer
from anaphora.storage.forks import LazyProperty

__all__ = ["MeasuredWords"]

_APOSTROPHES = "'’"  # п'ятихвилинний
_MONTHS = 12  # of a year
_CACHED_WORDS = 5_000


class MeasuredWords:
    """Finds the adjectives with some ``stems``, each with its unit, in the atoms of a text in a
    language. One with an apostrophe is several atoms."""

    def __init__(self, language: str, stems: Mapping[str, str]) -> None:
        self._language = language
        self._units = stems
        if not stems:
            return
        longest = sorted(stems, key=len, reverse=True)
        self._form = re.compile(rf"(?P<count>.+?)(?P<stem>{'|'.join(longest)})\w{{0,3}}")
        self._normalize: Callable[[str], str] = create_normalizer(language)
        self._read_cached = lru_cache(maxsize=_CACHED_WORDS)(self._read)

    @LazyProperty
    def _tails(self) -> frozenset[str]:
        """What follows the apostrophe of numerals."""
        numerals = cached_table(self._language, "numerals").get("values", {}).values()
        forms = chain.from_iterable(one if isinstance(one, list) else [one] for one in numerals)
        return frozenset([str(form).rpartition("'")[2] for form in forms if "'" in str(form)])

    def may_be(self, word: str) -> bool:
        """Whether an atom is such an adjective, or all of it that follows an apostrophe."""
        if not (self._units and (form := self._form.fullmatch(word))):
            return False
        return self._read_cached(word) is not None or form["count"] in self._tails

    def find(self, atoms: Sequence[Atom]) -> Iterator[tuple[int, int, int | Fraction, str]]:
        """Where the adjectives are (half open), each with its number and unit."""
        if not self._units:
            return
        for at, atom in enumerate(atoms):
            if atom.kind != "word" or not self._form.fullmatch(atom.text):
                continue
            start = at
            if at > 1 and atom.glued and atoms[at - 1].glued and atoms[at - 1].text in _APOSTROPHES:
                start = at - 2
            found = self._read_cached("".join([one.text for one in atoms[start : at + 1]]))
            if found is not None:
                yield start, at + 1, *found

    def _read(self, word: str) -> tuple[int | Fraction, str] | None:
        """The number and the unit of an adjective; None for another word."""
        form = self._form.fullmatch(word)
        if form is None:
            return None
        atoms = split_atoms(form["count"], self._normalize)
        for one in get_numeral_reader(self._language).find_in_words(atoms):
            if (one.start, one.end) == (0, len(atoms)) and not one.ordinal:
                return _in_whole_months(one.value, self._units[form["stem"]])
        return None


def _in_whole_months(number: int | Fraction, unit: str) -> tuple[int | Fraction, str]:
    """The same length in months, if it is a part of a year and that many of them: полугодовой."""
    months = number * _MONTHS
    is_part = unit == "year" and number.denominator > 1
    return (int(months), "month") if is_part and months.denominator == 1 else (number, unit)
