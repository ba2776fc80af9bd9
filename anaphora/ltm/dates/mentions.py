"""Dates mentioned in exchanges, found by the recognizer of the built-in entity ``date``.

The engine resolves the dates of the questions that it understands. This module finds them in all
other texts, more cautiously: without an intent, "Yesterday" may be a day or a song.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

import regex

from anaphora.entities.languages import cached_table
from anaphora.ltm.dates.calendar_words import load_calendar_words
from anaphora.ltm.exchange import DateMention, Exchange
from anaphora.models.schema.builtin_entities import resolve_options

if TYPE_CHECKING:
    from anaphora.entities.builtin.dates.date_parser import DateParser
    from anaphora.entities.builtin.dates.date_recognizer import DateRecognizer

__all__ = [
    "UNSPACED_SCRIPTS",
    "add_dates",
    "annotate_dates",
    "date_order",
    "date_span",
    "find_dates",
    "is_date_reader_loaded",
    "resolve_dates",
]

_DEFAULT_LANGUAGE = "en"
_loaded_languages: set[str] = set()
_MAX_DATES = 100  # per text

_WORD = regex.compile(r"[\p{L}\p{N}][\p{L}\p{N}\p{M}'’-]*")
_SENTENCE_END = regex.compile(r"[.!?…\n\r\u2028\u2029:;]")
# "Yesterday by the Beatles", "Ayer de Paul": a work and its author.
_AUTHOR = regex.compile(r"\s+(?i:by|von|van|par|de|di|от)\s+(?:\p{L}{1,3}\s+)?(?=\p{Lu})")


def add_dates(exchange: Exchange) -> Exchange:
    """Return the exchange with the dates of both texts; known dates are kept."""
    if exchange.question_dates is not None and exchange.answer_dates is not None:
        return exchange

    def known(dates: tuple[DateMention, ...] | None, text: str) -> tuple[DateMention, ...]:
        return find_dates(text, exchange.language, exchange.at) if dates is None else dates

    return replace(
        exchange,
        question_dates=known(exchange.question_dates, exchange.question),
        answer_dates=known(exchange.answer_dates, exchange.answer),
    )


def is_date_reader_loaded(language: str) -> bool:
    """Whether the date words of a language are loaded, as they are after the first text in it.
    Loading takes half a second, and more if spaCy is not loaded yet."""
    return _language_code(language) in _loaded_languages


def find_dates(text: str, language: str, at: datetime) -> tuple[DateMention, ...]:
    """Find the unambiguous dates in ``text``, written at the local time ``at``. Dates that may be
    past or future ("on Friday"), that look like a title ("The Day After Tomorrow") or are quoted
    are left out."""
    if not text:
        return ()
    if not _load_reader(language).find_dates(text):  # as usual
        return ()
    ahead, behind = _load_recognizers(language)
    other = {(one.start, one.end, one.value) for one in behind.read(text, at)}
    found = [
        DateMention(one.start, one.end, one.value)
        for one in ahead.read(text, at)
        if one.value and (one.start, one.end, one.value) in other
    ]
    if not found:
        return ()
    titles = _TitleDetector(text, _language_code(language))
    return tuple([one for one in found if not titles.is_title(one)][:_MAX_DATES])


def resolve_dates(
    text: str, language: str, at: datetime, *, order: str = ""
) -> tuple[DateMention, ...]:
    """Resolve all dates in a text at the local time ``at``. Dates that may be past or future are
    given both ways, past first. ``order`` is the order of day, month and year in digits, if not
    that of the language or its region."""
    found: dict[DateMention, None] = {}
    for recognizer in reversed(_load_recognizers(language, order)):
        found.update(
            (DateMention(one.start, one.end, one.value), None)
            for one in recognizer.read(text, at)[:_MAX_DATES]
            if one.value
        )
    return tuple(found)


@lru_cache(maxsize=64)
def date_order(language: str) -> str:
    """Return the order of day, month and year in a language or its region ("en-GB")."""
    from anaphora.entities.builtin.dates.grammar.dateparser_vocabulary import (
        is_supported,
        load_vocabulary,
    )

    code = _language_code(language)
    region = language.replace("_", "-").partition("-")[2].upper()
    regional = f"{code}-{region}"
    is_regional = region.isalnum() and region.isascii() and is_supported(regional)
    return load_vocabulary(regional if is_regional else code).order


def annotate_dates(text: str, mentions: Iterable[DateMention] | None, said: date) -> str:
    """Append its value to each relative date in ``text``: "yesterday (2026-11-20)". Dates that
    include the day ``said`` ("today", "this week") and dates that are annotated already stay as
    they are."""
    for one in sorted(mentions or (), key=lambda one: -one.start):
        if value := _annotation(text, one, said):
            unspaced = UNSPACED_SCRIPTS.match(text[one.end - 1])
            note = f"（{value}）" if unspaced else f" ({value})"
            text = f"{text[: one.end]}{note}{text[one.end :]}"
    return text


def date_span(value: str) -> tuple[date | None, date | None] | None:
    """Return the first and last day of a value of the entity ``date``, None for an open end;
    None if the text is not such a value."""
    first, is_range, last = value.partition("/")
    try:
        begin = None if first == ".." else _parse_period(first)[0]
        end = None if (last if is_range else first) == ".." else _parse_period(last or first)[1]
    except (ValueError, OverflowError):
        return None
    return begin, end


UNSPACED_SCRIPTS = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"
)
"""A character of a script without spaces between words."""
_ANNOTATED = regex.compile(r"\s?[(（]\d")
_WRITTEN_OUT = regex.compile(r"\d{1,4}([./-])\d{1,2}\1\d{1,4}")
_PERIOD = regex.compile(
    r"(?P<year>\d{4})(?:-W(?P<week>\d\d)|-Q(?P<quarter>[1-4])"
    r"|-(?P<month>\d\d)(?:-(?P<day>\d\d)(?:T.*)?)?)?"
)


def _annotation(text: str, mention: DateMention, said: date) -> str:
    """Return the annotation of a mention; empty if it needs none."""
    words = text[mention.start : mention.end]
    span = date_span(mention.value)
    if not words or span is None or _ANNOTATED.match(text, mention.end):
        return ""
    if mention.value[:4] in words or _WRITTEN_OUT.search(words):
        return ""
    first, last = span
    if first is not None and last is not None:
        if first <= said <= last:
            return ""
        if first == last and "/" in mention.value:  # part of a day
            return first.isoformat()
    return mention.value


def _parse_period(text: str) -> tuple[date, date]:
    """Return the first and last day of a day, week, month, quarter or year."""
    found = _PERIOD.fullmatch(text)
    if found is None:
        raise ValueError(f"no date: {text!r}")
    year = int(found["year"])
    if found["week"]:
        monday = date.fromisocalendar(year, int(found["week"]), 1)
        return monday, monday + timedelta(days=6)
    if found["day"]:
        day = date(year, int(found["month"]), int(found["day"]))
        return day, day
    if found["month"]:
        first, months = int(found["month"]), 1
    elif found["quarter"]:
        first, months = 3 * int(found["quarter"]) - 2, 3
    else:
        first, months = 1, 12
    end = year * 12 + first - 1 + months
    return date(year, first, 1), date(end // 12, end % 12 + 1, 1) - timedelta(days=1)


class _TitleDetector:
    """Detects words that look like a date but are part of a title, a name or a greeting."""

    def __init__(self, text: str, language: str) -> None:
        from anaphora.entities.tokens.enclosures import find_quotes

        self._text = text
        self._quotes = find_quotes(text)
        self._calendar_names, self._stop_words = _load_words(language)
        self._other = load_calendar_words(language).non_dates
        self._has_nouns = bool(cached_table(language, "locale").get("nouns_in_capitals"))

    def is_title(self, mention: DateMention) -> bool:
        """Whether the mention is quoted, belongs to a phrase that is no date ("goede morgen"), or
        is capitalized where a date is not."""
        start, end = mention.start, mention.end
        if self._quotes is not None and self._quotes.enclose(start, end):
            return True
        if self._text[:end].casefold().endswith(tuple(self._other)):
            return True
        if (author := _AUTHOR.match(self._text, end)) and not self._is_calendar_name(author.end()):
            return True
        begin = max((one.end() for one in _SENTENCE_END.finditer(self._text, 0, start)), default=0)
        if not any(map(str.islower, self._text[begin : end + 60])):
            return False  # all capitals, or a script without case
        words = list(_WORD.finditer(self._text, begin, end))
        own = [one for one in words if one.end() > start]
        before = words[-len(own) - 1] if len(words) > len(own) else None
        return (
            self._has_odd_capitals(own, is_first=before is None)
            or self._follows_name(own, before, is_first=len(words) == len(own) + 1)
            or self._precedes_title(own, end)
        )

    def _has_odd_capitals(self, own: Sequence[regex.Match[str]], *, is_first: bool) -> bool:
        """Whether a word within the sentence is capitalized that is no calendar name."""
        return not self._has_nouns and any(
            one[0][0].isupper() and one[0].casefold() not in self._calendar_names
            for one in (own[1:] if is_first else own)
        )

    def _follows_name(
        self, own: Sequence[regex.Match[str]], before: regex.Match[str] | None, *, is_first: bool
    ) -> bool:
        """Whether the preceding word belongs to the same name: Black Friday."""
        if before is None or not own or not own[0][0][0].isupper() or not before[0][0].isupper():
            return False
        if self._text[before.end() : own[0].start()].strip():
            return False
        return not (is_first and before[0].casefold() in self._stop_words)

    def _precedes_title(self, own: Sequence[regex.Match[str]], end: int) -> bool:
        """Whether the following words belong to a title: Yesterday Once More."""
        following = _WORD.match(self._text, end + 1) if self._text[end : end + 1] == " " else None
        return (
            following is not None
            and bool(own)
            and own[-1][0][0].isupper()
            and len(following[0]) > 1
            and "'" not in following[0].replace("’", "'")
            and following[0][0].isupper()
            and following[0].casefold() in self._stop_words
        )

    def _is_calendar_name(self, at: int) -> bool:
        word = _WORD.match(self._text, at)
        return word is not None and word[0].casefold() in self._calendar_names


@lru_cache(maxsize=32)
def _load_recognizers(language: str, order: str = "") -> tuple[DateRecognizer, DateRecognizer]:
    """Load the recognizers that prefer future dates and past dates, with the conventions of the
    language and its region."""
    from anaphora.entities.builtin.dates.conventions import resolve_conventions
    from anaphora.entities.builtin.dates.date_recognizer import DateRecognizer

    read = _load_reader(language, order)
    conventions = resolve_conventions(language, resolve_options("date", {}))
    ahead, behind = (
        DateRecognizer(read, prefer_future=is_ahead, conventions=conventions)
        for is_ahead in (True, False)
    )
    return ahead, behind


def _load_reader(language: str, order: str = "") -> DateParser:
    from anaphora.entities.builtin.dates.conventions import date_order as order_of_region
    from anaphora.entities.builtin.dates.date_parser import get_date_parser

    code = _language_code(language)
    read = get_date_parser(code, order or order_of_region(language))
    _loaded_languages.add(code)
    return read


@lru_cache(maxsize=32)
def _load_words(language: str) -> tuple[frozenset[str], frozenset[str]]:
    """Load the names of months and weekdays, and the stop words."""
    from anaphora.entities.builtin.dates.grammar.dateparser_vocabulary import load_vocabulary
    from anaphora.entities.words.function_words import load_stop_words

    known = load_vocabulary(language)
    names = (
        name for one in (known.weekdays, known.months) for some in one.values() for name in some
    )
    return frozenset(names), load_stop_words(language)


def _language_code(language: str) -> str:
    """Return the language without its region; English if it is unknown."""
    code = language.replace("_", "-").partition("-")[0].lower()
    return code if code.isalpha() and code.isascii() else _DEFAULT_LANGUAGE
