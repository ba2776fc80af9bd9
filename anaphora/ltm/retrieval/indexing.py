"""What an exchange is found by: its terms, and the text whose vector stands for its meaning."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from importlib import import_module
from itertools import chain
from typing import Any

from anaphora.ltm.exchange import Exchange
from anaphora.ltm.retrieval.day_terms import day_terms
from anaphora.ltm.retrieval.terms import (
    DEFAULT_LANGUAGE,
    TermWord,
    analyze_words,
    extract_terms,
    language_term,
    unanalyzed_words,
)
from anaphora.storage.forks import forks_delayed

__all__ = ["embedding_text", "exchange_terms", "provisional_terms"]

_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MAX_TERMS = 2_000  # terms by which one exchange is found
_SHORT_TEXT = 200  # words, which have fewer
_CONTEXT_WORDS = 60  # a MiniLM reads some 180 words: the exchange itself must find room


def exchange_terms(exchange: Exchange) -> tuple[str, ...]:
    """The terms of an exchange.

    First those of the words of both texts in their order, then what else these words are indexed
    by, the words of its intent and of its slots' values that the texts lack (a follow-up is found
    by what it left out), its language, its day in words, as its clock showed it, and the days that
    it mentions.
    """
    language = exchange.language or DEFAULT_LANGUAGE
    said, further = _limit_terms(
        [*analyze_words(exchange.question, language), *analyze_words(exchange.answer, language)]
    )
    known = frozenset((*said, *further))
    understood = _all_terms(analyze_words(" ".join(_understood_texts(exchange)), language))
    left_out = [term for term in understood if term not in known]
    day = _day_words(language, _date_parts(exchange.at))
    return (*said, *further, *left_out, language_term(language), *day, *day_terms(exchange))


def provisional_terms(exchange: Exchange) -> tuple[str, ...]:
    """The words of both texts as they are written: the exchange is found by them until its
    language is loaded."""
    said, _ = _limit_terms(
        [*unanalyzed_words(exchange.question), *unanalyzed_words(exchange.answer)]
    )
    return tuple(said)


def _limit_terms(words: Sequence[TermWord]) -> tuple[list[str], list[str]]:
    """The first terms of words in their order and their further terms, up to where there are too
    many different ones: each has a list of its own in the index."""
    if len(words) > _SHORT_TEXT:
        words = words[: _count_words_within_limit(words)]
    said = [word.key for word in words]
    further = dict.fromkeys(chain.from_iterable([word.index_terms for word in words]))
    first = frozenset(said)
    return said, [term for term in further if term not in first]


def _count_words_within_limit(words: Sequence[TermWord]) -> int:
    """How many of the words have no more different terms than an exchange may have."""
    known: set[str] = set()
    for place, word in enumerate(words):
        if word.key not in known:
            known.update((word.key, *word.index_terms))
            if len(known) > _MAX_TERMS:
                return place
    return len(words)


def _all_terms(words: Iterable[TermWord]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([term for word in words for term in (word.key, *word.index_terms)]))


def embedding_text(exchange: Exchange, before: Exchange | None = None) -> str:
    """The text of which an embedder makes the vector of an exchange: the end of the exchange
    ``before`` it in the conversation, which tells what it is about, and itself."""
    own = _text(exchange)
    if before is None:
        return own
    return "\n".join((" ".join(_text(before).split()[-_CONTEXT_WORDS:]), own))


def _text(exchange: Exchange) -> str:
    return "\n".join(filter(None, (exchange.question, exchange.answer)))


def _understood_texts(exchange: Exchange) -> Iterator[str]:
    if exchange.intent:
        yield exchange.intent.replace("_", " ")
    for values in exchange.slots.values():
        yield from values


def _date_parts(at: datetime) -> tuple[int, int, int, int]:
    return at.weekday(), at.day, at.month, at.year


@lru_cache(maxsize=1_024)
def _day_words(language: str, day: tuple[int, int, int, int]) -> tuple[str, ...]:
    """ "Monday 8 May 2023" in terms of the language, in English where its words are unknown."""
    weekday, number, month, year = day
    names = _load_calendar_names(language)
    words = names[_WEEKDAYS[weekday]], str(number), names[_MONTHS[month - 1]], str(year)
    return extract_terms(" ".join(words), language)


@lru_cache(maxsize=32)
def _load_calendar_names(language: str) -> dict[str, str]:
    """What a language calls months and weekdays: the longest word that dateparser knows for
    each, for the others are its short forms and its cases, which have the same stem."""
    info = _load_dateparser_data(language.replace("_", "-")) or _load_dateparser_data(
        DEFAULT_LANGUAGE
    )
    return {name: max(info[name], key=len) for name in (*_WEEKDAYS, *_MONTHS)}


def _load_dateparser_data(language: str) -> dict[str, Any]:
    for name in (language, language.partition("-")[0]):
        if not name.replace("-", "").isalnum():
            continue
        try:
            with forks_delayed():
                known = import_module(f"dateparser.data.date_translation_data.{name}")
            info: dict[str, Any] = known.info
        except ImportError:
            continue
        if all(info.get(key) for key in (*_WEEKDAYS, *_MONTHS)):
            return info
    return {}
