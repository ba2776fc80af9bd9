"""The names of units in a language, from CLDR (the package Babel), in each grammatical number.

What people say besides is under ``units`` in ``numbers.yaml`` of the language.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from anaphora.entities.builtin.atoms import split_atoms
from anaphora.entities.builtin.numbers.cldr.locales import LocaleTable, parse_locales
from anaphora.entities.builtin.numbers.units import load_cldr_ids
from anaphora.entities.words.normalization import create_normalizer

if TYPE_CHECKING:
    from babel import Locale

__all__ = ["NUMBER", "load_unit_names"]

NUMBER = "{0}"
"""The place of the number in a name that stands around it: 摄氏{0}度."""

_PER = "per"  # a pattern for rates


def _build_names(code: str) -> dict[str, str]:
    normalize = create_normalizer(code)
    names: dict[str, str] = {}
    for locale in parse_locales(code):
        for unit, pattern in _patterns(locale):
            before, found, behind = pattern.partition(NUMBER)
            sides = [
                " ".join(atom.text for atom in split_atoms(side, normalize))
                for side in (before, behind)
            ]
            if not found or not sides[1]:
                continue
            names.setdefault(f" {NUMBER} ".join(sides) if sides[0] else sides[1], unit)
    return names


load_unit_names = LocaleTable("units", _build_names)
"""The names of the units of :func:`~anaphora.entities.builtin.numbers.units.load_units` by the
words of their names in a language, with blanks between. In a name that stands around the number,
:data:`NUMBER` has its place."""


def _patterns(locale: Locale) -> Iterator[tuple[str, str]]:
    """The units with the patterns of their names: "{0} miles"."""
    data: Any = locale._data  # Babel's functions ask for one count after the other
    known = data["unit_patterns"]
    for unit, cldr_id in load_cldr_ids().items():
        if cldr_id not in known:
            continue
        by_width = known[cldr_id]
        width = "long" if "long" in by_width else "short"
        for count, pattern in by_width.get(width, {}).items():
            # The short ones in Latin letters are symbols, some of which are words too ("in").
            if count != _PER and not (width == "short" and pattern.isascii()):
                yield unit, pattern
