"""Quantities: numbers with their units, and what is said of them ("more than 5 km", "2 to 4").

A text becomes atoms; numbers in digits and in words become amounts, each with its unit; two of
them may make a range; what stands before and behind them compares.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal, Protocol

from anaphora.entities.atoms import Atom, atoms_of
from anaphora.entities.numbers.amounts import HYPHENS, Amount, Kind, Unit, amounts_of
from anaphora.entities.numbers.scripts import is_unspaced
from anaphora.entities.numbers.wording import Comparison, wording

__all__ = ["Bound", "Measure", "Quantity", "QuantityReader"]

_DASHES = frozenset("–—~〜～")


@dataclass(frozen=True, slots=True)
class Bound:
    """An end of a range, and whether it belongs to it."""

    value: int | Fraction
    included: bool


@dataclass(frozen=True, slots=True)
class Quantity:
    """An amount and what is said of it: a ``value``, or a range with at least one bound."""

    start: int
    end: int
    kind: Kind
    unit: Unit | None
    value: int | Fraction | None = None
    low: Bound | None = None
    high: Bound | None = None
    comparison: Literal["more", "less", "between", "about", "not"] | None = None
    weak: bool = False


class Measure(Protocol):
    """Finds the unit of a number."""

    def __call__(self, text: str, found: Sequence[Atom], amount: Amount) -> Amount | None:
        """The amount with its unit and what it takes up with it; None where it has none.
        ``amount`` may touch letters that are no part of it."""
        ...

    def join(self, found: Sequence[Atom], amounts: Sequence[Amount]) -> list[Amount]:
        """The amounts, with those made one that are said together ("5 euros 20 cents")."""
        ...


class QuantityReader:
    """Reads the quantities of a language, with units that ``measure`` knows."""

    def __init__(self, language: str, measure: Measure) -> None:
        self._wording = wording(language)
        self._language = language
        self._measure = measure

    def __call__(self, text: str) -> tuple[Sequence[Atom], list[Quantity]]:
        """The atoms of a text, and the quantities among them in their order."""
        found = atoms_of(text, self._language)
        plain = amounts_of(text, self._language)
        if not plain:
            return found, []
        amounts = list(self._measured(text, found, plain))
        quantities = list(self._ranges(found, self._measure.join(found, amounts)))
        compared = list(self._all_compared(text, found, quantities))
        alone = len(compared) == 1 and self._is_all(found, compared[0])
        told = [one for one in compared if alone or not one.weak]
        return found, list(self._merged(found, told))

    # Units

    def _measured(
        self, text: str, found: Sequence[Atom], amounts: Sequence[Amount]
    ) -> Iterator[Amount]:
        """The amounts with units, percent and minus; those left out that are parts of words, and
        those that their neighbours took up."""
        reach = 0
        for amount in amounts:
            if amount.start < reach:
                continue
            one = self._with_minus(found, amount, reach)
            measured = self._measure(text, found, one)
            if measured is not None and measured.start >= reach:
                one = measured
            else:
                one = self._with_percent(found, one)
            if one.literal and self._is_part(found, one):
                continue
            reach = one.end
            yield one

    def _with_minus(self, found: Sequence[Atom], amount: Amount, reach: int) -> Amount:
        minus = self._wording.minus.before(found, amount.start)
        if minus is None or minus[0] < reach or (minus[0] == reach and reach):
            return amount
        compares = self._wording.before.before(found, amount.start)
        if compares is not None and compares[0] < minus[0]:
            return amount  # al menos tres
        return replace(amount, start=minus[0], value=-amount.value, weak=False)

    def _with_percent(self, found: Sequence[Atom], amount: Amount) -> Amount:
        behind = self._wording.percent_behind.behind(found, amount.end)
        if behind is not None:
            return replace(amount, end=behind[0], kind="percent", weak=False)
        before = self._wording.percent_before.before(found, amount.start)
        if before is not None:
            return replace(amount, start=before[0], kind="percent", weak=False)
        return amount

    def _is_part(self, found: Sequence[Atom], amount: Amount) -> bool:
        """Whether a number in digits touches letters that are none of its own: B52, 5pm."""
        if amount.start and found[amount.start].glued:
            before = found[amount.start - 1]
            stands_alone = is_unspaced(before.text) or before.text in self._wording.clitics
            if before.kind == "word" and not stands_alone:
                return True
        if amount.end >= len(found) or not found[amount.end].glued:
            return False
        last, after = found[amount.end - 1], found[amount.end]
        return (
            after.kind == "word"
            and last.kind != "mark"
            and not (is_unspaced(after.text) or is_unspaced(last.text))
        )

    # Ranges

    def _ranges(self, found: Sequence[Atom], amounts: Sequence[Amount]) -> Iterator[Quantity]:
        index, reach = 0, 0
        while index < len(amounts):
            one = amounts[index]
            both = None
            if index + 1 < len(amounts):
                both = self._range(found, one, amounts[index + 1], reach)
            if both is None:
                yield Quantity(one.start, one.end, one.kind, one.unit, one.value, weak=one.weak)
            else:
                yield both
            index += 1 if both is None else 2
            reach = amounts[index - 1].end

    def _range(
        self, found: Sequence[Atom], one: Amount, other: Amount, reach: int
    ) -> Quantity | None:
        if one.unit is not None and other.unit is not None and one.unit != other.unit:
            return None
        start, end = one.start, other.end
        opening = self._wording.openings.before(found, start)
        if opening is not None and opening[0] < reach:
            opening = None
        if not _joins(found, one.end, other.start):
            middle = self._wording.middles.between(found, one.end, other.start)
            if middle is None:
                return None
            opened = opening is not None and opening[1] in middle.openings
            if not opened and "" not in middle.openings:
                return None
            if not opened and one.value >= other.value:
                return None  # "five to four" is a time
        elif one.value >= other.value:
            return None  # 555-123
        else:
            opened = opening is not None
        if opened and opening is not None:
            start = opening[0]
        closing = self._wording.closings.behind(found, end)
        end = closing[0] if closing is not None else end
        low, high = sorted((one.value, other.value))
        return Quantity(
            start,
            end,
            "percent" if "percent" in (one.kind, other.kind) else other.kind,
            one.unit or other.unit,
            low=Bound(low, included=True),
            high=Bound(high, included=True),
            comparison="between",
        )

    # Comparisons

    def _all_compared(
        self, text: str, found: Sequence[Atom], quantities: Sequence[Quantity]
    ) -> Iterator[Quantity]:
        """The quantities with what compares them. A phrase between two of them belongs to the
        second one, if it may."""
        befores = [self._wording.before.before(found, one.start) for one in quantities]
        reach = 0
        for index, one in enumerate(quantities):
            limit = len(found)
            if index + 1 < len(quantities):
                following = befores[index + 1]
                limit = quantities[index + 1].start if following is None else following[0]
            before = befores[index]
            if before is not None and before[0] < reach:
                before = None
            compared = self._compared(one, before)
            if before is None and one.value is not None:
                compared = self._compared_behind(text, found, one, limit)
            reach = compared.end
            yield compared

    def _compared(self, one: Quantity, before: tuple[int, Comparison] | None) -> Quantity:
        """With what stands before it."""
        if before is None:
            return one
        start, comparison = before
        if one.value is not None:
            return _comparing(replace(one, start=start), comparison)
        return replace(one, start=start) if comparison == "about" else one

    def _compared_behind(
        self, text: str, found: Sequence[Atom], one: Quantity, limit: int
    ) -> Quantity:
        """With what stands behind it and ends before ``limit``, and the unit that may stand only
        there: 5 or more km."""
        behind = self._wording.behind.behind(found, one.end)
        if behind is None or behind[0] > limit or _reads_on(found, one.end, behind[0]):
            return one
        end, comparison = behind
        compared = _comparing(replace(one, end=end), comparison)
        if one.unit is None and one.value is not None and one.kind != "percent":
            amount = Amount(one.start, end, one.value, one.kind, literal=True)
            measured = self._measure(text, found, amount)
            if measured is not None and measured.start == one.start and measured.end <= limit:
                return replace(compared, end=measured.end, unit=measured.unit)
        return compared

    def _merged(self, found: Sequence[Atom], told: Sequence[Quantity]) -> Iterator[Quantity]:
        """With "more than 5 and less than 10" made one."""
        index = 0
        while index < len(told):
            one = told[index]
            index += 1
            if index < len(told) and _are_ends(one, told[index]):
                other = told[index]
                if one.end == other.start or self._wording.joins.between(
                    found, one.end, other.start
                ):
                    index += 1
                    yield replace(
                        one,
                        end=other.end,
                        unit=one.unit or other.unit,
                        low=one.low or other.low,
                        high=one.high or other.high,
                        comparison="between",
                    )
                    continue
            yield one

    def _is_all(self, found: Sequence[Atom], one: Quantity) -> bool:
        rest = (*found[: one.start], *found[one.end :])
        return all(atom.kind == "mark" for atom in rest)


def _joins(found: Sequence[Atom], end: int, start: int) -> bool:
    """Whether a hyphen that touches both, or a dash, stands alone between two numbers."""
    if start != end + 1:
        return False
    if found[end].text in HYPHENS:
        return found[end].glued and found[start].glued
    return found[end].text in _DASHES


def _reads_on(found: Sequence[Atom], start: int, end: int) -> bool:
    """Whether the plus behind a number is none that compares: 5+3, 5 +."""
    if found[start].text != "+":
        return False
    return not found[start].glued or (end < len(found) and found[end].kind == "digits")


def _comparing(one: Quantity, comparison: Comparison) -> Quantity:
    value = one.value
    if value is None or comparison == "plain":
        return replace(one, weak=False)
    if comparison in ("about", "not"):
        return replace(one, comparison=comparison, weak=False)
    bound = Bound(value, included=comparison in ("least", "most"))
    if comparison in ("more", "least"):
        return replace(one, value=None, low=bound, comparison="more", weak=False)
    return replace(one, value=None, high=bound, comparison="less", weak=False)


def _are_ends(one: Quantity, other: Quantity) -> bool:
    if one.unit is not None and other.unit is not None and one.unit != other.unit:
        return False
    if {one.comparison, other.comparison} != {"more", "less"}:
        return False
    low, high = one.low or other.low, one.high or other.high
    return low is not None and high is not None and low.value < high.value
