"""The built-in entity ``number``: numbers in digits and words, in any way that people compare,
count and measure.

The value of a mention is a text that is the same however it was said: ``205``, ``0.75``, ``5 %``,
``20 °C``, ``>5``, ``>=3 km``, ``<5``, ``<=5``, ``2..4`` (with both ends; ``2<..<4`` without them),
``~5`` for "about 5" and ``!=5`` for "not 5". Its metadata: ``value``, or ``from`` with
``fromincl`` and ``to`` with ``toincl``; ``kind``; ``comparison``, ``unit`` and ``unittype``
where there are any.

Amounts that are said together are one, in the smaller unit, in which they are exact: "2 hours 30
minutes" are ``150 min``. A decimal is a cardinal, in digits and in words; a ``fraction`` is what
was said as one ("two and a half").
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

from spacy.tokens import Doc

from anaphora.entities.numbers.gate import gate
from anaphora.entities.numbers.quantities import QuantityReader
from anaphora.entities.numbers.quantity import Quantity
from anaphora.entities.numbers.units import Units
from anaphora.entities.recognition import Mention, Passage, Recognizer, text_of

__all__ = ["NumberRecognizer", "canonical", "create", "plain", "range_of"]


def create(language: str, options: Mapping[str, Any]) -> Recognizer:
    """The recognizer of a language; it has no options."""
    return NumberRecognizer(language)


class NumberRecognizer:
    """Finds the numbers of a text."""

    def __init__(self, language: str) -> None:
        self._may_have = gate(language)
        self._read = QuantityReader(language, Units(language))

    def __call__(self, doc: Doc | Passage, at: datetime) -> Iterable[Mention]:
        """The numbers in ``doc``; the time does not matter."""
        return self.mentions(text_of(doc))

    def mentions(self, text: str) -> list[Mention]:
        """The numbers in a text."""
        if not self._may_have(text):
            return []
        found, quantities = self._read(text)
        return [
            Mention(found[one.start].start, found[one.end - 1].end, canonical(one), _meta(one))
            for one in quantities
        ]


def canonical(one: Quantity) -> str:
    """What is meant, written in one way."""
    unit = f" {one.unit.name}" if one.unit is not None else " %" if one.kind == "percent" else ""
    if one.value is not None:
        sign = {"about": "~", "not": "!="}.get(one.comparison or "", "")
        return f"{sign}{_written(one.value)}{unit}"
    low, high = one.low, one.high
    if low is not None and high is not None:
        dots = f"{'' if low.included else '<'}..{'' if high.included else '<'}"
        return f"{_written(low.value)}{dots}{_written(high.value)}{unit}"
    if low is not None:
        return f">{'=' if low.included else ''}{_written(low.value)}{unit}"
    if high is not None:
        return f"<{'=' if high.included else ''}{_written(high.value)}{unit}"
    return unit.strip()


def range_of(one: Quantity) -> dict[str, Any]:
    """The ends of a range and how it compares, as metadata."""
    meta: dict[str, Any] = {}
    if one.low is not None:
        meta["from"] = plain(one.low.value)
        meta["fromincl"] = one.low.included
    if one.high is not None:
        meta["to"] = plain(one.high.value)
        meta["toincl"] = one.high.included
    if one.comparison is not None:
        meta["comparison"] = one.comparison
    return meta


def plain(value: int | Fraction) -> int | float:
    """A number as JSON has it: a whole one where it is whole."""
    if isinstance(value, int):
        return value
    return value.numerator if value.denominator == 1 else float(value)


def _meta(one: Quantity) -> dict[str, Any]:
    meta = range_of(one)
    if one.value is not None:
        meta["value"] = plain(one.value)
    meta["kind"] = one.kind
    if one.unit is not None:
        meta["unit"] = one.unit.name
        meta["unittype"] = one.unit.type
    return meta


def _written(value: int | Fraction) -> str:
    number = plain(value)
    return str(number) if isinstance(number, int) else format(Decimal(repr(number)), "f")
