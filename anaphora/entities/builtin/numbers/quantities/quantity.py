"""Quantities: values or ranges with a unit and a comparison."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, NamedTuple, Protocol

from anaphora.entities.builtin.atoms import Atom
from anaphora.entities.builtin.numbers.quantities.amounts import Amount, NumberKind
from anaphora.entities.builtin.numbers.units import Unit

__all__ = ["Bound", "Quantity", "UnitMatcher"]


class Bound(NamedTuple):
    """An end of a range, and whether the range includes it."""

    value: int | Fraction
    included: bool


class Quantity(NamedTuple):  # a dataclass takes three times as long to make
    """A ``value``, or a range with at least one bound, with its unit and comparison. ``start`` and
    ``end`` are indexes of atoms (half open); ``weak`` as in :class:`.amounts.Amount`."""

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
        """The amount with its unit, extended by it; None if it has none. ``amount`` may touch
        letters that are not part of it."""
        ...

    def merge_amounts(self, atoms: Sequence[Atom], amounts: Sequence[Amount]) -> list[Amount]:
        """Merge amounts that belong together ("5 euros 20 cents")."""
        ...
