"""Find quantities: numbers with units, ranges and comparisons ("more than 5 km", "2 to 4").

The steps: split the text into atoms, find the amounts in digits and in words, match their units,
merge amounts that belong together, find ranges, find comparisons.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from fractions import Fraction
from itertools import zip_longest
from operator import attrgetter

from anaphora.entities.builtin.atoms import Atom
from anaphora.entities.builtin.numbers.attached_words import get_number_atoms
from anaphora.entities.builtin.numbers.number_phrases import TIMES, load_number_phrases
from anaphora.entities.builtin.numbers.numerals.numeral_vocabulary import load_vocabulary
from anaphora.entities.builtin.numbers.quantities.amounts import (
    HYPHENS,
    Amount,
    Quantity,
    UnitMatcher,
    find_amounts,
    is_glued,
    to_int_if_whole,
)
from anaphora.entities.builtin.numbers.quantities.comparisons import ComparisonFinder
from anaphora.entities.builtin.numbers.quantities.ranges import find_ranges
from anaphora.entities.words.scripts import is_hangul, starts_unspaced

__all__ = ["QuantityReader"]

_TEN = 10
_CENTURIES = range(13, 22)
_MINUS_SIGNS = HYPHENS | {"–"}


class QuantityReader:
    """Finds the quantities of a language, with the units of ``measure``."""

    def __init__(self, language: str, measure: UnitMatcher) -> None:
        self._language = language
        self._measure = measure
        self._phrases = load_number_phrases(language)
        self._vocabulary = load_vocabulary(language)
        self._compare = ComparisonFinder(language, measure)

    def __call__(self, text: str) -> tuple[Sequence[Atom], list[Quantity]]:
        """The atoms of a text, and the quantities among them, in order."""
        atoms = get_number_atoms(text, self._language)
        plain: Sequence[Amount] = find_amounts(text, self._language)
        if implied := [*self._measure.find_implied(atoms)]:
            plain = sorted((*plain, *implied), key=attrgetter("start"))
        if not plain:
            return atoms, []
        measured = self._with_units(text, atoms, plain)
        if self._phrases.has_years_in_halves and len(measured) > 1:
            measured = _merge_years(measured)
        if len(measured) == 2:
            measured = self._merge_decimal(atoms, *measured)
        if len(measured) == 1:
            measured = [self._complete_text(text, atoms, measured[0])]
        amounts = self._measure.merge_amounts(atoms, measured)
        ranges = find_ranges(self._phrases, atoms, amounts, self._vocabulary.numeral_prefix)
        compared = self._compare(text, atoms, ranges)
        if any(one.weak for one in compared) and not self._is_whole_text(atoms, compared):
            compared = [one for one in compared if not one.weak]
        return atoms, self._compare.merge_bounds(atoms, compared)

    def _with_units(
        self, text: str, atoms: Sequence[Atom], amounts: Sequence[Amount]
    ) -> list[Amount]:
        """The amounts with units, percent and minus, without those that are parts of words or of
        their neighbours."""
        complete: list[Amount] = []
        reach = 0
        starts = {amount.start for amount in amounts}
        for amount, following in zip_longest(amounts, amounts[1:]):
            if amount.start < reach:
                continue
            if amount.weak and _is_particle(atoms, amount, complete[-1] if complete else None):
                continue
            if self._is_open(atoms, amount):
                reach = amount.end + 1
                continue
            one = amount
            if self._phrases.rough:
                one = self._with_rough_scale(atoms, amount, following)
            one = self._with_minus(atoms, self._with_tenths(atoms, one, following), reach)
            is_complete = one.unit is not None or one.kind == "percent"
            measured = one if is_complete else self._measure(text, atoms, one, reach)
            if measured is not None and measured.start >= reach:
                one = self._below_zero(atoms, measured, starts)
            else:
                one = self._with_counter(atoms, self._with_percent(atoms, one))
            if (one.literal and self._is_part(atoms, one)) or self._is_price(atoms, one):
                continue
            reach = one.end
            complete.append(one)
        return complete

    def _is_price(self, atoms: Sequence[Atom], one: Amount) -> bool:
        """Whether a currency that is not looked for is written as one word with a number: 5만원."""
        return (
            bool(self._phrases.attaching)
            and one.unit is None
            and one.end < len(atoms)
            and atoms[one.end].start == atoms[one.end - 1].end
            and self._phrases.currencies.find_after(atoms, one.end) is not None
        )

    def _with_counter(self, atoms: Sequence[Atom], one: Amount) -> Amount:
        """The amount, not weak if what it counts is behind it: 세 명, 한 잔."""
        if not one.weak or atoms[one.start].text not in self._phrases.attaching:
            return one
        return one._replace(weak=self._phrases.counters.find_after(atoms, one.end) is None)

    def _is_whole_text(self, atoms: Sequence[Atom], quantities: Sequence[Quantity]) -> bool:
        """Whether the text consists of one quantity, and not of a word that is one only beside
        others."""
        if len(quantities) != 1:
            return False
        one = quantities[0]
        if atoms[one.start].text in self._phrases.never_alone and one.end == one.start + 1:
            return False
        rest = (*atoms[: one.start], *atoms[one.end :])
        return all(atom.kind == "mark" for atom in rest)

    def _is_open(self, atoms: Sequence[Atom], amount: Amount) -> bool:
        """Whether the ones of a number are left open: 十几, some ten or twenty."""
        return (
            is_glued(atoms, amount.end)
            and atoms[amount.end].text in self._phrases.open_ends
            and not amount.literal
            and amount.value % _TEN == 0
        )

    def _with_rough_scale(
        self, atoms: Sequence[Atom], amount: Amount, following: Amount | None
    ) -> Amount:
        """The amount with a word between its numeral and a multiplier (四百多万) or what it counts
        (三十来个), which means "about"."""
        at = amount.end
        if at == len(atoms) or atoms[at].text not in self._phrases.rough:
            return amount
        is_scaled = following is not None and following.start == at + 1 and not following.literal
        if following and is_scaled and amount.scale < following.value == following.scale:
            value, scale = amount.value * following.scale, following.scale
            return amount._replace(end=following.end, value=value, scale=scale, about=True)
        if atoms[at].text not in self._phrases.rough_ones or amount.value % _TEN:
            return amount
        rough = amount._replace(end=at + 1, about=True)
        is_counted = (
            self._phrases.counters.find_after(atoms, at + 1) is not None
            or self._measure("", atoms, rough) is not None
        )
        return rough if is_counted else amount

    def _with_tenths(
        self, atoms: Sequence[Atom], amount: Amount, following: Amount | None
    ) -> Amount:
        """The amount of tenths, and of hundredths behind them, as percent: 二割五分 is 25 %. Tenths
        beyond ten are hundredths: 七五折 is 75 %."""
        tenths = self._phrases.tenths.find_after(atoms, amount.end)
        if amount.kind != "cardinal" or tenths is None or not tenths[1]:
            return amount
        end, value = tenths[0], amount.value
        value *= 1 if value > _TEN else _TEN
        if following is not None and following.start == end and 0 < following.value < _TEN:
            digit = following.value * (_TEN if following.kind == "fraction" else 1)  # 三成半
            behind = following.end
            if behind < len(atoms) and atoms[behind].text in self._phrases.hundredths:
                end, value = behind + 1, value + digit
            elif behind == self._phrases.skip_counter(atoms, behind, None) and (
                "" in self._phrases.hundredths
            ):
                end, value = behind, value + digit
        return amount._replace(end=end, value=value, kind="percent", weak=False)

    def _with_minus(self, atoms: Sequence[Atom], amount: Amount, reach: int) -> Amount:
        minus = self._phrases.minus.find_before(atoms, amount.start)
        if minus is None or minus[0] < reach or (minus[0] == reach and reach):
            return amount
        compares = self._phrases.comparisons_before.find_before(atoms, amount.start)
        if compares is not None and compares[0] < minus[0]:
            return amount  # al menos tres
        return amount._replace(start=minus[0], value=-amount.value, weak=False)

    def _complete_text(self, text: str, atoms: Sequence[Atom], one: Amount) -> Amount:
        """The only amount of a text with the minus or the word before it ("- 12", "point five"), if
        nothing else is in the text. In a longer one the minus is a dash."""
        if one.start != 1 or one.value <= 0 or not _ends_text(atoms, one.end):
            return one
        if atoms[0].text in _MINUS_SIGNS:
            return one._replace(start=0, value=-one.value)
        if self._phrases.point_words.match_between(atoms, 0, 1) is None:
            return one
        whole = find_amounts(f"0 {text}", self._language)  # zero point five
        return one._replace(start=0, value=whole[0].value) if len(whole) == 1 else one

    def _merge_decimal(self, atoms: Sequence[Atom], whole: Amount, digits: Amount) -> list[Amount]:
        """Merge the parts of a decimal that is the whole text: *uno con cinco*. Among other words
        they are two numbers (*una mesa para 2 con 3 sillas*)."""
        is_decimal = (
            self._phrases.decimal_words.match_between(atoms, whole.end, digits.start) is not None
            and whole.start == 0
            and whole.unit is None
            and whole.scale == 1
            and isinstance(whole.value, int)
            and _ends_text(atoms, digits.end)
        )
        count = digits.value / Fraction(digits.scale)
        if not is_decimal or count.denominator > 1 or count < 0:
            return [whole, digits]
        is_literal = digits.literal and atoms[digits.start].kind == "digits"
        written = atoms[digits.start].text if is_literal else str(count)
        value = (whole.value + Fraction(int(written), 10 ** len(written))) * digits.scale
        return [digits._replace(start=0, value=to_int_if_whole(value))]

    def _below_zero(self, atoms: Sequence[Atom], amount: Amount, starts: Set[int]) -> Amount:
        """A temperature, negative if a phrase behind it says so and no other amount (``starts``)
        follows: 5 градусов мороза, *5 Grad minus*."""
        if amount.unit is None or amount.unit.type != "temperature" or amount.value < 0:
            return amount
        behind = self._phrases.below_zero.find_after(atoms, amount.end)
        if behind is None or behind[0] in starts:
            return amount
        return amount._replace(end=behind[0], value=-amount.value)

    def _with_percent(self, atoms: Sequence[Atom], amount: Amount) -> Amount:
        end = amount.end
        is_hyphenated = (
            is_glued(atoms, end) and atoms[end].text in HYPHENS and is_glued(atoms, end + 1)
        )
        behind = self._phrases.percent_behind.find_after(atoms, end + is_hyphenated)
        if behind is not None:
            return amount._replace(end=behind[0], kind="percent", weak=False)
        before = self._phrases.percent_before.find_before(atoms, amount.start)
        if before is not None:
            return amount._replace(start=before[0], kind="percent", weak=False)
        return amount

    def _is_part(self, atoms: Sequence[Atom], amount: Amount) -> bool:
        """Whether a number in digits is part of a word: B52, 5pm."""
        if amount.start and atoms[amount.start].glued:
            before = atoms[amount.start - 1]
            is_separate = starts_unspaced(before.text) or before.text in self._phrases.clitics
            if before.kind == "word" and not (
                is_separate or _is_multiplication_sign(atoms, amount.start - 1)
            ):
                return True
        if amount.end >= len(atoms) or not atoms[amount.end].glued:
            return False
        last, after = atoms[amount.end - 1], atoms[amount.end]
        return (
            after.kind == "word"
            and last.kind != "mark"
            and not (starts_unspaced(after.text) or starts_unspaced(last.text))
            and not is_hangul(after.text)
            and not _is_multiplication_sign(atoms, amount.end)
        )


def _is_particle(atoms: Sequence[Atom], amount: Amount, before: Amount | None) -> bool:
    """Whether a Korean numeral of one syllable is the particle of what is counted before it: the 이
    of 백 명이, and not the 세 of 두세."""
    at = amount.start
    if not at or amount.end != at + 1 or not is_hangul(atoms[at].text):
        return False
    follows_numeral = before is not None and before.end == at and before.unit is None
    is_ending = atoms[at - 1].kind == "word" and atoms[at - 1].end == atoms[at].start
    return is_ending and not follows_numeral


def _merge_years(amounts: Sequence[Amount]) -> list[Amount]:
    """Merge the halves of a year: nineteen eighty-four."""
    joined: list[Amount] = []
    for one in amounts:
        last = joined[-1] if joined else None
        if last is not None and last.end == one.start and _are_year_halves(last, one):
            joined[-1] = last._replace(end=one.end, value=last.value * 100 + one.value)
        else:
            joined.append(one)
    return joined


def _are_year_halves(one: Amount, other: Amount) -> bool:
    """Whether two amounts are the halves of a year; not with a unit: "fifteen twenty minutes"."""
    if one.unit is not None or other.unit is not None or one.literal or other.literal:
        return False
    if one.kind != "cardinal" or other.kind != "cardinal":
        return False
    return one.value in _CENTURIES and 10 <= other.value <= 99


def _is_multiplication_sign(atoms: Sequence[Atom], at: int) -> bool:
    """Whether an atom is the x of 60x40, and not that of 0x1F."""
    return (
        atoms[at].text in TIMES
        and 0 < at < len(atoms) - 1
        and atoms[at + 1].glued
        and atoms[at - 1].kind == atoms[at + 1].kind == "digits"
        and atoms[at - 1].text != "0"
    )


def _ends_text(atoms: Sequence[Atom], end: int) -> bool:
    """Whether only marks follow."""
    return all(atom.kind == "mark" for atom in atoms[end:])
