"""The filters by name: what a template writes behind ``|``, and what they refuse.

Each takes the value of a slot (or a part, a number, a date), None or a list, and optional
arguments. What is empty becomes ''; a list is joined as its language does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import tzinfo
from functools import partial
from typing import Any, NamedTuple, TypeAlias

__all__ = ["FILTERS", "LOCALITY", "Filter", "Locality"]

LOCALITY = "the locality of the question"
"""The key of the fields of a :class:`Locality` among the variables of a template. No template can
name it."""


class Locality(NamedTuple):
    """For whom a text is written: the language and the time zone of the question."""

    language: str
    zone: tzinfo | None


Filter: TypeAlias = Callable[..., str]
"""Formats a value for a :class:`Locality`. Raises ``ValueError`` for what it cannot read."""

_Format: TypeAlias = Callable[..., str | None]


def _filter(name: str, kind: str, format_one: _Format) -> Filter:
    """The filter ``name`` for values of a ``kind``, of which ``format_one`` formats a single one
    (None if it is of another kind)."""

    def format_value(locality: Locality, value: Any, *arguments: Any, **options: Any) -> str:
        from anaphora.models.formatting.locales import join_list, locale_of

        locale = locale_of(locality.language)
        if isinstance(value, list | tuple):
            parts = (format_value(locality, one, *arguments, **options) for one in value)
            return join_list([part for part in parts if part], "standard", locale)
        if _is_missing(value):
            return ""
        try:
            written = format_one(locality, locale, value, *arguments, **options)
        except (ArithmeticError, AttributeError, KeyError, TypeError, ValueError) as error:
            raise ValueError(f"the filter '{name}' cannot format {value!r}: {error}") from error
        if written is None:
            raise ValueError(f"the filter '{name}' cannot format {value!r}: it is no {kind}")
        return written

    return format_value


def _is_missing(value: Any) -> bool:
    if value is None or value == "":
        return True
    from jinja2 import Undefined

    return isinstance(value, Undefined)


def _date(locality: Locality, locale: Any, value: Any, format: str = "long") -> str | None:
    from anaphora.models.formatting.dates import format_days

    return _period(format_days, locality, locale, value, format)


def _time(locality: Locality, locale: Any, value: Any, format: str = "") -> str | None:
    from anaphora.models.formatting.dates import format_times

    format_in_zone = partial(format_times, zone=locality.zone)
    return _period(format_in_zone, locality, locale, value, format)


def _datetime(locality: Locality, locale: Any, value: Any, format: str = "long") -> str | None:
    from anaphora.models.formatting.dates import format_days_and_times

    return _period(format_days_and_times, locality, locale, value, format)


def _period(
    format_period: Callable[..., str], locality: Locality, locale: Any, value: Any, format: str
) -> str | None:
    from anaphora.models.formatting.periods import parse_period

    period = parse_period(value, getattr(value, "meta", {}), locality.zone)
    return None if period is None else format_period(period, format, locale)


def _duration(locality: Locality, locale: Any, value: Any, width: str = "long") -> str | None:
    from anaphora.models.formatting.durations import format_duration, parse_duration, split_sign
    from anaphora.models.formatting.numbers import WIDTHS

    if width not in WIDTHS:
        raise ValueError(f"the width is {', '.join(WIDTHS)}, not {width!r}")
    sign, value = split_sign(value)
    ends = parse_duration(value)
    return None if ends is None else sign + format_duration(ends, width, locale)


def _money(
    locality: Locality, locale: Any, value: Any, currency: str = "", format: str | None = None
) -> str | None:
    from anaphora.models.formatting.numbers import format_money, parse_quantity

    if currency and not (len(currency) == 3 and currency.isalpha() and currency.isupper()):
        raise ValueError(f"{currency!r} is no code of a currency, as 'EUR'")
    quantity = parse_quantity(value)
    if quantity is None or (quantity.unit and not quantity.currency):
        return None
    return format_money(quantity, quantity.currency or currency, format, locale)


def _number(locality: Locality, locale: Any, value: Any, format: str = "short") -> str | None:
    from anaphora.models.formatting.numbers import (
        WIDTHS,
        format_money,
        format_number,
        parse_quantity,
    )

    quantity = parse_quantity(value)
    if quantity is None:
        return None
    width, pattern = (format, None) if format in WIDTHS else ("short", format)
    if quantity.currency:
        return format_money(quantity, quantity.currency, pattern, locale)
    return format_number(quantity, width, pattern, locale)


FILTERS: Mapping[str, Filter] = {
    "date": _filter("date", "date", _date),
    "time": _filter("time", "date", _time),
    "datetime": _filter("datetime", "date", _datetime),
    "duration": _filter("duration", "duration", _duration),
    "money": _filter("money", "amount of money", _money),
    "number": _filter("number", "number", _number),
}
