"""Parse and format durations: values of the entity ``duration``, seconds, timedeltas."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any, TypeAlias

from babel import Locale
from babel.numbers import format_decimal

from anaphora.models.templates.formatting.locales import join_list, join_range
from anaphora.models.templates.formatting.numbers import (
    CLDR_UNITS,
    SIGNS,
    format_measure,
    parse_quantity,
    to_decimal,
)

__all__ = ["format_duration", "parse_duration", "split_sign"]

Amounts: TypeAlias = Sequence[tuple[Decimal, str]]
"""Numbers with units, the largest unit first."""

_AMOUNT = r"(\d+(?:\.\d+)?)"
_DURATION = re.compile(
    "P" + "".join(f"(?:{_AMOUNT}{unit})?" for unit in "YMWD")
    + "(?:T" + "".join(f"(?:{_AMOUNT}{unit})?" for unit in "HMS") + ")?"
)  # fmt: skip
_SIGN = re.compile(r"([<>]=?|~|!=)(P.+)")
_UNITS = ("year", "month", "week", "day", "hour", "minute", "second")
_SIZES = (("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1))


def parse_duration(value: Any) -> tuple[Amounts, ...] | None:
    """Parse a duration or both ends of a range (``P3D..P4D``); None for any other value."""
    texts = value.split("..") if isinstance(value, str) else [value]
    ends = tuple(map(_parse_end, texts))
    known = tuple(end for end in ends if end is not None)
    return known if len(known) == len(ends) <= 2 else None


def split_sign(value: Any) -> tuple[str, Any]:
    """Split a comparison sign (``>=P2D``), converted for display, from the value."""
    found = _SIGN.match(value) if isinstance(value, str) else None
    return (f"{SIGNS[found[1]]} ", found[2]) if found else ("", value)


def format_duration(ends: Sequence[Amounts], width: str, locale: Locale) -> str:
    """Format as "1 hour, 30 minutes" or "3 – 4 days"; ``width`` is long, short or narrow."""
    if len(ends) == 1:
        return _format_amounts(ends[0], width, locale)
    low, high = ends
    if len(low) == len(high) == 1 and low[0][1] == high[0][1]:
        number = format_decimal(low[0][0], locale=locale)
        return join_range(number, _format_amounts(high, width, locale), locale)
    return join_range(
        _format_amounts(low, width, locale), _format_amounts(high, width, locale), locale
    )


def _parse_end(value: Any) -> Amounts | None:
    if isinstance(value, timedelta):
        value = value.total_seconds()
    if isinstance(value, int | float) and not isinstance(value, bool):
        seconds = to_decimal(value)
        return None if seconds is None or seconds < 0 else _split_seconds(seconds)
    if not isinstance(value, str):
        return None
    if found := _DURATION.fullmatch(value):
        named = zip(found.groups(), _UNITS, strict=True)
        amounts = [(Decimal(amount), unit) for amount, unit in named if amount]
        return amounts if amounts else None
    quantity = parse_quantity(value)
    if quantity is None or not quantity.is_plain:
        return None
    kind, _, unit = CLDR_UNITS.get(quantity.unit, "").partition("-")
    return [(quantity.low, unit)] if kind == "duration" else None


def _format_amounts(amounts: Amounts, width: str, locale: Locale) -> str:
    parts = [
        format_measure(n, f"duration-{unit}", width, locale) or f"{n} {unit}" for n, unit in amounts
    ]
    return join_list(parts, "unit", locale)


def _split_seconds(seconds: Decimal) -> Amounts:
    amounts = []
    for unit, size in _SIZES:
        count, seconds = (seconds, Decimal(0)) if size == 1 else divmod(seconds, size)
        if count:
            amounts.append((count, unit))
    return amounts or [(Decimal(0), "second")]
