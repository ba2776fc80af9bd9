"""What is said of a number: its value or its ends, its unit, how it compares."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, NamedTuple, Protocol

from anaphora.entities.builtin.atoms import Atom
from anaphora.entities.builtin.numbers.quantities.amounts import Amount, NumberKind
from anaphora.entities.builtin.numbers.units import Unit

__all__ = ["Bound", "Quantity", "UnitMatcher"]


class Bound(NamedTuple):
    """An end of a range, and whether it belongs to it."""

    value: int | Fraction
    included: bool


class Quantity(NamedTuple):  # a dataclass takes three times as long to make
    """An amount and what is said of it: a ``value``, or a range with at least one bound. ``start``
    and ``end`` are indexes of atoms (half open)."""

    start: int
    end: int
    kind: NumberKind
    unit: Unit | None
    value: int | Fraction | None = None
    low: Bound | None = None
    high: Bound | None = None
    comparison: Literal["more", "less", "between", "about", "not"] | None = None
    weak: bool = False


class UnitMatcher(Protocol):
    """Finds the unit of a number."""

    def __call__(self, text: str, atoms: Sequence[Atom], amount: Amount) -> Amount | None:
        """The amount with its unit and what it takes up with it; None where it has none.
        ``amount`` may touch letters that are no part of it."""
        ...

    def merge_amounts(self, atoms: Sequence[Atom], amounts: Sequence[Amount]) -> list[Amount]:
        """The amounts, with those made one that are said together ("5 euros 20 cents")."""
        ...
