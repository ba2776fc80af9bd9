"""Add the parts of a currency to the amount before them: "5 dollars and 10 cents", 三块五."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from anaphora.entities.builtin.atoms import Atom
from anaphora.entities.builtin.numbers.number_phrases import load_number_phrases
from anaphora.entities.builtin.numbers.numerals.numeral_vocabulary import load_vocabulary
from anaphora.entities.builtin.numbers.phrase_lookup import PhraseLookup, iter_phrases
from anaphora.entities.builtin.numbers.quantities.amounts import Amount, to_int_if_whole
from anaphora.entities.builtin.numbers.units import Unit, load_currencies
from anaphora.entities.languages import cached_table
from anaphora.entities.words.normalization import base_code
from anaphora.entities.words.scripts import starts_unspaced

__all__ = ["PARTS", "PartMerger"]

PARTS: Mapping[str, Fraction] = {
    "minor": Fraction(1, 100),
    "own minor": Fraction(1, 100),  # kopecks: of that currency alone
    "short": Fraction(1, 100),  # 43c
    "tenths": Fraction(1, 10),
    "tens": Fraction(10),  # twee tientjes
    "hundreds": Fraction(100),  # dwie stówy
    "thousands": Fraction(1000),  # two grand
}
"""How much of a currency a unit of that type is."""

_ONE = Fraction(1)
_END_MARKS = frozenset(".,;:!?)]}'\"”»…。，、？！")


class _Part(NamedTuple):
    """A number of ``size``, the smallest unit, which ends at an atom."""

    value: Fraction
    size: Fraction
    end: int


class PartMerger:
    """Merges the amounts of a language."""

    def __init__(self, language: str) -> None:
        written = cached_table(base_code(language), "money")
        self._phrases = load_number_phrases(language)
        self._joins = PhraseLookup(language, iter_phrases(written, "joins"))
        self._behind_tenths = PhraseLookup(language, iter_phrases(written, "behind_tenths"))
        self._prefixes = load_vocabulary(language).prefixes
        self._has_tenths = bool(written.get("tenths"))
        self._with_thousandths = frozenset(load_currencies()["thousandths"].split())

    def __call__(self, atoms: Sequence[Atom], amounts: Sequence[Amount]) -> list[Amount]:
        """The amounts in whole units of currency."""
        merged: list[Amount] = []
        size = _ONE  # of the smallest part of the last amount
        for amount in amounts:
            last = merged[-1] if merged else None
            part = self._read_part(atoms, last, size, amount)
            if last is not None and part is not None:
                value = to_int_if_whole(last.value + part.value * part.size)
                merged[-1] = last._replace(end=part.end, value=value)
                size = part.size
            else:
                merged.append(_in_whole_units(amount))
                size = _smallest_part(amount)
        return merged

    def _read_part(
        self, atoms: Sequence[Atom], last: Amount | None, size: Fraction, amount: Amount
    ) -> _Part | None:
        """The amount as parts that are added to the last one; None if it is none."""
        if last is None or last.unit is None or last.about:
            return None
        if last.end != amount.start and (
            self._joins.match_between(atoms, last.end, amount.start) is None
            or self._is_range(atoms, last, amount)
        ):
            return None
        part = self._size_part(atoms, last, last.unit, size, amount)
        if part is None or not 0 < part.value * part.size < size:
            return None
        is_whole = (Fraction(last.value) / size).denominator == 1
        return part if is_whole else None

    def _size_part(
        self, atoms: Sequence[Atom], last: Amount, currency: Unit, size: Fraction, amount: Amount
    ) -> _Part | None:
        """The amount as parts of a currency, by their name or, without a name, by what was said
        last ("five euros twenty", 三块五)."""
        value = Fraction(amount.value)
        if amount.unit is not None:
            part = PARTS.get(amount.unit.type, _ONE)
            is_foreign = currency.name not in amount.unit.name.split()
            if part >= 1 or (amount.unit.type == "own minor" and is_foreign):
                return None
            is_hundredth = part == PARTS["minor"]
            if is_hundredth and currency.name in self._with_thousandths:
                part = Fraction(1, 1000)
            return _Part(value, part, amount.end)
        if amount.kind == "fraction" and value < 1:
            first = atoms[amount.start].text  # שקלים וחצי
            is_close = last.end < amount.start or starts_unspaced(first)
            is_close = is_close or first.startswith(self._prefixes)
            return _Part(value, _ONE, amount.end) if is_close else None  # 两块半
        if amount.kind != "cardinal" or value.denominator != 1:
            return None
        is_joined = last.end < amount.start
        is_written_so = atoms[last.end - 1].kind == "mark" and atoms[amount.start].glued  # 3€50
        is_end = amount.end == len(atoms) or atoms[amount.end].text in _END_MARKS
        is_end = is_end or self._behind_tenths.find_after(atoms, amount.end) is not None
        if not (is_end or (is_written_so and not is_joined)):
            return None  # "five euros twenty pieces"
        if self._has_tenths and not is_joined and value < 10:
            return _Part(value, size / 10, amount.end)
        if self._phrases.indefinite_articles.find_after(atoms, amount.start):
            return None  # ten dollars a dozen
        if size != 1 or amount.weak or currency.type != "money" or not (is_joined or value >= 10):
            return None
        if atoms[last.end - 1].kind == "mark" and not (is_joined or atoms[amount.start].glued):
            return None  # 5$ 20
        return _Part(value, PARTS["minor"], amount.end)

    def _is_range(self, atoms: Sequence[Atom], last: Amount, part: Amount) -> bool:
        """Whether the two are the ends of a range: between $5 and 10."""
        opening = self._phrases.range_openings.find_before(atoms, last.start)
        middle = self._phrases.range_connectors.match_between(atoms, last.end, part.start)
        return opening is not None and middle is not None and opening[1] in middle.openings


def _in_whole_units(amount: Amount) -> Amount:
    """The amount in whole units of currency: 50 cents is 0.5."""
    unit = amount.unit
    if unit is None or unit.type not in PARTS:
        return amount
    value = to_int_if_whole(Fraction(amount.value) * PARTS[unit.type])
    type = "perhaps money" if unit.type == "short" else "money"
    return amount._replace(value=value, unit=Unit(unit.name.split()[0], type))


def _smallest_part(amount: Amount) -> Fraction:
    part = _ONE if amount.unit is None else PARTS.get(amount.unit.type, _ONE)
    return part if part < 1 else _ONE
