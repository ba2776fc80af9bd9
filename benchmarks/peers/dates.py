"""Dates: Anaphora's recognizer compared with ``dateparser.search``, which gets the language.

Both read the same seeded utterances, five sixths of which contain a date. The time of the question
advances with each utterance; because dateparser caches by base time, it is also measured with a
constant one.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import product
from random import Random
from statistics import fmean, median
from time import perf_counter, process_time
from typing import TypeAlias

from dateparser.search import search_dates

from anaphora.entities.builtin.dates.date_parser import get_date_parser
from anaphora.entities.builtin.dates.date_recognizer import DateRecognizer
from anaphora.entities.tokens.tokenizers import blank
from benchmarks.peers.interleaving import rotate

__all__ = ["LANGUAGES", "DatedUtterance", "Row", "dates", "utterances"]

_AT = datetime(2026, 11, 18, 10, 30, tzinfo=UTC)  # a Wednesday
_BASE = "anaphora"

_Times: TypeAlias = dict[str, str | timedelta | None]
"""How a time is said, and what its day is: that date, so far from today, or none. In both {n} is a
number of days or weeks, and {d} a day of the month."""

# Sentences, what they are about and where, and times.
_WORDS: dict[str, tuple[list[str], list[str], list[str], _Times]] = {
    "en": (
        ["What's the {} like {}?", "and the {} {}", "show me the {} {}, please", "{} {}"],
        ["weather", "traffic", "price of coffee", "news", "mood", "queue", "music"],
        ["in Tokyo", "at the airport", "in my office", "in the old town", "over there"],
        {
            "tomorrow": timedelta(days=1),
            "tomorrow at 5pm": timedelta(days=1),
            "yesterday": timedelta(days=-1),
            "on Friday": timedelta(days=2),
            "on December {d}, 2026": "2026-12-{d:02}",
            "on May {d}, 2027": "2027-05-{d:02}",
            "in {n} days": timedelta(days=1),
            "{n} weeks ago": timedelta(weeks=-1),
            "today": timedelta(),
            "on 2026-12-{d:02}": "2026-12-{d:02}",
            "again": None,
            "for a while": None,
        },
    ),
    "ru": (
        ["Какая {} {}?", "а {} {}", "покажи, какая {} {}", "{} {}"],
        ["погода", "цена на кофе", "музыка", "очередь", "дорога", "статистика", "карта"],
        ["в Токио", "в офисе", "в старом городе", "на вокзале", "у моря"],
        {
            "завтра": timedelta(days=1),
            "завтра в 17:00": timedelta(days=1),
            "вчера": timedelta(days=-1),
            "{d} декабря 2026 года": "2026-12-{d:02}",
            "{d} мая 2027": "2027-05-{d:02}",
            "через {n} дней": timedelta(days=1),
            "{n} недель назад": timedelta(weeks=-1),
            "сегодня": timedelta(),
            "{d:02}.12.2026": "2026-12-{d:02}",
            "послезавтра": timedelta(days=2),
            "опять": None,
            "пока": None,
        },
    ),
}
LANGUAGES = tuple(_WORDS)
_ORDER = {"en": {}, "ru": {"DATE_ORDER": "DMY"}}  # else it takes "02.12" for a day in February


@dataclass(frozen=True, slots=True)
class DatedUtterance:
    """An utterance, and the day of its only date; None without a date."""

    text: str
    day: str | None


@dataclass(frozen=True, slots=True)
class Row:
    """Seconds per utterance, and the shares of utterances in which exactly the right day, or
    rightly none, was found. ``worked`` is the mean CPU time, which excludes other processes of the
    machine; ``ratio`` is ``worked`` as a multiple of Anaphora's."""

    finder: str
    language: str
    median: float
    mean: float
    p99: float
    worked: float
    ratio: float
    right: float


def dates(
    *,
    rounds: int = 3,
    seed: int = 1,
    languages: Sequence[str] = LANGUAGES,
    count: int | None = None,
) -> list[Row]:
    """A row for each finder and language, of utterances of which none comes twice (of the first
    ``count`` if given). The time of the question goes on by a second with each; making the Doc
    belongs to Anaphora's time."""
    rows = []
    for language in languages:
        finders = {
            _BASE: _anaphora_finder(language),
            "dateparser.search": _dateparser_finder(language),
            "dateparser.search (always at one time)": _dateparser_finder(language, always=_AT),
        }
        said = utterances(language, seed=seed)[:count]
        size = len(said) // (rounds + 1)
        times: dict[str, list[float]] = {finder: [] for finder in finders}
        busy = dict.fromkeys(finders, 0.0)
        right: dict[str, list[bool]] = {finder: [] for finder in finders}
        for number in range(rounds + 1):  # the first one is a warm-up
            texts = said[number * size : (number + 1) * size]
            for finder in rotate(list(finders), number):
                gc.collect()
                worked = process_time()
                took, found = _measure(finders[finder], texts, number)
                right[finder] += found
                if number:
                    busy[finder] += process_time() - worked
                    times[finder] += took
        rows += [
            _row(
                finder,
                language,
                times[finder],
                worked=busy[finder] / len(times[finder]),
                ratio=busy[finder] / busy[_BASE],
                right=fmean(right[finder]),
            )
            for finder in finders
        ]
    return rows


def utterances(language: str, *, seed: int = 1) -> list[DatedUtterance]:
    """All combinations of sentence, topic and time, shuffled: some 1,700."""
    sentences, topics, places, times = _WORDS[language]
    random = Random(seed)
    said = []
    for sentence, topic, place, (time, day) in product(sentences, topics, places, times.items()):
        # Numbers with which "weeks" and "недель" are right.
        n, d = random.randint(5, 20), random.randint(1, 31)
        text = sentence.format(f"{topic} {place}", time.format(n=n, d=d))
        said.append(DatedUtterance(text, _day(day, n if "{n}" in time else 1, d)))
    random.shuffle(said)
    return said


def _day(day: str | timedelta | None, n: int, d: int) -> str | None:
    if isinstance(day, timedelta):
        return (_AT + n * day).date().isoformat()
    return day.format(d=d) if day else None


def _anaphora_finder(language: str) -> Callable[[str, datetime], list[str]]:
    nlp = blank(language)
    recognize = DateRecognizer(get_date_parser(language))

    def find(text: str, at: datetime) -> list[str]:
        return [str(mention.value)[:10] for mention in recognize(nlp(text), at)]

    return find


def _dateparser_finder(
    language: str, *, always: datetime | None = None
) -> Callable[[str, datetime], list[str]]:
    def find(text: str, at: datetime) -> list[str]:
        base = (always or at).replace(tzinfo=None)
        settings = {"RELATIVE_BASE": base, "PREFER_DATES_FROM": "future", **_ORDER[language]}
        found = search_dates(text, languages=[language], settings=settings) or []
        return [day.date().isoformat() for _, day in found]

    return find


def _measure(
    find: Callable[[str, datetime], list[str]], said: Sequence[DatedUtterance], number: int
) -> tuple[list[float], list[bool]]:
    times, right = [], []
    for place, one in enumerate(said):
        at = _AT + timedelta(seconds=number * len(said) + place)
        begin = perf_counter()
        found = find(one.text, at)
        times.append(perf_counter() - begin)
        right.append(found == ([one.day] if one.day else []))
    return times, right


def _row(
    finder: str, language: str, times: list[float], *, worked: float, ratio: float, right: float
) -> Row:
    p99 = sorted(times)[int(len(times) * 0.99)]
    return Row(finder, language, median(times), fmean(times), p99, worked, ratio, right)
