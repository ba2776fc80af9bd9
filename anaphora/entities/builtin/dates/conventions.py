"""Conventions of dates that people do not share: when a week, a weekend and a morning begin."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from anaphora.entities.builtin.language_region import region_of
from anaphora.entities.words.normalization import base_code
from anaphora.models.schema.day_parts import (
    DAY_PARTS,
    DAY_PARTS_BY_LANGUAGE,
    parse_day_part,
    parse_hours,
)

if TYPE_CHECKING:
    from babel import Locale

__all__ = ["Conventions", "date_order", "resolve_conventions"]

Weekend: TypeAlias = Literal["saturday", "friday", "friday-evening"]

_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_FRIDAY = 4
# Languages spoken above all where people rest on Friday and Saturday.
_FRIDAY_LANGUAGES = frozenset({"ar", "he"})
_SUNDAY = 6
_SUNDAY_LANGUAGES = frozenset({"he"})  # where the week begins on Sunday
_ORDERS = ("DMY", "MDY", "YMD")


@dataclass(frozen=True, slots=True)
class Conventions:
    """``first_day`` is the first day of the week, 0 for Monday. The ``weekend`` is Saturday and
    Sunday, Friday and Saturday, or begins on Friday evening. ``next_is_first``: "next Friday" is
    the first Friday from tomorrow on, otherwise the one of the next week. ``parts`` are the hours
    of the parts of a day, ``hours`` the usual ones, if there are any."""

    first_day: int = 0
    weekend: Weekend = "saturday"
    next_is_first: bool = False
    parts: Mapping[str, tuple[int, int]] = field(default_factory=lambda: DAY_PARTS)
    hours: tuple[int, int] | None = None

    @property
    def weekend_days(self) -> tuple[int, ...]:
        """The whole days of the weekend."""
        return (4, 5) if self.weekend == "friday" else (5, 6)


def resolve_conventions(language: str, options: Mapping[str, Any]) -> Conventions:
    """The conventions of the options of a date; what these leave open is that of the region in the
    language tag (``en-US``), otherwise of the language."""
    locale = _find_region(language)
    first_day = _SUNDAY if base_code(language) in _SUNDAY_LANGUAGES else 0
    if options["week"]:
        first_day = _WEEKDAYS.index(options["week"])
    elif locale is not None:
        first_day = locale.first_week_day
    weekend: Weekend = options["weekend"] or _default_weekend(language, locale)
    parts = {
        **DAY_PARTS,
        **DAY_PARTS_BY_LANGUAGE.get(base_code(language), {}),
        **dict(map(parse_day_part, options["parts"])),
    }
    hours = parse_hours(options["hours"]) if options.get("hours") else None
    return Conventions(first_day, weekend, options["next"] == "first", parts, hours)


def date_order(language: str) -> str:
    """The order of day, month and year in a region, ``DMY`` for ``en-GB``; '' if the tag has no
    region."""
    locale = _find_region(language)
    if locale is None:
        return ""
    letters = re.sub(r"[^DMY]", "", locale.date_formats["short"].pattern.upper())
    order = "".join(dict.fromkeys(letters))
    return order if order in _ORDERS else ""


def _default_weekend(language: str, locale: Locale | None) -> Weekend:
    if locale is not None:
        return "friday" if locale.weekend_start == _FRIDAY else "saturday"
    return "friday" if base_code(language) in _FRIDAY_LANGUAGES else "saturday"


@lru_cache(maxsize=64)
def _find_region(language: str) -> Locale | None:
    """The locale of a language tag with a region; None for another tag, and if CLDR has none."""
    region = region_of(language)
    if not region:
        return None
    from babel import Locale, UnknownLocaleError  # takes 10 ms

    try:
        return Locale.parse(f"{base_code(language)}_{region}")
    except (UnknownLocaleError, ValueError):
        return None
