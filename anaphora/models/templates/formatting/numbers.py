"""Parse and format numbers and money: values of these entities, with units and ranges."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from typing import Any, cast

from babel import Locale
from babel.numbers import format_currency, format_decimal, format_percent, is_currency
from babel.units import UnknownUnitError, format_unit

from anaphora.models.templates.formatting.locales import join_range

__all__ = [
    "CLDR_UNITS",
    "SIGNS",
    "WIDTHS",
    "Quantity",
    "format_measure",
    "format_money",
    "format_number",
    "parse_quantity",
    "to_decimal",
]

WIDTHS = ("long", "short", "narrow")
"""The widths of unit names."""

_NUMBER = r"-?\d+(?:\.\d+)?"
_QUANTITY = re.compile(
    rf"(?P<sign>[<>]=?|~|!=)?(?P<low>{_NUMBER})(?:<?\.\.<?(?P<high>{_NUMBER}))?(?: (?P<unit>\S+))?",
    re.ASCII,
)
_CURRENCY = re.compile("[A-Z][A-Z0-9]{2,9}")  # of ISO 4217, or one such as USDT
SIGNS = {">=": "≥", "<=": "≤", "~": "≈", "!=": "≠", ">": ">", "<": "<"}


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number, or a range from ``low`` to ``high``, in a unit ('' for none).

    ``sign`` is a comparison: ``>5`` is more than five, ``~5`` about five.
    """

    low: Decimal
    high: Decimal | None = None
    unit: str = ""
    sign: str = ""

    @property
    def is_plain(self) -> bool:
        """Whether it is one number without a comparison."""
        return self.high is None and not self.sign

    @property
    def currency(self) -> str:
        """The unit if it can be a currency code, else ''."""
        return self.unit if _CURRENCY.fullmatch(self.unit) and self.unit not in CLDR_UNITS else ""


def parse_quantity(value: Any) -> Quantity | None:
    """Parse a quantity; None for any other value."""
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        number = to_decimal(value)
        return None if number is None else Quantity(number)
    found = _QUANTITY.fullmatch(value) if isinstance(value, str) else None
    if found is None or (found["sign"] and found["high"]):
        return None
    high = found["high"]
    return Quantity(
        Decimal(found["low"]),
        None if high is None else Decimal(high),
        found["unit"] or "",
        found["sign"] or "",
    )


def to_decimal(number: float | Decimal) -> Decimal | None:
    """Convert to Decimal, without a zero fraction, which has a different plural in some languages;
    None for NaN and infinities."""
    decimal = Decimal(str(number))
    if not decimal.is_finite():
        return None
    whole = decimal.to_integral_value()
    return whole if whole == decimal else decimal


def format_money(quantity: Quantity, currency: str, pattern: str | None, locale: Locale) -> str:
    """Format an amount of money in ``currency`` ('' if unknown) with a CLDR ``pattern`` (None for
    that of the locale). A currency unknown to Babel follows the number."""
    if pattern is not None and currency:
        return _format_quantity(
            quantity,
            lambda n: format_currency(n, currency, pattern, locale=locale, currency_digits=False),
            locale,
        )
    if currency and is_currency(currency):
        return _format_quantity(
            quantity, lambda n: format_currency(n, currency, locale=locale), locale
        )
    if currency or pattern is not None:
        return format_number(replace(quantity, unit=currency), "short", pattern, locale)
    return _format_quantity(
        quantity, partial(_format_plain_amount, locale, _decimal_places(quantity)), locale
    )


def _decimal_places(quantity: Quantity) -> int:
    """The minimum number of decimals of an amount of money: two or none."""
    ends = (quantity.low, quantity.high or quantity.low)
    return 0 if all(end == end.to_integral_value() for end in ends) else 2


def _format_plain_amount(locale: Locale, decimals: int, number: Decimal) -> str:
    pattern = copy(locale.decimal_formats[None])
    pattern.frac_prec = (decimals, decimals)
    written: str = pattern.apply(number, locale, decimal_quantization=False)
    return written


def format_number(quantity: Quantity, width: str, pattern: str | None, locale: Locale) -> str:
    """Format a number with its unit in the ``width`` long, short or narrow."""
    unit = quantity.unit

    def decimal(number: Decimal) -> str:
        return format_decimal(number, pattern, locale, decimal_quantization=pattern is not None)

    def percent(number: Decimal) -> str:
        return format_percent(number / 100, locale=locale, decimal_quantization=False)

    def measured(number: Decimal) -> str:
        name = CLDR_UNITS.get(unit)
        written = format_measure(number, name, width, locale, pattern) if name else ""
        return written or f"{decimal(number)} {unit}"

    if unit == "%":
        return _format_quantity(quantity, percent, locale, ends=decimal)
    return _format_quantity(quantity, measured if unit else decimal, locale, ends=decimal)


def format_measure(
    number: Decimal, unit: str, width: str, locale: Locale, pattern: str | None = None
) -> str:
    """Format a number with a CLDR unit in ``width``, or in another width if Babel lacks it in the
    locale; '' if there is no pattern at all."""
    for length in (width, *WIDTHS):
        try:
            written = format_unit(number, unit, cast(Any, length), pattern, locale=locale)
        except UnknownUnitError:
            continue
        if unit not in written:  # the unit itself replaces a missing pattern
            return written
    return ""


def _format_quantity(
    quantity: Quantity,
    single: Callable[[Decimal], str],
    locale: Locale,
    ends: Callable[[Decimal], str] | None = None,
) -> str:
    """Format a quantity. ``ends`` formats the first end of a range, without the unit."""
    if quantity.high is not None:
        low = (ends or single)(quantity.low)
        return join_range(low, single(quantity.high), locale)
    written = single(quantity.low)
    return f"{SIGNS[quantity.sign]} {written}" if quantity.sign else written


CLDR_UNITS: Mapping[str, str] = {
    "ms": "duration-millisecond",
    "s": "duration-second",
    "min": "duration-minute",
    "h": "duration-hour",
    "day": "duration-day",
    "week": "duration-week",
    "month": "duration-month",
    "year": "duration-year",
    "decade": "duration-decade",
    "century": "duration-century",
    "mm": "length-millimeter",
    "cm": "length-centimeter",
    "dm": "length-decimeter",
    "m": "length-meter",
    "km": "length-kilometer",
    "in": "length-inch",
    "ft": "length-foot",
    "yd": "length-yard",
    "mi": "length-mile",
    "nmi": "length-nautical-mile",
    "ly": "length-light-year",
    "g": "mass-gram",
    "kg": "mass-kilogram",
    "t": "mass-tonne",
    "oz": "mass-ounce",
    "lb": "mass-pound",
    "st": "mass-stone",
    "cm²": "area-square-centimeter",
    "m²": "area-square-meter",
    "km²": "area-square-kilometer",
    "ha": "area-hectare",
    "acre": "area-acre",
    "ft²": "area-square-foot",
    "ml": "volume-milliliter",
    "cl": "volume-centiliter",
    "dl": "volume-deciliter",
    "l": "volume-liter",
    "cm³": "volume-cubic-centimeter",
    "m³": "volume-cubic-meter",
    "gal": "volume-gallon",
    "cup": "volume-cup",
    "tbsp": "volume-tablespoon",
    "tsp": "volume-teaspoon",
    "km/h": "speed-kilometer-per-hour",
    "m/s": "speed-meter-per-second",
    "mph": "speed-mile-per-hour",
    "kn": "speed-knot",
    "°C": "temperature-celsius",
    "°F": "temperature-fahrenheit",
    "K": "temperature-kelvin",
    "°": "angle-degree",
    "Pa": "pressure-pascal",
    "hPa": "pressure-hectopascal",
    "kPa": "pressure-kilopascal",
    "bar": "pressure-bar",
    "mbar": "pressure-millibar",
    "atm": "pressure-atmosphere",
    "mmHg": "pressure-millimeter-ofhg",
    "psi": "pressure-pound-force-per-square-inch",
    "mW": "power-milliwatt",
    "W": "power-watt",
    "kW": "power-kilowatt",
    "MW": "power-megawatt",
    "GW": "power-gigawatt",
    "hp": "power-horsepower",
    "N": "force-newton",
    "J": "energy-joule",
    "kJ": "energy-kilojoule",
    "cal": "energy-calorie",
    "kcal": "energy-kilocalorie",
    "kWh": "energy-kilowatt-hour",
    "Hz": "frequency-hertz",
    "kHz": "frequency-kilohertz",
    "MHz": "frequency-megahertz",
    "GHz": "frequency-gigahertz",
    "V": "electric-volt",
    "A": "electric-ampere",
    "mA": "electric-milliampere",
    "rad": "angle-radian",
    "bit": "digital-bit",
    "B": "digital-byte",
    "KB": "digital-kilobyte",
    "MB": "digital-megabyte",
    "GB": "digital-gigabyte",
    "TB": "digital-terabyte",
    "PB": "digital-petabyte",
}
"""The CLDR names of the units of the entity ``number``."""
