"""Join a day with the time that the same sentence says apart from it: *on Friday* I need a table
*at eight*."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from msgspec.structs import replace

from anaphora.core.utterance import Entity
from anaphora.entities.builtin.dates.combining.combination import combine_dates
from anaphora.entities.builtin.dates.combining.readings import DateReading, TimeOfDay, read_date
from anaphora.entities.builtin.dates.coordination.gaps import COMMAS, split_clause, split_gap
from anaphora.entities.builtin.dates.intervals import Moment
from anaphora.entities.builtin.dates.resolution.date_resolution import ResolvedDate
from anaphora.entities.recognizers.recognizer import Mention

__all__ = ["TimesApart"]

_MAX_WORDS = 15  # between both
_NEGATED = 6  # words before a day, of which one may negate it: I don't work on
_APOSTROPHES = ("'", "’")
_POSSESSIVES = (*_APOSTROPHES, "的", "の")


class _Date(NamedTuple):
    """A mention of a date and what it says."""

    mention: Mention
    reading: DateReading


class TimesApart:
    """Joins the days and times of a sentence in a language with some ``conjunctions``,
    ``prepositions``, other ``weak`` words of dates, ``attributive`` prepositions ("of") and
    ``negations``."""

    def __init__(
        self,
        *,
        conjunctions: Collection[str],
        prepositions: Collection[str],
        weak: Collection[str],
        attributive: Collection[str],
        negations: frozenset[str],
    ) -> None:
        self._conjunctions = conjunctions
        self._prepositions = prepositions
        self._weak = weak
        self._attributive = attributive
        self._negations = negations

    def join(self, text: str, dates: Sequence[Mention], moment: Moment) -> list[Mention]:
        """The ``dates`` of a text in its order, each day and the time behind it or before it as
        one; for an intent that takes two dates, both by themselves are fallbacks."""
        aside = [one for one in dates if one.void or one.fallback]
        dates = [one for one in dates if not (one.void or one.fallback)] if aside else dates
        if len(dates) < 2:
            return [*dates, *aside]
        read = [_read(one, moment) for one in dates]
        found: list[Mention] = aside
        at = 0
        while at < len(dates):
            pair = read[at : at + 2]
            joined = None
            if len(pair) == 2 and pair[0] is not None and pair[1] is not None:
                joined = self._join_pair(text, pair[0], pair[1], moment, is_only=len(dates) == 2)
            if joined is None:
                found.append(dates[at])
                at += 1
                continue
            found += (joined, *[replace(one, fallback=True) for one in dates[at : at + 2]])
            at += 2
            for time in self._iter_listed(text, read[at - 1 :]):  # on Friday, call at 3 or 4
                resolved = _combine(text, joined, time, moment)
                if resolved is None:
                    break
                value, meta = resolved
                found.append(replace(time, value=value, meta=meta))
                at += 1
        return found

    def _iter_listed(self, text: str, read: Sequence[_Date | None]) -> Iterator[Mention]:
        """The times in a list that begins with the first one of some dates."""
        for before, one in pairwise(read):
            if before is None or one is None:
                return
            if not (_is_time(before.reading) and _is_time(one.reading)):
                return
            words = split_gap(text, (before.mention.end, one.mention.start))
            if not words or not self._joins(words[0]):
                return
            if not all(self._joins(word) or word in self._weak for word in words):
                return
            yield one.mention

    def _join_pair(
        self, text: str, first: _Date, last: _Date, moment: Moment, *, is_only: bool
    ) -> Mention | None:
        """A day and a time as one date, None if they are none."""
        day, time = (first, last) if _is_day(first.reading) else (last, first)
        if not (_is_day(day.reading) and _is_time(time.reading)):
            return None
        if day is last and not time.reading.time.clock:
            return None  # remind me in the morning of the party on Friday
        if text[day.mention.end : day.mention.end + 1] in _POSSESSIVES:
            return None  # remind me at eight of Friday's party
        start, end = first.mention.end, last.mention.start
        words = split_gap(text, (start, end), across_sentences=is_only)
        if words is None or not self._are_between(words, is_only=is_only):
            return None
        if day is last and words[-1:] and words[-1] in self._attributive:
            return None  # remind me at eight of the party of Friday
        if day is last and len(words) > 1 and self._joins(words[0]) and words[1].isdigit():
            return None  # at 5 and 6 tomorrow
        if self._negate(split_clause(text, first.mention.start)[-_NEGATED:]):
            return None  # I don't work on Friday, call me at eight
        if day.reading.end is not None and day.reading.end <= moment.at and moment.prefer_future:
            return None  # I called yesterday, book a table at eight
        resolved = _combine(text, day.mention, time.mention, moment)
        if resolved is None:
            return None
        gap = (start, end) if text[start:end].strip() else None
        return Mention(first.mention.start, last.mention.end, *resolved, gap=gap)

    def _negate(self, words: Sequence[str]) -> bool:
        """Whether a negation is among some words, apart or contracted: "not", "don't", *n'ai*."""
        contracted = [
            form
            for before, mark, behind in zip(words, words[1:], (*words[2:], ""), strict=False)
            if mark in _APOSTROPHES
            for form in (f"{before}'", f"{before[-1:]}'{behind}")
        ]
        return not self._negations.isdisjoint([*words, *contracted])

    def _joins(self, word: str) -> bool:
        return word in self._conjunctions or word in COMMAS

    def _are_between(self, words: Sequence[str], *, is_only: bool) -> bool:
        """Whether words may be between the parts of one date. What is beside it, and in another
        clause, has a conjunction or a comma before it; if a sentence has one day and one time, they
        belong together all the same, but for "on Friday or at eight" and "from Friday to eight"."""
        if len(words) > _MAX_WORDS or self._negate(words):
            return False
        said = list(words)
        while said and said[-1] in self._prepositions:
            said.pop()
        if words and (not said or said[-1] in self._conjunctions):
            return False
        if is_only:
            return True
        return not any(map(self._joins, words))


def _read(mention: Mention, moment: Moment) -> _Date | None:
    reading = read_date(mention.meta, moment)
    return None if reading is None else _Date(mention, reading)


def _is_day(reading: DateReading) -> bool:
    """Whether a date is a day, or a longer period, whose time is open."""
    return reading.day is not None and not reading.time.clock and not reading.bound


def _is_time(reading: DateReading) -> bool:
    """Whether a date is the time or the part of any day."""
    return reading.day is None and reading.time != TimeOfDay()


def _combine(text: str, day: Mention, time: Mention, moment: Moment) -> ResolvedDate | None:
    found = combine_dates(_to_entity(text, day), _to_entity(text, time), moment)
    return None if found is None or found.value is None else (found.value, found.meta)


def _to_entity(text: str, mention: Mention) -> Entity:
    said = text[mention.start : mention.end]
    return Entity("", frozenset(), said, value=mention.value, meta=mention.meta)
