"""The units of measure of all languages, with their symbols: ``tables/units.yaml``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from anaphora.entities.builtin.numbers.shared_tables import load_shared_table

__all__ = ["Unit", "UnitCatalog", "load_units"]

_OTHER_SECTIONS = ("exact", "sums", "meant", "bare")


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit and what it measures (``length``)."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class UnitCatalog:
    """The units by name, by symbol, and by the symbols whose case counts; how large each is among
    those that are said together (hours and minutes), by the number of its family; what a unit
    means behind another one, and which one may go without saying behind it, from one number to
    another."""

    units: Mapping[str, Unit]
    symbols: Mapping[str, Unit]
    case_sensitive_symbols: Mapping[str, Unit]
    sizes: Mapping[Unit, tuple[int, Fraction]]
    implied_units: Mapping[tuple[Unit, Unit], Unit]
    implied_parts: Mapping[Unit, tuple[Unit, int, int]]

    def ratio(self, large: Unit, small: Unit) -> int | None:
        """How many of a unit another one has, where both are said together: 60 minutes an hour;
        None, if they are not."""
        one, other = self.sizes.get(large), self.sizes.get(small)
        if one is None or other is None or one[0] != other[0] or one[1] <= other[1]:
            return None
        ratio = one[1] / other[1]
        return ratio.numerator if ratio.denominator == 1 else None


@lru_cache(maxsize=1)
def load_units() -> UnitCatalog:
    """All that the table tells."""
    table: dict[str, Any] = load_shared_table("units")
    listed = {type: names for type, names in table.items() if type not in _OTHER_SECTIONS}
    units = {name: Unit(name, type) for type, names in listed.items() for name in names}
    symbols = {
        symbol: units[name]
        for names in listed.values()
        for name, written in names.items()
        for symbol in written
    }
    return UnitCatalog(
        units=units,
        symbols=symbols,
        case_sensitive_symbols={
            **symbols,
            **{symbol: units[name] for symbol, name in table["exact"].items()},
        },
        sizes={
            units[name]: (family, Fraction(str(size)))
            for family, sizes in enumerate(table["sums"])
            for name, size in sizes.items()
        },
        implied_units={
            (units[behind], units[read]): units[meant]
            for behind, others in table["meant"].items()
            for read, meant in others.items()
        },
        implied_parts={
            units[name]: (units[part], low, high)
            for name, (part, low, high) in table["bare"].items()
        },
    )
