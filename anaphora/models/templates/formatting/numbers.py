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
    unit: f"{kind}-{name}"
    for kind, names in {
        "duration": "ms=millisecond s=second min=minute h=hour day=day week=week "
        "month=month year=year decade=decade century=century",
        "length": "mm=millimeter cm=centimeter dm=decimeter m=meter km=kilometer "
        "in=inch ft=foot yd=yard mi=mile nmi=nautical-mile ly=light-year",
        "mass": "g=gram kg=kilogram t=tonne oz=ounce lb=pound st=stone",
        "area": "cm²=square-centimeter m²=square-meter km²=square-kilometer "
        "ha=hectare acre=acre ft²=square-foot",
        "volume": "ml=milliliter cl=centiliter dl=deciliter l=liter "
        "cm³=cubic-centimeter m³=cubic-meter gal=gallon cup=cup "
        "tbsp=tablespoon tsp=teaspoon",
        "speed": "km/h=kilometer-per-hour m/s=meter-per-second mph=mile-per-hour kn=knot",
        "temperature": "°C=celsius °F=fahrenheit K=kelvin",
        "angle": "°=degree rad=radian",
        "pressure": "Pa=pascal hPa=hectopascal kPa=kilopascal bar=bar mbar=millibar "
        "atm=atmosphere mmHg=millimeter-ofhg "
        "psi=pound-force-per-square-inch",
        "power": "mW=milliwatt W=watt kW=kilowatt MW=megawatt GW=gigawatt hp=horsepower",
        "force": "N=newton",
        "energy": "J=joule kJ=kilojoule cal=calorie kcal=kilocalorie kWh=kilowatt-hour",
        "frequency": "Hz=hertz kHz=kilohertz MHz=megahertz GHz=gigahertz",
        "electric": "V=volt A=ampere mA=milliampere",
        "digital": "bit=bit B=byte KB=kilobyte MB=megabyte GB=gigabyte TB=terabyte PB=petabyte",
    }.items()
    for unit, _, name in (pair.partition("=") for pair in names.split())
}
"""The CLDR names of the units of the entity ``number``."""
