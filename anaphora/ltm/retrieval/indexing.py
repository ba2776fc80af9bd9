"""Index data of an exchange: its terms, and the text for its embedding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from functools import lru_cache
from itertools import chain

from anaphora.ltm.dates.calendar_words import MONTHS, WEEKDAYS, find_dateparser_data
from anaphora.ltm.exchange import Exchange
from anaphora.ltm.retrieval.day_terms import day_terms
from anaphora.ltm.retrieval.speakers import remove_labels, speaker_terms
from anaphora.ltm.retrieval.terms import (
    DATE_TERM,
    DEFAULT_LANGUAGE,
    QUESTION_TERM,
    TermWord,
    analyze_words,
    extract_terms,
    language_term,
    unanalyzed_words,
)

__all__ = ["embedding_text", "exchange_terms", "provisional_terms"]

_MAX_TERMS = 2_000  # distinct terms of one exchange
_SHORT_TEXT = 200  # words; shorter texts cannot exceed the maximum
_ELLIPTICAL = 12  # words; shorter exchanges ("Yes, in May.") say little by themselves
_QUESTION_MARKS = ("?", "？", "؟")
_CONTEXT_WORDS = 60  # MiniLM reads some 180 words


def exchange_terms(exchange: Exchange) -> tuple[str, ...]:
    """Return the terms of an exchange.

    They are the keys of the words of both texts in order; the further index terms of these words;
    the words of its intent and slot values that the texts lack (so that a follow-up is found by
    what it left out); its language; its speakers, if its texts name them; whether it mentions a
    date or ends with a question; its local date in words; and the days that it mentions.
    """
    language = exchange.language or DEFAULT_LANGUAGE
    keys, further = _limit_terms(
        [*analyze_words(exchange.question, language), *analyze_words(exchange.answer, language)]
    )
    known = frozenset((*keys, *further))
    understood = analyze_words(" ".join(_understood_texts(exchange)), language)
    terms = dict.fromkeys([term for word in understood for term in (word.key, *word.index_terms)])
    left_out = [term for term in terms if term not in known]
    day = _day_words(language, exchange.at.date())
    speakers = speaker_terms(exchange.question, exchange.answer)
    return (
        *(*keys, *further, *left_out, language_term(language)),
        *(*speakers, *_marks(exchange), *day, *day_terms(exchange)),
    )


def _marks(exchange: Exchange) -> Iterator[str]:
    if exchange.question_dates or exchange.answer_dates:
        yield DATE_TERM
    if (exchange.answer or exchange.question).rstrip().endswith(_QUESTION_MARKS):
        yield QUESTION_TERM


def provisional_terms(exchange: Exchange) -> tuple[str, ...]:
    """Return the words of both texts as written: the terms of an exchange until its language is
    loaded."""
    keys, _ = _limit_terms(
        [*unanalyzed_words(exchange.question), *unanalyzed_words(exchange.answer)]
    )
    return tuple(keys)


def _limit_terms(words: Sequence[TermWord]) -> tuple[list[str], list[str]]:
    """Return the keys of the words in order, and their further terms, up to the maximum number of
    distinct terms: each of them has a list of its own in the index."""
    if len(words) > _SHORT_TEXT:
        words = words[: _count_words_within_limit(words)]
    keys = [word.key for word in words]
    further = dict.fromkeys(chain.from_iterable([word.index_terms for word in words]))
    first = frozenset(keys)
    return keys, [term for term in further if term not in first]


def _count_words_within_limit(words: Sequence[TermWord]) -> int:
    """Count the leading words that stay within the maximum number of distinct terms."""
    known: set[str] = set()
    for place, word in enumerate(words):
        if word.key not in known:
            known.update((word.key, *word.index_terms))
            if len(known) > _MAX_TERMS:
                return place
    return len(words)


def embedding_text(exchange: Exchange, before: Exchange | None = None) -> str:
    """Return the text to embed for an exchange: both texts without the names of their speakers,
    and the slot values that they lack (what a follow-up left out). A short one is preceded by the
    end of the exchange ``before`` it in the conversation."""
    own = _unlabelled_text(exchange)
    known = own.casefold()
    values = dict.fromkeys(chain.from_iterable(exchange.slots.values()))
    left_out = ", ".join([value for value in values if value.casefold() not in known])
    context = ""
    if before is not None and len(own.split()) < _ELLIPTICAL:
        context = " ".join(_unlabelled_text(before).split()[-_CONTEXT_WORDS:])
    return "\n".join(filter(None, (context, own, left_out)))


def _unlabelled_text(exchange: Exchange) -> str:
    texts = (remove_labels(exchange.question), remove_labels(exchange.answer))
    return "\n".join(filter(None, texts))


def _understood_texts(exchange: Exchange) -> Iterator[str]:
    if exchange.intent:
        yield exchange.intent.replace("_", " ")
    for values in exchange.slots.values():
        yield from values


@lru_cache(maxsize=1_024)
def _day_words(language: str, day: date) -> tuple[str, ...]:
    """ "Monday 8 May 2023" as terms of the language, or in English if its words are unknown."""
    names = _load_calendar_names(language)
    weekday, month = names[WEEKDAYS[day.weekday()]], names[MONTHS[day.month - 1]]
    words = weekday, str(day.day), month, str(day.year)
    return extract_terms(" ".join(words), language)


@lru_cache(maxsize=32)
def _load_calendar_names(language: str) -> dict[str, str]:
    """Return the names of months and weekdays in a language: the longest word that dateparser has
    for each. The others are short and inflected forms, which have the same stem."""
    keys = (*WEEKDAYS, *MONTHS)
    tables = chain(find_dateparser_data(language), find_dateparser_data(DEFAULT_LANGUAGE))
    info = next(info for info in tables if all(info.get(key) for key in keys))
    return {name: max(info[name], key=len) for name in keys}
