"""The vocabulary that dateparser has of a language: months, weekdays, units, relative dates."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from dateparser.languages.loader import default_loader

__all__ = ["DateVocabulary", "is_supported", "load_vocabulary"]

_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
_UNITS = ("second", "minute", "hour", "day", "week", "month", "year", "decade", "century")
_RELATIVE = re.compile(r"(?:in )?(\\?\d+) (\w+?)(?: ago)?")
_NUMBER = r"(\d++[.,]?\d*+)"
# Shorter words are ambiguous: "we" and 水 (water) are Wednesday to dateparser.
_MIN_LETTERS, _MIN_LETTERS_UNSPACED = 3, 2


@dataclass(frozen=True, slots=True)
class DateVocabulary:
    """Texts by their meaning. The keys of ``relative`` are a unit and its signed distance from now
    (``("day", 1)`` for "tomorrow"); those of ``counted_relative``, whose texts have ``$number``
    in place of the amount, a unit and 1 for the future, -1 for the past. ``order`` is that of day,
    month and year: ``DMY``."""

    weekdays: Mapping[int, tuple[str, ...]]
    months: Mapping[int, tuple[str, ...]]
    units: Mapping[str, tuple[str, ...]]
    relative: Mapping[tuple[str, int], tuple[str, ...]]
    counted_relative: Mapping[tuple[str, int], tuple[str, ...]]
    order: str = "DMY"
    has_spaces: bool = True


def load_vocabulary(language: str) -> DateVocabulary:
    """The vocabulary of a language, by its code; empty if dateparser does not support it."""
    if not is_supported(language):
        return DateVocabulary({}, {}, {}, {}, {})
    info = default_loader.get_locale(language).info
    spaced = info.get("no_word_spacing") != "True"

    def words(key: str) -> tuple[str, ...]:
        listed = dict.fromkeys(str(word).strip("()").casefold() for word in info.get(key, ()))
        shortest = _MIN_LETTERS if spaced else 1 if key in _UNITS else _MIN_LETTERS_UNSPACED
        return tuple(word for word in listed if len(word) >= shortest)

    relative: dict[tuple[str, int], tuple[str, ...]] = {}
    for key, texts in info.get("relative-type", {}).items():
        if (parsed := _parse_relative_key(key)) is not None:
            relative[parsed] = relative.get(parsed, ()) + tuple(texts)
    counted: dict[tuple[str, int], tuple[str, ...]] = {}
    for key, patterns in info.get("relative-type-regex", {}).items():
        if (parsed := _parse_relative_key(key.replace("\\1", "1"))) is not None:
            counted[parsed] = counted.get(parsed, ()) + tuple(_to_counted_texts(patterns))
    return DateVocabulary(
        weekdays={number: words(name) for number, name in enumerate(_WEEKDAYS)},
        months={number: words(name) for number, name in enumerate(_MONTHS, 1)},
        units={name: words(name) for name in _UNITS if info.get(name)},
        relative=relative,
        counted_relative=counted,
        order=str(info.get("date_order", "DMY")),
        has_spaces=spaced,
    )


def is_supported(language: str) -> bool:
    """Whether dateparser supports the language, by its code."""
    try:
        default_loader.get_locale(language)
    except ValueError:
        return False
    return True


def _parse_relative_key(key: str) -> tuple[str, int] | None:
    """Parse a key: ``2 day ago`` is ``("day", -2)``, ``in 1 week`` is ``("week", 1)``."""
    match = _RELATIVE.fullmatch(key)
    if match is None or match[2] not in _UNITS:
        return None
    amount = int(match[1])
    return match[2], -amount if key.endswith("ago") else amount


def _to_counted_texts(patterns: list[str]) -> Iterator[str]:
    """Replace the number in each pattern by ``$number``; skip other regular expressions."""
    for pattern in patterns:
        text = pattern.replace(_NUMBER, " $number ")
        if not re.search(r"[\\()\[\]?+*|{}^]", text):
            yield text
