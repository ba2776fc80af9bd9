"""The built-in entities of NLPCraft: those of Anaphora, with the metadata that NLPCraft's intents
use.

``meta_tok('nlpcraft:num:from')`` reads ``from`` of an entity ``nlpcraft:num``. Other metadata keeps
its own keys.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, TypeAlias

from msgspec.structs import replace
from spacy.tokens import Doc

from anaphora.entities.recognizers.recognizer import Mention, Recognizer, TokenizedText

__all__ = ["add_durations", "extend_metadata", "map_metadata"]

Meta: TypeAlias = Mapping[str, Any]


def map_metadata(name: str, inner: Recognizer) -> Recognizer:
    """Wrap the recognizer of a built-in entity as one of NLPCraft's entities (``nlpcraft:num``),
    with metadata under other keys."""

    def recognize(doc: Doc | TokenizedText, at: datetime) -> Iterable[Mention]:
        return [replace(one, meta=extend_metadata(name, one.meta)) for one in inner(doc, at)]

    return recognize


def add_durations(numbers: Recognizer, durations: Recognizer) -> Recognizer:
    """Find durations that are no numbers with a unit ("an hour", "a few minutes", "3h5m") as
    numbers, for NLPCraft has no entity of durations."""

    def recognize(doc: Doc | TokenizedText, at: datetime) -> Iterable[Mention]:
        found = list(numbers(doc, at))
        measured = [one for one in found if "unit" in one.meta]
        counted = [
            _count(one)
            for one in durations(doc, at)
            if "seconds" in one.meta
            and not any(other.start < one.end and one.start < other.end for other in measured)
        ]
        inner = [
            one
            for one in found
            if not any(other.start <= one.start and one.end <= other.end for other in counted)
        ]
        return [*inner, *counted]

    return recognize


def _count(duration: Mention) -> Mention:
    """The number of a duration, in the unit of the smallest of its parts."""
    if "amount" in duration.meta:
        amount, unit = duration.meta["amount"], duration.meta["unit"]
    else:
        amount, unit = _count_seconds(duration.meta["seconds"])
    short = _UNITS.get(unit, unit)
    meta = {"value": amount, "kind": "cardinal", "unit": short, "unittype": "datetime"}
    return replace(duration, value=f"{amount} {short}", meta=meta)


def _count_seconds(seconds: float) -> tuple[float, str]:
    for size, unit in _SIZES:
        if seconds % size == 0:
            return seconds // size, unit
    return seconds, "second"


_SIZES = ((86_400, "day"), (3_600, "hour"), (60, "minute"))
_UNITS = {"second": "s", "minute": "min", "hour": "h"}

_UNIT_NAMES = {
    **{short: name for name, short in _UNITS.items()},
    "mm": "millimeter", "cm": "centimeter", "dm": "decimeter", "m": "meter", "km": "kilometer",
    "in": "inch", "ft": "feet", "yd": "yard", "mi": "mile", "mg": "milligram", "g": "gram",
    "kg": "kilogram", "t": "tonne", "oz": "ounce", "lb": "pound", "ml": "milliliter", "l": "litre",
    "gal": "gallon", "qt": "quart", "pt": "pint", "km/h": "kilometer per hour",
    "m/s": "meter per second", "mph": "mile per hour", "°C": "celsius", "°F": "fahrenheit",
    "K": "kelvin", "°": "degree", "W": "watt", "kW": "kilowatt", "Hz": "hertz", "A": "ampere",
    "V": "volt", "B": "byte", "kB": "kilobyte", "MB": "megabyte", "GB": "gigabyte",
    "TB": "terabyte", "ms": "millisecond", "ha": "hectare",
}  # fmt: skip
"""The names of NLPCraft's units; others are called by their symbols."""

_POWERS = {"²": "square", "³": "cubic"}


def _unit_name(meta: Meta) -> str | None:
    unit: str | None = meta.get("unit")
    if unit and (power := _POWERS.get(unit[-1])):
        return f"{power} {_UNIT_NAMES.get(unit[:-1], unit[:-1])}"
    return _UNIT_NAMES.get(unit, unit) if unit else None


def extend_metadata(name: str, meta: Meta) -> Meta:
    """The metadata of a built-in entity with the keys of NLPCraft's entity ``name``."""
    keys = _KEYS[name].items()
    found = {theirs: ours(meta) if callable(ours) else meta.get(ours) for theirs, ours in keys}
    return {**meta, **{key: value for key, value in found.items() if value is not None}}


_Key: TypeAlias = str | Callable[[Meta], Any]
"""Under which key ours has it, or what makes it of our metadata."""

_NO_END = sys.float_info.max


def _last_millisecond(meta: Meta) -> Any:
    end = meta.get("to")
    return None if end is None else end - 1


def _range_limit(key: str, open_end: float) -> Callable[[Meta], float]:
    def limit(meta: Meta) -> float:
        value = meta.get(key)
        if value is None and not _is_range(meta):
            value = meta.get("value")
        return open_end if value is None else float(value)

    return limit


def _is_range(meta: Meta) -> bool:
    return "from" in meta or "to" in meta


def _is_fractional(meta: Meta) -> bool:
    numbers = (meta.get(key) for key in ("value", "from", "to"))
    return any(number is not None and number != int(number) for number in numbers)


def _city(meta: Meta) -> Meta:
    keys = ("latitude", "longitude", "population", "timezone")
    return {key: meta[key] for key in keys if meta.get(key) is not None}


def _country(meta: Meta) -> Meta | None:
    return {"iso": meta["country"]} if meta.get("country") else None


def _continent(meta: Meta) -> Any:
    code = meta.get("continent", "")
    return _CONTINENTS.get(code, code) or None


_CONTINENTS = {
    "AF": "Africa", "AN": "Antarctica", "AS": "Asia", "EU": "Europe", "NA": "North America",
    "OC": "Oceania", "SA": "South America",
}  # fmt: skip

_KEYS: Mapping[str, Mapping[str, _Key]] = {
    "nlpcraft:date": {"to": _last_millisecond},
    "nlpcraft:num": {
        "from": _range_limit("from", -_NO_END),
        "to": _range_limit("to", _NO_END),
        "unit": _unit_name,
        "fromincl": lambda meta: meta.get("fromincl", True),
        "toincl": lambda meta: meta.get("toincl", True),
        "isequalcondition": lambda meta: not _is_range(meta) and meta.get("comparison") != "not",
        "isnotequalcondition": lambda meta: meta.get("comparison") == "not",
        "israngecondition": lambda meta: _is_range(meta) and meta.get("comparison") != "not",
        "isfromnegativeinfinity": lambda meta: _is_range(meta) and meta.get("from") is None,
        "istopositiveinfinity": lambda meta: _is_range(meta) and meta.get("to") is None,
        "isfractional": _is_fractional,
    },
    "nlpcraft:coordinate": {},
    "nlpcraft:limit": {"limit": lambda meta: float(meta["limit"]) if "limit" in meta else None},
    "nlpcraft:sort": {},
    "nlpcraft:relation": {},
    "nlpcraft:continent": {"continent": "name"},
    "nlpcraft:country": {"country": "name", "continent": _continent, "countrymeta": _country},
    "nlpcraft:region": {
        "region": "name",
        "continent": _continent,
        "country": "country_name",
        "countrymeta": _country,
    },
    "nlpcraft:city": {
        "city": "name",
        "continent": _continent,
        "country": "country_name",
        "countrymeta": _country,
        "citymeta": _city,
    },
}
"""For each entity what its metadata has beside ours, or otherwise."""
