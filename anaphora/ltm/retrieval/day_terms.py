"""Day terms: an exchange is found by its own day and by the days that it mentions, in whatever form
a search names them.

A day is the term "2026-11-08", which no word equals. Its week ("2026-W45") and its month
("2026-11", and "--11" of any year) are terms as well, so that "last week" and "that autumn" find
it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from typing import NamedTuple

import regex

from anaphora.ltm.dates.mentions import date_order, date_span, resolve_dates
from anaphora.ltm.exchange import Exchange

__all__ = ["DayQuery", "asks_when", "day_terms", "find_days"]

_MAX_DAYS = 7  # longest range that is searched day by day
_MAX_SEASON = timedelta(days=92)  # longest range that is searched month by month
_DOTTED = regex.compile(r"\d{1,2}\.\d{1,2}\.\d{2,4}")  # day first, in every language
# "When" as one of the first three words: later it is mostly a conjunction.
_WHEN = regex.compile(
    r"\W*(?:\w+\W+){0,2}(?:when|wann|quand|cu[aá]ndo|quando|wanneer|când|kiedy|kdy|mikor|milloin|när"
    r"|hvornår|når|когда|коли|кога|πότε|متى|מתי)\b"
    r"|.*(?:ne zaman|いつ|何时|何時|什么时候|什麼時候|언제|เมื่อไ)",
    regex.IGNORECASE | regex.DOTALL,
)
_WEEK_OR_MONTH = regex.compile(r"\d{4}-(?:W?\d\d)")


class DayQuery(NamedTuple):
    """A day at ``start:end`` of a search text, and the terms that it may mean; or a month or a
    season, and the terms of its ``months``, which are those of any year if the text has none."""

    start: int
    end: int
    terms: tuple[str, ...]
    months: tuple[str, ...] = ()


def day_terms(exchange: Exchange) -> tuple[str, ...]:
    """Return the terms of the local day of an exchange, and of the dates mentioned in it."""
    found = dict.fromkeys(_day_terms(exchange.at.date()))
    for mention in (*(exchange.question_dates or ()), *(exchange.answer_dates or ())):
        found.update(dict.fromkeys(_value_terms(mention.value)))
    return tuple(found)


def find_days(text: str, languages: Sequence[str], at: datetime) -> list[DayQuery]:
    """Find the days in a search text, written in one of these languages at the local time ``at``.
    A date without a year may be past or future."""
    found: dict[tuple[int, int], dict[str, None]] = {}
    months: dict[tuple[int, int], dict[str, None]] = {}
    for language in languages:
        default = date_order(language)
        orders = (default, "DMY") if _DOTTED.search(text) else (default,)
        for order in dict.fromkeys(orders):
            for mention in resolve_dates(text, language, at, order=order):
                is_dotted = _DOTTED.fullmatch(text[mention.start : mention.end]) is not None
                if order == ("DMY" if is_dotted else default):
                    place = mention.start, mention.end
                    has_year = any(map(str.isdigit, text[mention.start : mention.end]))
                    terms, its_months = found.setdefault(place, {}), months.setdefault(place, {})
                    terms.update(dict.fromkeys(_query_terms(mention.value)))
                    its_months.update(dict.fromkeys(_month_terms(mention.value, has_year=has_year)))
    return [
        DayQuery(*place, tuple(terms), tuple(months[place]))
        for place, terms in found.items()
        if terms or months[place]
    ]


def asks_when(text: str) -> bool:
    """Whether a search text asks for a time."""
    return _WHEN.match(text) is not None


def _day_terms(day: date) -> tuple[str, ...]:
    year, week, _ = day.isocalendar()
    text = day.isoformat()
    return text, f"{year:04}-W{week:02}", text[:7], f"--{text[5:7]}"


def _value_terms(value: str) -> Iterator[str]:
    """Yield the terms of a value: a week or month itself, else its first and its last day."""
    if _WEEK_OR_MONTH.fullmatch(value):
        yield value
        return
    first, last = date_span(value) or (None, None)
    if first is None or last is None or last - first < timedelta(days=31):
        for day in (first, last):
            if day is not None:
                yield from _day_terms(day)


def _query_terms(value: str) -> Iterator[str]:
    """Yield the terms that match a value: a week or month itself; the days of a short range."""
    if _WEEK_OR_MONTH.fullmatch(value):
        yield value
        return
    first, last = date_span(value) or (None, None)
    if first is not None and last is not None and (last - first).days < _MAX_DAYS:
        for days in range((last - first).days + 1):
            yield (first + timedelta(days=days)).isoformat()


def _month_terms(value: str, *, has_year: bool) -> Iterator[str]:
    """Yield the terms of the months of a value that covers one to three whole months."""
    first, last = date_span(value) or (None, None)
    if first is None or last is None or last - first > _MAX_SEASON:
        return
    if first.day == 1 and (last + timedelta(days=1)).day == 1:
        for number in range(first.year * 12 + first.month, last.year * 12 + last.month + 1):
            year, month = divmod(number - 1, 12)
            yield f"{year:04}-{month + 1:02}" if has_year else f"--{month + 1:02}"
