"""Words of a language for days and months, and relative phrases such as "last week".

They show which parts of a text are dates and thus worth keeping. The dates are resolved in
:mod:`anaphora.ltm.dates.mentions`. The words come from dateparser and cover some 200 languages.
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

__all__ = ["MONTHS", "WEEKDAYS", "CalendarWords", "find_dateparser_data", "load_calendar_words"]


@dataclass(frozen=True, slots=True)
class CalendarWords:
    """Calendar words of a language: ``names`` of months and weekdays in lower case, and
    ``patterns`` of relative phrases. ``non_dates`` are longer phrases with the same words that are
    not dates ("Guten Morgen")."""

    names: frozenset[str] = frozenset()
    patterns: tuple[Any, ...] = ()
    non_dates: frozenset[str] = frozenset()

    def is_calendar_name(self, word: str) -> bool:
        """Whether a word names a month or a weekday."""
        lower = word.casefold()
        return lower in self.names and (lower not in _AMBIGUOUS or word[:1].isupper())

    def find_relative_phrases(self, text: str) -> Iterator[str]:
        """Yield the relative phrases in a text ("last week")."""
        for pattern in self.patterns:
            found = (match[0].casefold() for match in pattern.finditer(text))
            yield from (phrase for phrase in found if phrase not in self.non_dates)


@lru_cache(maxsize=32)
def load_calendar_words(language: str) -> CalendarWords:
    """Load the calendar words of a language ("en", "pt-BR"); empty if dateparser lacks it."""
    info = next(find_dateparser_data(language), {})
    names = frozenset(
        name.casefold().strip(".")
        for key in (*MONTHS, *WEEKDAYS)
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


MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_UNITS = ("day", "week", "month", "year")
# Calendar names only if capitalized; otherwise they are common words.
_AMBIGUOUS = frozenset(("may", "march", "mai", "mars"))


def find_dateparser_data(language: str) -> Iterator[Mapping[str, Any]]:
    """Yield dateparser's data of a language ("pt-BR"), then of its base language, if present."""
    name = language.replace("_", "-")
    for one in dict.fromkeys((name, name.partition("-")[0])):
        if not one.replace("-", "").isalnum():
            continue
        try:
            with forks_delayed():
                module = import_module(f"dateparser.data.date_translation_data.{one}")
        except ImportError:
            continue
        yield module.info


def _compile_relative_phrases(info: Mapping[str, Any], other: frozenset[str]) -> Any:
    """ "yesterday", "last friday", "next month", but not "today"."""
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
    rf"|(?:last|this|next) (?:{'|'.join(WEEKDAYS)})"
)


def _compile_counted_phrases(info: Mapping[str, Any]) -> Any:
    """ "2 weeks ago", "three days ago". "in two days" is left out: it may also mean within two
    days."""
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
    """Yield dateparser's patterns of small number words, without capturing groups."""
    for rule in info.get("simplifications", ()):
        for pattern, number in rule.items():
            if number.isdigit() and not {"\\", "?"} & set(pattern):
                yield pattern.replace("(", "(?:")


def _compile_whole_words(pattern: str, info: Mapping[str, Any]) -> Any:
    edge = "" if info.get("no_word_spacing") == "True" else r"\b"
    return regex.compile(f"{edge}(?:{pattern}){edge}", regex.IGNORECASE)
