"""The words of a language that name days and months, and which day "yesterday" was.

The words are dateparser's, for some two hundred languages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from importlib import import_module
from typing import Any

import regex

from anaphora.storage.forks import hold_off_forks

__all__ = ["Days", "days"]


@dataclass(frozen=True, slots=True)
class Days:
    """What a language calls days: ``names`` of months and weekdays in lower case, and ``phrases``
    that name another day, week, month or year by its distance."""

    names: frozenset[str] = frozenset()
    phrases: tuple[_Phrases, ...] = ()

    def named(self, word: str) -> bool:
        """Whether a word names a month or a weekday."""
        lower = word.casefold()
        return lower in self.names and (lower not in _DOUBTFUL or word[:1].isupper())

    def distances(self, text: str) -> Iterator[str]:
        """The phrases in a text that name another time by its distance ("last week")."""
        for phrases in self.phrases:
            yield from (
                match[0].casefold()
                for match in phrases.pattern.finditer(text)
                if phrases.distance(match)
            )

    def resolved(self, text: str, day: date) -> str:
        """``text``, said on ``day``, with the date behind every phrase that means another one:
        "yesterday (2023-05-07)". A date is written by ISO 8601: a day, month or year; of a week
        the first and the last day. What has a date behind it already stays as it is."""
        for phrases in self.phrases:
            text = phrases.resolved(text, day)
        return text


@dataclass(frozen=True, slots=True)
class _Phrases:
    """Phrases that ``pattern`` finds, and how far away what one names is."""

    pattern: Any
    distance: Callable[[Any], tuple[int, str] | None]  # None: it names no other day
    behind: str  # how a date stands behind a phrase

    def resolved(self, text: str, day: date) -> str:
        def dated(match: Any) -> str:
            distance = self.distance(match)
            meant = _meant(*distance, day) if distance else ""
            if not meant or _DATED.match(text, match.end()):
                return str(match[0])
            return f"{match[0]}{self.behind.format(meant)}"

        found: str = self.pattern.sub(dated, text)
        return found


@lru_cache(maxsize=32)
def days(language: str) -> Days:
    """The days of a language ("en", "pt-BR"); without any words if dateparser has none of it."""
    info = _info(language)
    names = frozenset(
        name.casefold().strip(".")
        for key in (*_MONTHS, *_WEEKDAYS)
        for name in info.get(key, ())
        if len(name) > 3
        or name in _DOUBTFUL
        or not name.isascii()  # "mo", "so" and "mit" are words
    )
    fixed = _fixed(info, _CORRECTIONS.get(language.replace("_", "-").partition("-")[0], {}))
    return Days(names, tuple(filter(None, (fixed, _counted(info)))))


_DATED = regex.compile(r"\s?[(（]\d")
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
_DOUBTFUL = frozenset(("may", "march", "mai", "mars"))


def _info(language: str) -> Mapping[str, Any]:
    name = language.replace("_", "-")
    for one in (name, name.partition("-")[0]):
        if not one.replace("-", "").isalnum():
            continue
        try:
            with hold_off_forks():
                module = import_module(f"dateparser.data.date_translation_data.{one}")
        except ImportError:
            continue
        info: Mapping[str, Any] = module.info
        return info
    return {}


_BEFORE_MORNINGS = (
    "am", "dem", "den", "der", "des", "diesem", "diesen", "dieser", "ein", "einen", "eines",
    "gegen", "guten", "heute", "jeden", "jeder", "nächsten", "schönen", "vom", "zum", "montag",
    "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonntag",
)  # fmt: skip
# What dateparser does not know: longer phrases that mean another day than the word in them, and
# those in which that word means no day (None): a morning.
_CORRECTIONS: Mapping[str, Mapping[str, tuple[int, str] | None]] = {
    "de": {
        **dict.fromkeys(("gestern morgen", "gestern früh"), (-1, "day")),
        **dict.fromkeys(f"{before} morgen" for before in _BEFORE_MORNINGS),
    },
    "es": {
        "pasado mañana": (2, "day"),
        "antes de ayer": (-2, "day"),
        **dict.fromkeys(("la mañana", "esta mañana", "cada mañana", "una mañana")),
    },
    "hi": {"परसों": None},  # two days ago, or in two days
    "nl": {
        "gisteren morgen": (-1, "day"),
        **dict.fromkeys(
            f"{before} morgen" for before in ("de", "deze", "die", "een", "elke", "goede", "iedere")
        ),
    },
    "pt": {"depois de amanhã": (2, "day"), "antes de ontem": (-2, "day")},
}


def _fixed(
    info: Mapping[str, Any], corrections: Mapping[str, tuple[int, str] | None]
) -> _Phrases | None:
    """ "yesterday", "last friday", "next month"; "today" is when it was said. What may be one or
    the other (Hindi says "kal" for yesterday and for tomorrow) is left alone."""
    distances: dict[str, tuple[int, str] | None] = {}
    for key, phrases in info.get("relative-type", {}).items():
        distance = _distance(key)
        for phrase in {phrase.casefold() for phrase in phrases} if distance else ():
            distances[phrase] = distance if distances.get(phrase, distance) == distance else None
    distances |= corrections
    if not distances:
        return None
    longest_first = sorted(distances, key=lambda phrase: (-len(phrase), phrase))
    pattern = _whole_words("|".join(map(regex.escape, longest_first)), info)
    return _Phrases(pattern, lambda match: distances[match[0].casefold()], _behind(info))


def _counted(info: Mapping[str, Any]) -> _Phrases | None:
    """ "2 weeks ago", "three days ago". What comes "in two days" may as well be done within two
    days, so it is left alone."""
    numbers = _numbers(info)
    amount = "|".join((r"\d{1,3}", *(pattern for pattern, _ in numbers)))
    units: list[str] = []
    patterns: list[str] = []
    for unit in _UNITS:
        for phrase in info.get("relative-type-regex", {}).get(rf"\1 {unit} ago", ()):
            before, _, after = phrase.replace(_AMOUNT, "\n").partition("\n")
            if len(max((before + after).split(), key=len, default="")) > 1 and "(" not in after:
                patterns.append(
                    rf"{regex.escape(before)}(?P<n{len(units)}>{amount}){regex.escape(after)}"
                )
                units.append(unit)
    if not units:
        return None

    def distance(match: Any) -> tuple[int, str]:
        group = match.lastgroup
        said = match[group].casefold()
        number = int(said) if said.isdigit() else _number(said, numbers)
        return -number, units[int(group[1:])]

    return _Phrases(_whole_words("|".join(patterns), info), distance, _behind(info))


_AMOUNT = r"(\d++[.,]?\d*+)"


def _numbers(info: Mapping[str, Any]) -> list[tuple[str, int]]:
    """Dateparser's patterns of small numbers in words, as such that keep no group."""
    found = []
    for rule in info.get("simplifications", ()):
        for pattern, number in rule.items():
            if number.isdigit() and not {"\\", "?"} & set(pattern):
                found.append((pattern.replace("(", "(?:"), int(number)))
    return found


def _number(said: str, numbers: Sequence[tuple[str, int]]) -> int:
    return next(number for pattern, number in numbers if regex.fullmatch(pattern, said))


def _whole_words(pattern: str, info: Mapping[str, Any]) -> Any:
    edge = "" if _unspaced(info) else r"\b"
    return regex.compile(f"{edge}(?:{pattern}){edge}", regex.IGNORECASE)


def _behind(info: Mapping[str, Any]) -> str:
    return "（{}）" if _unspaced(info) else " ({})"


def _unspaced(info: Mapping[str, Any]) -> bool:
    return bool(info.get("no_word_spacing") == "True")


def _distance(key: str) -> tuple[int, str] | None:
    """Dateparser's keys "1 day ago", "in 2 week" and "last friday" as an amount of a unit."""
    match key.split():
        case ["0", *_]:
            return None
        case [amount, ("day" | "week" | "month" | "year") as unit, "ago"]:
            return -int(amount), unit
        case ["in", amount, ("day" | "week" | "month" | "year") as unit]:
            return int(amount), unit
        case [("last" | "this" | "next") as which, weekday] if weekday in _WEEKDAYS:
            return {"last": -1, "this": 0, "next": 1}[which], weekday
    return None


def _meant(amount: int, unit: str, day: date) -> str:
    try:
        return _far(amount, unit, day)
    except (OverflowError, ValueError):  # before the year 1 or after 9999
        return ""


def _far(amount: int, unit: str, day: date) -> str:
    if unit in _WEEKDAYS:
        return _weekday(amount, _WEEKDAYS.index(unit), day).isoformat()
    if unit == "day":
        return (day + timedelta(amount)).isoformat()
    if unit == "week":
        monday = day + timedelta(7 * amount - day.weekday())
        return f"{monday.isoformat()}/{(monday + timedelta(6)).isoformat()}"
    months = day.year * 12 + day.month - 1 + amount * (12 if unit == "year" else 1)
    first = date(months // 12, months % 12 + 1, 1).isoformat()
    return first[:4] if unit == "year" else first[:7]


def _weekday(which: int, weekday: int, day: date) -> date:
    """The last one before ``day``, the one from ``day`` on, or the next one after it."""
    ahead = (weekday - day.weekday()) % 7
    if which < 0:
        return day + timedelta(ahead - 7)
    return day + timedelta(ahead or 7 * which)
