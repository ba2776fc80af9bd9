"""Find comparisons: "more than 5", "5 or more", "more than 5 and less than 10"."""

from __future__ import annotations

from collections.abc import Sequence

from anaphora.entities.builtin.atoms import Atom
from anaphora.entities.builtin.numbers.number_phrases import Comparison, load_number_phrases
from anaphora.entities.builtin.numbers.numerals.numeral_vocabulary import load_vocabulary
from anaphora.entities.builtin.numbers.quantities.amounts import (
    Amount,
    Bound,
    Quantity,
    UnitMatcher,
)

__all__ = ["ComparisonFinder", "apply_comparison"]


class ComparisonFinder:
    """Finds the comparisons of quantities in a language."""

    def __init__(self, language: str, measure: UnitMatcher) -> None:
        self._phrases = load_number_phrases(language)
        self._vocabulary = load_vocabulary(language)
        self._measure = measure

    def __call__(
        self, text: str, atoms: Sequence[Atom], quantities: Sequence[Quantity]
    ) -> list[Quantity]:
        """The quantities with their comparisons. A phrase between two quantities belongs to the
        second one, if possible."""
        befores = [self._find_before(atoms, quantities, index) for index in range(len(quantities))]
        compared_all: list[Quantity] = []
        reach = 0
        for index, one in enumerate(quantities):
            before = befores[index]
            if before is not None and before[0] < reach:
                before = None
            if before is not None:
                compared = _apply_before(one, before)
            elif one.value is not None:
                limit = len(atoms)
                if index + 1 < len(quantities):
                    following = befores[index + 1]
                    limit = quantities[index + 1].start if following is None else following[0]
                compared = self._apply_after(text, atoms, one, limit)
            else:
                compared = one
            reach = compared.end
            compared_all.append(compared)
        return compared_all

    def merge_bounds(self, atoms: Sequence[Atom], quantities: Sequence[Quantity]) -> list[Quantity]:
        """Merge "more than 5 and less than 10" into one range."""
        merged: list[Quantity] = []
        for one in quantities:
            last = merged[-1] if merged else None
            if last is not None and _are_bounds(last, one) and self._joins(atoms, last, one):
                merged[-1] = last._replace(
                    end=one.end,
                    unit=last.unit or one.unit,
                    low=last.low or one.low,
                    high=last.high or one.high,
                    comparison="between",
                )
            else:
                merged.append(one)
        return merged

    def _find_before(
        self, atoms: Sequence[Atom], quantities: Sequence[Quantity], index: int
    ) -> tuple[int, Comparison] | None:
        """The comparison before a quantity: its first atom and its meaning."""
        start = quantities[index].start
        before = self._phrases.comparisons_before.find_before(atoms, start)
        if before is None and (last_word := self._vocabulary.attached_prefix(atoms[start].text)):
            before = self._phrases.comparisons_before.find_attached(atoms, start, last_word)
        if before is None or not index:
            return before
        last = quantities[index - 1]
        is_of = (
            last.kind in ("percent", "fraction")
            and last.end == before[0]
            and self._phrases.of_words.match_between(atoms, last.end, start) is not None
        )
        return None if is_of else before  # 15% от 80

    def _apply_after(self, text: str, atoms: Sequence[Atom], one: Quantity, limit: int) -> Quantity:
        """The quantity with a comparison behind it (and behind its counter word: 三個以上) that
        ends before ``limit``, and with a unit behind that: 5 or more km."""
        start = one.end
        behind = self._phrases.comparisons_after.find_after(atoms, start)
        if behind is None:
            start = self._phrases.skip_counter(atoms, one.end, one.unit)
            behind = (
                self._phrases.comparisons_after.find_after(atoms, start)
                if start > one.end
                else None
            )
        if behind is None or behind[0] > limit or _is_arithmetic_plus(atoms, start, behind[0]):
            return one
        end, comparison = behind
        compared = apply_comparison(one, one.start, end, comparison)
        if one.unit is None and one.value is not None and one.kind != "percent":
            amount = Amount(one.start, end, one.value, one.kind, literal=True)
            measured = self._measure(text, atoms, amount)
            if measured is not None and measured.start == one.start and measured.end <= limit:
                return compared._replace(end=measured.end, unit=measured.unit)
        return compared

    def _joins(self, atoms: Sequence[Atom], one: Quantity, other: Quantity) -> bool:
        if one.end == other.start:
            return True
        return self._phrases.bound_connectors.match_between(atoms, one.end, other.start) is not None


def _apply_before(one: Quantity, before: tuple[int, Comparison]) -> Quantity:
    """The quantity with a comparison before it."""
    start, comparison = before
    if one.value is not None:
        return apply_comparison(one, start, one.end, comparison)
    return one._replace(start=start) if comparison == "about" else one


def _is_arithmetic_plus(atoms: Sequence[Atom], start: int, end: int) -> bool:
    """Whether the plus behind a number is no comparison: 5+3, 5 +."""
    if atoms[start].text != "+":
        return False
    return not atoms[start].glued or (end < len(atoms) and atoms[end].kind == "digits")


def apply_comparison(one: Quantity, start: int, end: int, comparison: Comparison) -> Quantity:
    """The quantity with a comparison, which extends it to the atoms from ``start`` to ``end``."""
    kind, unit, value = one.kind, one.unit, one.value
    if value is None or comparison == "plain":
        return one._replace(start=start, end=end, weak=False)
    if comparison in ("about", "not"):
        return Quantity(start, end, kind, unit, value, comparison=comparison)
    bound = Bound(value, comparison in ("least", "most"))
    if comparison in ("more", "least"):
        return Quantity(start, end, kind, unit, low=bound, comparison="more")
    return Quantity(start, end, kind, unit, high=bound, comparison="less")


def _are_bounds(one: Quantity, other: Quantity) -> bool:
    if one.unit is not None and other.unit is not None and one.unit != other.unit:
        return False
    if {one.comparison, other.comparison} != {"more", "less"}:
        return False
    low, high = one.low or other.low, one.high or other.high
    return low is not None and high is not None and low.value < high.value
