"""The template filters by name, with checks of their input.

A filter takes the value of a slot (or a part, a number, a date), None or a list, and optional
arguments. An empty value becomes ''; a list is joined by the rules of the language.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import tzinfo
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from anaphora.models.templates.entity_text import BundleText, EntityText

__all__ = ["FILTERS", "FORMAT_LOCALE_KEY", "Filter", "FormatLocale"]

FORMAT_LOCALE_KEY = "the locale of the question"
"""The key of a :class:`FormatLocale` among the variables of a template, not a valid name there."""


class FormatLocale(NamedTuple):
    """The language and the time zone of the question."""

    language: str
    zone: tzinfo | None


Filter: TypeAlias = Callable[..., str]
"""Formats a value for a :class:`FormatLocale`; raises ``ValueError`` for an invalid value."""

_Format: TypeAlias = Callable[..., str | None]


def _build_filter(name: str, kind: str, format_one: _Format) -> Filter:
    """Build the filter ``name`` for values of a ``kind``. ``format_one`` formats one value and
    returns None if it has another kind."""

    def format_value(
        format_locale: FormatLocale, value: Any, *arguments: Any, **options: Any
    ) -> str:
        from anaphora.models.templates.formatting.locales import find_locale, join_list

        locale = find_locale(format_locale.language)
        if isinstance(value, BundleText) and value.told_by is not None:
            value = EntityText(value.told_by)
        if isinstance(value, list | tuple):
            parts = (format_value(format_locale, one, *arguments, **options) for one in value)
            return join_list([part for part in parts if part], "standard", locale)
        if _is_missing(value):
            return ""
        try:
            written = format_one(format_locale, locale, value, *arguments, **options)
        except (ArithmeticError, AttributeError, KeyError, TypeError, ValueError) as error:
            raise ValueError(f"the filter '{name}' cannot format {value!r}: {error}") from error
        if written is None:
            raise ValueError(f"the filter '{name}' cannot format {value!r}: it is not a {kind}")
        return written

    return format_value


def _is_missing(value: Any) -> bool:
    if value is None or value == "":
        return True
    from jinja2 import Undefined

    return isinstance(value, Undefined)


def _format_date(
    format_locale: FormatLocale, locale: Any, value: Any, format: str = "long"
) -> str | None:
    from anaphora.models.templates.formatting.dates import format_days

    return _format_period(format_days, format_locale, locale, value, format)


def _format_time(
    format_locale: FormatLocale, locale: Any, value: Any, format: str = ""
) -> str | None:
    from anaphora.models.templates.formatting.dates import format_times

    format_in_zone = partial(format_times, zone=format_locale.zone)
    return _format_period(format_in_zone, format_locale, locale, value, format)


def _format_datetime(
    format_locale: FormatLocale, locale: Any, value: Any, format: str = "long"
) -> str | None:
    from anaphora.models.templates.formatting.dates import format_days_and_times

    return _format_period(format_days_and_times, format_locale, locale, value, format)


def _format_period(
    format_period: Callable[..., str],
    format_locale: FormatLocale,
    locale: Any,
    value: Any,
    format: str,
) -> str | None:
    from anaphora.models.templates.formatting.periods import parse_period

    period = parse_period(value, getattr(value, "meta", {}), format_locale.zone)
    return None if period is None else format_period(period, format, locale)


def _format_duration(
    format_locale: FormatLocale, locale: Any, value: Any, width: str = "long"
) -> str | None:
    from anaphora.models.templates.formatting.durations import (
        format_duration,
        parse_duration,
        split_sign,
    )
    from anaphora.models.templates.formatting.numbers import WIDTHS

    if width not in WIDTHS:
        raise ValueError(f"the width is {', '.join(WIDTHS)}, not {width!r}")
    sign, value = split_sign(value)
    ends = parse_duration(value)
    return None if ends is None else sign + format_duration(ends, width, locale)


def _format_money(
    format_locale: FormatLocale,
    locale: Any,
    value: Any,
    currency: str = "",
    format: str | None = None,
) -> str | None:
    from anaphora.models.templates.formatting.numbers import format_money, parse_quantity

    if currency and not (len(currency) == 3 and currency.isalpha() and currency.isupper()):
        raise ValueError(f"{currency!r} is not the code of a currency such as 'EUR'")
    quantity = parse_quantity(value)
    if quantity is None or (quantity.unit and not quantity.currency):
        return None
    return format_money(quantity, quantity.currency or currency, format, locale)


def _format_number(
    format_locale: FormatLocale, locale: Any, value: Any, format: str = "short"
) -> str | None:
    from anaphora.models.templates.formatting.numbers import (
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


def _format_recurrence(format_locale: FormatLocale, locale: Any, value: Any) -> str | None:
    from anaphora.models.templates.formatting.recurrences import (
        format_recurrence,
        parse_recurrence,
    )

    rule = parse_recurrence(value)
    return None if rule is None else format_recurrence(rule, getattr(value, "meta", {}), locale)


FILTERS: Mapping[str, Filter] = {
    "date": _build_filter("date", "date", _format_date),
    "time": _build_filter("time", "date", _format_time),
    "datetime": _build_filter("datetime", "date", _format_datetime),
    "duration": _build_filter("duration", "duration", _format_duration),
    "recurrence": _build_filter("recurrence", "recurring time", _format_recurrence),
    "money": _build_filter("money", "amount of money", _format_money),
    "number": _build_filter("number", "number", _format_number),
}
