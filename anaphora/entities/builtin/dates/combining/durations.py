"""Read durations in ISO 8601, and express what moves a date by one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from functools import reduce
from typing import NamedTuple

from anaphora.entities.builtin.dates.combining.readings import LENGTH_NAMES, SHIFT_NAMES
from anaphora.entities.builtin.dates.operations.durations import Duration, DurationUnit
from anaphora.entities.builtin.dates.operations.registry import TimeExpression

__all__ = [
    "IsoUnit",
    "express_change_of_length",
    "express_duration",
    "express_shift",
    "find_longest_unit",
    "read_duration",
]

_ISO_PART = re.compile(r"([\d.]+)([A-Z])|T")
_DATE_LETTERS: Mapping[str, DurationUnit] = {"Y": "year", "M": "month", "W": "week", "D": "day"}
_TIME_LETTERS: Mapping[str, DurationUnit] = {"H": "hour", "M": "minute", "S": "second"}


class IsoUnit(NamedTuple):
    """A unit of durations: its ``seconds``, and the ``form`` of a number of them in ISO 8601."""

    seconds: int
    form: str


_UNITS = (
    IsoUnit(604_800, "P{}W"),
    IsoUnit(86_400, "P{}D"),
    IsoUnit(3_600, "PT{}H"),
    IsoUnit(60, "PT{}M"),
)


def read_duration(text: str | None) -> Duration:
    """The duration that a text in ISO 8601 says; empty if it is no single one."""
    if not text or not text.startswith("P") or ".." in text:
        return ()
    letters, parts = _DATE_LETTERS, []
    for match in _ISO_PART.finditer(text):
        if match[0] == "T":
            letters = _TIME_LETTERS
        else:
            parts.append((Fraction(match[1]), letters[match[2]]))
    return tuple(parts)


def express_shift(text: str | None, sign: int) -> TimeExpression | None:
    """The expression of a date that is later than another one by a duration in ISO 8601, or
    earlier (``sign`` -1); None without such a duration."""
    return _express(SHIFT_NAMES[sign], text)


def express_change_of_length(text: str | None, sign: int) -> TimeExpression | None:
    """The expression of a range that is longer than another one by a duration in ISO 8601, or
    shorter (``sign`` -1); None without such a duration."""
    return _express(LENGTH_NAMES[sign], text)


def express_duration(text: str | None) -> TimeExpression | None:
    """The expression of a duration in ISO 8601; None without one."""
    amounts: list[TimeExpression] = [("amount", *part) for part in read_duration(text)]
    return reduce(lambda one, other: ("sum", one, other), amounts) if amounts else None


def find_longest_unit(seconds: float) -> IsoUnit | None:
    """The longest unit of which a length has a whole number."""
    return next((unit for unit in _UNITS if seconds and not seconds % unit.seconds), None)


def _express(name: str, text: str | None) -> TimeExpression | None:
    amount = express_duration(text)
    return None if amount is None else (name, amount)
