"""What an exchange is found by: its terms, and the text whose vector stands for its meaning."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from functools import lru_cache
from importlib import import_module
from typing import Any

from anaphora.ltm.exchange import Exchange
from anaphora.ltm.recall.days import day_terms
from anaphora.ltm.recall.terms import DEFAULT_LANGUAGE, terms
from anaphora.storage.forks import hold_off_forks

__all__ = ["exchange_terms", "meaning_text"]

_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DISTINCT = 2_000  # terms by which one exchange is found
_WORDS_BEFORE = 60  # a MiniLM reads some 180 words: the exchange itself must find room


def exchange_terms(exchange: Exchange) -> tuple[str, ...]:
    """The terms of both texts of an exchange, those of its intent and of its slots' values that
    the texts lack (a follow-up is found by what it left out), those of its day in words, as its
    clock showed it, and those of the days that it mentions."""
    language = exchange.language or DEFAULT_LANGUAGE
    said = _bounded((*terms(exchange.question, language), *terms(exchange.answer, language)))
    understood = terms(" ".join(_understood(exchange)), language)
    known = frozenset(said)
    left_out = tuple(dict.fromkeys(term for term in understood if term not in known))
    day = _words_of_day(language, _day(exchange.at))
    return (*said, *left_out, *day, *day_terms(exchange))


def _bounded(terms: tuple[str, ...]) -> tuple[str, ...]:
    """The terms up to where there are too many different ones: each has a list of its own in the
    index."""
    if len(terms) <= _DISTINCT:
        return terms
    known: set[str] = set()
    for place, term in enumerate(terms):
        known.add(term)
        if len(known) > _DISTINCT:
            return terms[:place]
    return terms


def meaning_text(exchange: Exchange, before: Exchange | None = None) -> str:
    """The text of which an embedder makes the vector of an exchange: the end of the exchange
    ``before`` it in the conversation, which tells what it is about, and itself."""
    own = _text(exchange)
    if before is None:
        return own
    return "\n".join((" ".join(_text(before).split()[-_WORDS_BEFORE:]), own))


def _text(exchange: Exchange) -> str:
    return "\n".join(filter(None, (exchange.question, exchange.answer)))


def _understood(exchange: Exchange) -> Iterator[str]:
    if exchange.intent:
        yield exchange.intent.replace("_", " ")
    for values in exchange.slots.values():
        yield from values


def _day(at: datetime) -> tuple[int, int, int, int]:
    return at.weekday(), at.day, at.month, at.year


@lru_cache(maxsize=1_024)
def _words_of_day(language: str, day: tuple[int, int, int, int]) -> tuple[str, ...]:
    """ "Monday 8 May 2023" in terms of the language, in English where its words are unknown."""
    weekday, number, month, year = day
    names = _calendar(language)
    words = names[_WEEKDAYS[weekday]], str(number), names[_MONTHS[month - 1]], str(year)
    return terms(" ".join(words), language)


@lru_cache(maxsize=32)
def _calendar(language: str) -> dict[str, str]:
    """What a language calls months and weekdays: the longest word that dateparser knows for
    each, for the others are its short forms and its cases, which have the same stem."""
    info = _info(language.replace("_", "-")) or _info(DEFAULT_LANGUAGE)
    return {name: max(info[name], key=len) for name in (*_WEEKDAYS, *_MONTHS)}


def _info(language: str) -> dict[str, Any]:
    for name in (language, language.partition("-")[0]):
        if not name.replace("-", "").isalnum():
            continue
        try:
            with hold_off_forks():
                known = import_module(f"dateparser.data.date_translation_data.{name}")
            info: dict[str, Any] = known.info
        except ImportError:
            continue
        if all(info.get(key) for key in (*_WEEKDAYS, *_MONTHS)):
            return info
    return {}
