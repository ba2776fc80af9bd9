"""The terms of days: an exchange is found by the day on which it was said, and by those that it
mentions, however a search names them.

A day is the term "2026-11-08", which no word is. Its week ("2026-W45") and its month ("2026-11")
are terms as well, so that "last week" finds it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from typing import NamedTuple

import regex

from anaphora.ltm.dates.mentions import date_order, date_span, resolve_dates
from anaphora.ltm.exchange import Exchange

__all__ = ["DayQuery", "day_terms", "find_days"]

_MAX_DAYS = 7  # of a range that is looked for day by day
_DOTTED = regex.compile(r"\d{1,2}\.\d{1,2}\.\d{2,4}")  # the day first, whatever the language
_WEEK_OR_MONTH = regex.compile(r"\d{4}-(?:W?\d\d)")


class DayQuery(NamedTuple):
    """What a search says of a day, from ``start`` to ``end``, and the terms that it may mean."""

    start: int
    end: int
    terms: tuple[str, ...]


def day_terms(exchange: Exchange) -> tuple[str, ...]:
    """The terms of the day of an exchange, as its clock showed it, and of the dates in it."""
    found = dict.fromkeys(_day_terms(exchange.at.date()))
    for mention in (*(exchange.question_dates or ()), *(exchange.answer_dates or ())):
        found.update(dict.fromkeys(_value_terms(mention.value)))
    return tuple(found)


def find_days(text: str, languages: Sequence[str], at: datetime) -> list[DayQuery]:
    """The days in a search text, in one of these languages, asked at the local time ``at``. What
    leaves the year open may be one behind or ahead."""
    found: dict[tuple[int, int], dict[str, None]] = {}
    for language in languages:
        usual = date_order(language)
        orders = (usual, "DMY") if _DOTTED.search(text) else (usual,)
        for order in dict.fromkeys(orders):
            for mention in resolve_dates(text, language, at, order=order):
                is_dotted = _DOTTED.fullmatch(text[mention.start : mention.end]) is not None
                if order == ("DMY" if is_dotted else usual):
                    terms = found.setdefault((mention.start, mention.end), {})
                    terms.update(dict.fromkeys(_query_terms(mention.value)))
    return [DayQuery(start, end, tuple(terms)) for (start, end), terms in found.items() if terms]


def _day_terms(day: date) -> tuple[str, str, str]:
    year, week, _ = day.isocalendar()
    text = day.isoformat()
    return text, f"{year:04}-W{week:02}", text[:7]


def _value_terms(value: str) -> Iterator[str]:
    """The terms of a value: those of its first and its last day, if it is no week or month."""
    if _WEEK_OR_MONTH.fullmatch(value):
        yield value
        return
    first, last = date_span(value) or (None, None)
    if first is None or last is None or last - first < timedelta(days=31):
        for day in (first, last):
            if day is not None:
                yield from _day_terms(day)


def _query_terms(value: str) -> Iterator[str]:
    """The terms that mean a value: of a short range its days."""
    if _WEEK_OR_MONTH.fullmatch(value):
        yield value
        return
    first, last = date_span(value) or (None, None)
    if first is not None and last is not None and (last - first).days < _MAX_DAYS:
        for days in range((last - first).days + 1):
            yield (first + timedelta(days=days)).isoformat()
