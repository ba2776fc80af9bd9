"""What dateparser knows of a language: its months, weekdays, units, and relative dates."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

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
# Letters of a word that no table has looked at: "we" and 水 (water) are Wednesday to dateparser.
_MIN_LETTERS, _MIN_LETTERS_UNSPACED = 3, 2


@dataclass(frozen=True, slots=True)
class DateVocabulary:
    """Texts by what they say. ``relative`` are texts by unit and by how many of them they are
    away from now; ``counted`` the same for texts that have ``$number`` for the amount, by unit
    and by 1 for the future, -1 for the past. ``order`` is that of day, month and year: DMY."""

    weekdays: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    months: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    units: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    relative: Mapping[tuple[str, int], tuple[str, ...]] = field(default_factory=dict)
    counted_relative: Mapping[tuple[str, int], tuple[str, ...]] = field(default_factory=dict)
    order: str = "DMY"
    has_spaces: bool = True


def load_vocabulary(language: str) -> DateVocabulary:
    """What dateparser knows of a language, by its code; nothing of one that it does not know."""
    if not is_supported(language):
        return DateVocabulary()
    info = default_loader.get_locale(language).info
    spaced = info.get("no_word_spacing") != "True"

    def words(key: str) -> tuple[str, ...]:
        listed = dict.fromkeys(str(word).strip("()").casefold() for word in info.get(key, ()))
        shortest = _MIN_LETTERS if spaced else 1 if key in _UNITS else _MIN_LETTERS_UNSPACED
        return tuple(word for word in listed if len(word) >= shortest)

    relative: dict[tuple[str, int], tuple[str, ...]] = {}
    for key, texts in info.get("relative-type", {}).items():
        if (meant := _parse_relative_key(key)) is not None:
            relative[meant] = relative.get(meant, ()) + tuple(texts)
    counted: dict[tuple[str, int], tuple[str, ...]] = {}
    for key, patterns in info.get("relative-type-regex", {}).items():
        if (meant := _parse_relative_key(key.replace("\\1", "1"))) is not None:
            counted[meant] = counted.get(meant, ()) + tuple(_to_counted_texts(patterns))
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
    """Whether dateparser knows the language, by its code."""
    try:
        default_loader.get_locale(language)
    except ValueError:
        return False
    return True


def _parse_relative_key(key: str) -> tuple[str, int] | None:
    """``2 day ago`` is two days before now, ``in 1 week`` the next week."""
    match = _RELATIVE.fullmatch(key)
    if match is None or match[2] not in _UNITS:
        return None
    amount = int(match[1])
    return match[2], -amount if key.endswith("ago") else amount


def _to_counted_texts(patterns: list[str]) -> Iterator[str]:
    """The patterns that have nothing of a regular expression but the number."""
    for pattern in patterns:
        text = pattern.replace(_NUMBER, " $number ")
        if not re.search(r"[\\()\[\]?+*|{}^]", text):
            yield text
