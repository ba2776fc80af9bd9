"""The units of measure and the currencies of all languages: ``tables/*.yaml``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from anaphora.entities.languages import load_yaml

__all__ = ["Unit", "UnitCatalog", "load_cldr_ids", "load_currencies", "load_units"]

_OTHER_SECTIONS = ("exact", "sums", "meant", "bare", "cldr")


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit and what it measures (``length``)."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class UnitCatalog:
    """The units of all languages.

    ``units`` has them by name, ``symbols`` by symbol, ``case_sensitive_symbols`` by the symbols
    whose case matters. ``sizes`` has the family of a unit (hours and minutes form one) and its
    size in it. ``implied_units`` maps a unit and a following one to the unit that the latter means
    there; ``implied_parts`` maps a unit to the one that a bare number behind it has, with the least
    and the greatest such number.
    """

    units: Mapping[str, Unit]
    symbols: Mapping[str, Unit]
    case_sensitive_symbols: Mapping[str, Unit]
    sizes: Mapping[Unit, tuple[int, Fraction]]
    implied_units: Mapping[tuple[Unit, Unit], Unit]
    implied_parts: Mapping[Unit, tuple[Unit, int, int]]

    def ratio(self, large: Unit, small: Unit) -> int | None:
        """The number of small units in a large one of the same family (60 minutes in an hour); None
        if it is no whole number or the families differ."""
        one, other = self.sizes.get(large), self.sizes.get(small)
        if one is None or other is None or one[0] != other[0] or one[1] <= other[1]:
            return None
        ratio = one[1] / other[1]
        return ratio.numerator if ratio.denominator == 1 else None


@lru_cache(maxsize=1)
def load_units() -> UnitCatalog:
    """The units of ``tables/units.yaml``."""
    table = _load_table()
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
        case_sensitive_symbols=symbols
        | {symbol: units[name] for symbol, name in table["exact"].items()},
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


def load_cldr_ids() -> Mapping[str, str]:
    """The identifiers of the units in CLDR, by their names."""
    ids: Mapping[str, str] = _load_table()["cldr"]
    return ids


@lru_cache(maxsize=1)
def _load_table() -> Mapping[str, Any]:
    return load_yaml(__package__, "tables/units.yaml")


@lru_cache(maxsize=1)
def load_currencies() -> Mapping[str, Any]:
    """The table of currencies, ``tables/currencies.yaml``."""
    return load_yaml(__package__, "tables/currencies.yaml")
