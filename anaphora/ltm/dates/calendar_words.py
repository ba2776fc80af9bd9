"""The words of a language that name days and months, and phrases such as "last week".

They show what in a text is a date, and so worth keeping; which date it is, is resolved in
:mod:`anaphora.ltm.dates.mentions`. The words are dateparser's, for some two hundred languages.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import Any

import regex

from anaphora.entities.languages import cached_table
from anaphora.storage.forks import forks_delayed

__all__ = ["CalendarWords", "load_calendar_words"]


@dataclass(frozen=True, slots=True)
class CalendarWords:
    """What a language calls days: ``names`` of months and weekdays in lower case, and ``patterns``
    of phrases that name another day, week, month or year by its distance. ``other`` are longer
    phrases with the same words that name none ("Guten Morgen")."""

    names: frozenset[str] = frozenset()
    patterns: tuple[Any, ...] = ()
    non_dates: frozenset[str] = frozenset()

    def is_calendar_name(self, word: str) -> bool:
        """Whether a word names a month or a weekday."""
        lower = word.casefold()
        return lower in self.names and (lower not in _AMBIGUOUS or word[:1].isupper())

    def find_relative_phrases(self, text: str) -> Iterator[str]:
        """The phrases in a text that name another time by its distance ("last week")."""
        for pattern in self.patterns:
            found = (match[0].casefold() for match in pattern.finditer(text))
            yield from (phrase for phrase in found if phrase not in self.non_dates)


@lru_cache(maxsize=32)
def load_calendar_words(language: str) -> CalendarWords:
    """The days of a language ("en", "pt-BR"); without any words if dateparser has none of it."""
    info = _load_dateparser_data(language)
    names = frozenset(
        name.casefold().strip(".")
        for key in (*_MONTHS, *_WEEKDAYS)
        for name in info.get(key, ())
        if len(name) > 3
        or name in _AMBIGUOUS
        or not name.isascii()  # "mo", "so" and "mit" are words
    )
    code = language.replace("_", "-").partition("-")[0]
    other = frozenset(cached_table(code, "summaries").get("no_dates", ()))
    return CalendarWords(
        names,
        tuple(
            filter(None, (_compile_relative_phrases(info, other), _compile_counted_phrases(info)))
        ),
        other,
    )


_MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_UNITS = ("day", "week", "month", "year")
# They are other words as well, unless they are written like names.
_AMBIGUOUS = frozenset(("may", "march", "mai", "mars"))


def _load_dateparser_data(language: str) -> Mapping[str, Any]:
    name = language.replace("_", "-")
    for one in (name, name.partition("-")[0]):
        if not one.replace("-", "").isalnum():
            continue
        try:
            with forks_delayed():
                module = import_module(f"dateparser.data.date_translation_data.{one}")
        except ImportError:
            continue
        info: Mapping[str, Any] = module.info
        return info
    return {}


def _compile_relative_phrases(info: Mapping[str, Any], other: frozenset[str]) -> Any:
    """ "yesterday", "last friday", "next month"; "today" is when it was said."""
    phrases = {
        phrase.casefold()
        for key, some in info.get("relative-type", {}).items()
        if _DISTANCE.fullmatch(key)
        for phrase in some
    }
    if not phrases:
        return None
    longest_first = sorted(phrases | other, key=lambda phrase: (-len(phrase), phrase))
    return _compile_whole_words("|".join(map(regex.escape, longest_first)), info)


# Dateparser's keys: "1 day ago", "in 2 week", "last friday".
_DISTANCE = regex.compile(
    r"(?:in )?[1-9]\d* (?:day|week|month|year)(?: ago)?"
    rf"|(?:last|this|next) (?:{'|'.join(_WEEKDAYS)})"
)


def _compile_counted_phrases(info: Mapping[str, Any]) -> Any:
    """ "2 weeks ago", "three days ago". What comes "in two days" may as well be done within two
    days, so it is left alone."""
    amount = "|".join((r"\d{1,3}", *_number_patterns(info)))
    patterns: list[str] = []
    for unit in _UNITS:
        for phrase in info.get("relative-type-regex", {}).get(rf"\1 {unit} ago", ()):
            before, _, after = phrase.replace(_AMOUNT, "\n").partition("\n")
            if len(max((before + after).split(), key=len, default="")) > 1 and "(" not in after:
                patterns.append(rf"{regex.escape(before)}(?:{amount}){regex.escape(after)}")
    return _compile_whole_words("|".join(patterns), info) if patterns else None


_AMOUNT = r"(\d++[.,]?\d*+)"


def _number_patterns(info: Mapping[str, Any]) -> Iterator[str]:
    """Dateparser's patterns of small numbers in words, as such that keep no group."""
    for rule in info.get("simplifications", ()):
        for pattern, number in rule.items():
            if number.isdigit() and not {"\\", "?"} & set(pattern):
                yield pattern.replace("(", "(?:")


def _compile_whole_words(pattern: str, info: Mapping[str, Any]) -> Any:
    edge = "" if info.get("no_word_spacing") == "True" else r"\b"
    return regex.compile(f"{edge}(?:{pattern}){edge}", regex.IGNORECASE)
