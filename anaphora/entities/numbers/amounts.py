"""Amounts: the numbers of a text in digits, in words and in both, without what is around them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Literal, TypeAlias

from anaphora.entities.atoms import Atom, atoms_of
from anaphora.entities.numbers.literals import Digits
from anaphora.entities.numbers.numerals import Literal as Written
from anaphora.entities.numbers.numerals import numerals
from anaphora.entities.numbers.wording import wording

__all__ = ["HYPHENS", "Amount", "Kind", "Unit", "amounts_of"]

Kind: TypeAlias = Literal["cardinal", "ordinal", "fraction", "percent"]
HYPHENS = frozenset("-‐‑−")
_LONGEST_KEPT = 1_000  # characters


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit and what it measures (``length``)."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class Amount:
    """A number with its unit; ``start`` and ``end`` are indexes of atoms (half open). ``weak``:
    it is a word that is more often something else; ``literal``: it is written in digits."""

    start: int
    end: int
    value: int | Fraction
    kind: Kind = "cardinal"
    unit: Unit | None = None
    weak: bool = False
    literal: bool = False


def amounts_of(text: str, language: str) -> tuple[Amount, ...]:
    """The amounts of a text in a language, by the indexes of its atoms and in their order. Several
    recognizers look at the same text one after the other: it is read once."""
    return _kept(text, language) if len(text) <= _LONGEST_KEPT else _reader(language)(text)


@lru_cache(maxsize=256)
def _kept(text: str, language: str) -> tuple[Amount, ...]:
    return _reader(language)(text)


@lru_cache(maxsize=32)
def _reader(language: str) -> _Reader:
    return _Reader(language)


class _Reader:
    """Reads the amounts of one language."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._wording = wording(language)
        self._words = numerals(language)

    def __call__(self, text: str) -> tuple[Amount, ...]:
        found = atoms_of(text, self._language)
        literals = self._literals(text, found)
        amounts = [*self._read(found, literals)]
        amounts.sort(key=lambda amount: amount.start)
        return tuple(self._without_pronouns(found, amounts))

    def _read(self, found: Sequence[Atom], literals: dict[int, Amount]) -> Iterator[Amount]:
        """The amounts: ordinals in digits first."""
        to_read = {}
        for start, literal in literals.items():
            if literal.kind == "ordinal":
                yield literal
            else:
                to_read[start] = Written(literal.end, literal.value)
        for numeral in self._words.mixed(found, to_read):
            in_digits = literals.get(numeral.start)
            if in_digits is not None and in_digits.end == numeral.end:
                yield in_digits
                continue
            kind: Kind = "ordinal" if numeral.ordinal else "cardinal"
            if isinstance(numeral.value, Fraction):
                kind = "fraction"
            yield Amount(
                numeral.start,
                numeral.end,
                numeral.value,
                kind,
                weak=self._words.is_weak(found[numeral.start : numeral.end]),
                literal=in_digits is not None,
            )

    def _without_pronouns(
        self, found: Sequence[Atom], amounts: Sequence[Amount]
    ) -> Iterator[Amount]:
        """The amounts without the one of "the second one"."""
        last: Amount | None = None
        for amount in amounts:
            is_pronoun = (
                last is not None
                and last.kind == "ordinal"
                and last.end == amount.start
                and found[amount.start].text in self._wording.pronouns
            )
            last = amount
            if not is_pronoun:
                yield amount

    def _literals(self, text: str, found: Sequence[Atom]) -> dict[int, Amount]:
        """The numbers in digits by their first atom, with suffixes and scales."""
        digits = self._wording.digits(text)
        if not digits:
            return {}
        starts = {atom.start: index for index, atom in enumerate(found)}
        ends = {atom.end: index + 1 for index, atom in enumerate(found)}
        amounts = {}
        for one in digits:
            start, end = starts.get(one.start), ends.get(one.end)
            if start is not None and end is not None:
                amounts[start] = self._suffixed(found, one, start, end)
        return amounts

    def _suffixed(self, found: Sequence[Atom], one: Digits, start: int, end: int) -> Amount:
        kind: Kind = "fraction" if one.fraction else "cardinal"
        value = one.value
        at = end + 1 if end + 1 < len(found) and found[end].text in HYPHENS | {"."} else end
        touches = at < len(found) and all(atom.glued for atom in found[end : at + 1])
        if touches and found[at].text in self._wording.ordinals and isinstance(value, int):
            return Amount(start, at + 1, value, "ordinal", literal=True)
        if touches and found[at].text in self._wording.cardinals:
            return Amount(start, at + 1, value, kind, literal=True)
        scale = self._wording.scales.get(found[end].text) if end < len(found) else None
        if scale is not None and (len(found[end].text) > 1 or found[end].glued):
            value, end = _whole(value * scale), end + 1
            if end + 1 < len(found) and found[end].text == "." and found[end].glued:
                end += 1  # млн.
        return Amount(start, end, value, kind, literal=True)


def _whole(value: int | Fraction) -> int | Fraction:
    return value.numerator if value.denominator == 1 else value
