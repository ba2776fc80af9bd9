"""The built-in entity ``number``: numbers in digits and words, with comparisons, ranges and units.

The value of a mention is canonical: ``205``, ``0.75``, ``5 %``, ``20 °C``, ``>5``, ``>=3 km``,
``<5``, ``<=5``, ``2..4`` (including both ends; ``2<..<4`` without them), ``~5`` for "about 5" and
``!=5`` for "not 5". Its metadata: ``value``, or ``from`` with ``fromincl`` and ``to`` with
``toincl``; ``kind``; ``comparison``, ``unit`` and ``unittype``, if there are any.

Amounts that belong together are one, in the smaller unit, so that the value is exact: "2 hours 30
minutes" is ``150 min``. A decimal is a cardinal, in digits and in words; the kind ``fraction`` is
for numbers in the form of a fraction ("two and a half").
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

from spacy.tokens import Doc

from anaphora.entities.builtin.atoms import Atom
from anaphora.entities.builtin.numbers.cldr.unit_names import load_unit_names
from anaphora.entities.builtin.numbers.number_phrases import load_number_phrases
from anaphora.entities.builtin.numbers.prefilter import build_prefilter
from anaphora.entities.builtin.numbers.quantities.amounts import Quantity
from anaphora.entities.builtin.numbers.quantities.quantity_reader import QuantityReader
from anaphora.entities.builtin.numbers.quantities.unit_matcher import MeasureUnitMatcher
from anaphora.entities.recognizers.recognizer import Mention, Recognizer, TokenizedText, get_text
from anaphora.storage.cache import Cache

__all__ = [
    "NumberRecognizer",
    "build_range_metadata",
    "create",
    "format_quantity",
    "load",
    "to_json_number",
]


def create(language: str, options: Mapping[str, Any]) -> Recognizer:
    """Create the recognizer of numbers in a language; it has no options."""
    return NumberRecognizer(language)


def load(language: str, options: Mapping[str, Any], cache: Cache) -> None:
    """Load the names of the units through the ``cache``."""
    load_unit_names(language, cache)


class NumberRecognizer:
    """Finds the numbers of a text."""

    def __init__(self, language: str) -> None:
        self._may_contain_number = build_prefilter(language)
        self._alone = load_number_phrases(language).alone
        self._read = QuantityReader(language, MeasureUnitMatcher(language))

    def __call__(self, doc: Doc | TokenizedText, at: datetime) -> Iterable[Mention]:
        """The numbers in ``doc``; the time does not matter."""
        return self.find_mentions(get_text(doc))

    def find_mentions(self, text: str) -> list[Mention]:
        """The numbers in a text."""
        if not self._may_contain_number(text):
            return []
        atoms, quantities = self._read(text)
        if (alone := self._match_alone(atoms)) is not None:
            quantities = [alone]
        return [
            Mention(
                atoms[one.start].start,
                atoms[one.end - 1].end,
                format_quantity(one),
                _build_metadata(one),
            )
            for one in quantities
        ]

    def _match_alone(self, atoms: Sequence[Atom]) -> Quantity | None:
        """The number that a whole text means ("none"), apart from marks at its end."""
        end = len(atoms)
        while end and atoms[end - 1].kind == "mark":
            end -= 1
        value = self._alone.match_between(atoms, 0, end)
        return None if value is None else Quantity(0, end, "cardinal", None, value)


def format_quantity(
    one: Quantity, format_number: Callable[[int | Fraction], str] | None = None
) -> str:
    """The canonical text of a quantity (``~5``, ``>=3 km``, ``2..4``). ``format_number`` formats
    its numbers, by default as decimals."""
    write = format_number or _format_number
    unit = f" {one.unit.name}" if one.unit is not None else " %" if one.kind == "percent" else ""
    if one.value is not None:
        sign = {"about": "~", "not": "!="}.get(one.comparison or "", "")
        return f"{sign}{write(one.value)}{unit}"
    low, high = one.low, one.high
    if low is not None and high is not None:
        dots = f"{'' if low.included else '<'}..{'' if high.included else '<'}"
        return f"{write(low.value)}{dots}{write(high.value)}{unit}"
    if low is not None:
        return f">{'=' if low.included else ''}{write(low.value)}{unit}"
    if high is not None:
        return f"<{'=' if high.included else ''}{write(high.value)}{unit}"
    return unit.strip()


def build_range_metadata(one: Quantity) -> dict[str, Any]:
    """The metadata of a range and of a comparison."""
    meta: dict[str, Any] = {}
    if one.low is not None:
        meta["from"] = to_json_number(one.low.value)
        meta["fromincl"] = one.low.included
    if one.high is not None:
        meta["to"] = to_json_number(one.high.value)
        meta["toincl"] = one.high.included
    if one.comparison is not None:
        meta["comparison"] = one.comparison
    return meta


def to_json_number(value: int | Fraction) -> int | float:
    """A number for JSON: an int if it is whole, otherwise a float."""
    return value.numerator if value.denominator == 1 else float(value)


def _build_metadata(one: Quantity) -> dict[str, Any]:
    meta = build_range_metadata(one)
    if one.value is not None:
        meta["value"] = to_json_number(one.value)
    meta["kind"] = one.kind
    if one.unit is not None:
        meta["unit"] = one.unit.name
        meta["unittype"] = one.unit.type
    return meta


def _format_number(value: int | Fraction) -> str:
    number = to_json_number(value)
    return str(number) if isinstance(number, int) else format(Decimal(repr(number)), "f")
