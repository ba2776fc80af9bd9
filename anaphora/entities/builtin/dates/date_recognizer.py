"""The built-in entity ``date``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from importlib.util import find_spec
from typing import Any

from spacy.tokens import Doc

from anaphora.entities.builtin.dates.combining.times_apart import TimesApart
from anaphora.entities.builtin.dates.conventions import (
    Conventions,
    date_order,
    resolve_conventions,
)
from anaphora.entities.builtin.dates.date_parser import (
    DateParser,
    get_date_parser,
)
from anaphora.entities.builtin.dates.grammar.date_grammar import load_grammar
from anaphora.entities.builtin.dates.grammar.islands import DateMatch
from anaphora.entities.builtin.dates.intervals import Moment
from anaphora.entities.builtin.dates.named_days.day_names import (
    load_official_names,
)
from anaphora.entities.builtin.dates.named_days.table_cache import keep_tables_in
from anaphora.entities.builtin.dates.operations import depends_on_seconds
from anaphora.entities.builtin.dates.operations.alternatives import has_numeric_date
from anaphora.entities.builtin.dates.operations.expression_analysis import names_calendar_day
from anaphora.entities.builtin.dates.operations.registry import TimeExpression
from anaphora.entities.builtin.dates.resolution.alternative_dates import (
    resolve_with_alternatives,
)
from anaphora.entities.builtin.dates.resolution.cached_resolver import CachedResolver, to_zoned
from anaphora.entities.builtin.dates.resolution.date_resolution import ResolvedDate
from anaphora.entities.recognizers.recognizer import Mention, TokenizedText, get_text
from anaphora.entities.words.function_words import load_qualifiers
from anaphora.entities.words.normalization import base_code
from anaphora.errors import ModelError, Problem
from anaphora.storage.cache import Cache

__all__ = ["DateRecognizer", "create", "load"]

_DEFAULT_CONVENTIONS = Conventions()
_CACHE_SIZE = 4096  # dates
_WITH_DURATION = ("lasting", "starting")  # operations on a date and the duration beside it


def create(language: str, options: Mapping[str, Any]) -> DateRecognizer:
    """Create the recognizer of dates in texts in ``language``."""
    return DateRecognizer(
        get_date_parser(
            base_code(language),
            options["order"] or date_order(language),
            _countries_of(options),
        ),
        prefer_future=options["prefer"] == "future",
        conventions=resolve_conventions(language, options),
    )


def load(language: str, options: Mapping[str, Any], cache: Cache) -> None:
    """Load the data of a recognizer through the ``cache``."""
    load_grammar(language, cache)
    keep_tables_in(cache)
    if countries := _countries_of(options):
        load_official_names(countries, language)


def _countries_of(options: Mapping[str, Any]) -> tuple[str, ...]:
    """The countries of the option ``holidays``. Raises ModelError if there are any and the package
    ``holidays`` is missing."""
    countries = tuple(dict.fromkeys(options.get("holidays", ())))
    if countries and not find_spec("holidays"):
        hint = "pip install 'anaphora[holidays]'"
        problem = Problem("the option 'holidays' of 'date' needs the package holidays", hint=hint)
        raise ModelError(problem)
    return countries


class DateRecognizer:
    """Finds dates: days, weeks, months, quarters, years, times, and ranges of them.

    The value of a mention is the date in ISO 8601 (ranges in its extension EDTF): ``2026-11-22``,
    ``2026-11-22T17:00``, ``2026-W48``, ``2026-11``, ``2026-Q4``, ``2026-05-01/2026-06-03``
    including both days, ``2026-05-01/..``. Its metadata: ``from`` and ``to`` in milliseconds since
    1970 (half open; absent at an open end), ``start`` and ``end``, the same as local times with
    their offset from UTC, and the ``grain``. ``assumed`` is the unit that the text leaves open and
    the time of the question provides (the ``year`` of "May 5"). ``conflict`` is ``weekday`` if the
    text has a weekday that the date does not have. ``hours`` are the daily hours
    (``09:00/17:00``) of a range of days. ``alternatives`` are other readings (5 in the morning, 5
    in the afternoon; 3/4 in the other order), each with ``value``, ``start`` and ``end``.
    ``expression`` is the time expression as a list: what the text says, before it is resolved.
    """

    def __init__(
        self,
        parser: DateParser,
        *,
        prefer_future: bool = True,
        conventions: Conventions = _DEFAULT_CONVENTIONS,
    ) -> None:
        self._parser = parser
        grammar = load_grammar(parser.language)
        self._times_apart = TimesApart(
            conjunctions=grammar.conjunctions,
            prepositions=grammar.prepositions,
            weak=grammar.weak,
            attributive=grammar.attributive,
            negations=load_qualifiers(parser.language, "negation", "exclusion"),
        )
        self._resolve_cached = CachedResolver(
            self._resolve, conventions=conventions, prefer_future=prefer_future, size=_CACHE_SIZE
        )

    def __call__(self, doc: Doc | TokenizedText, at: datetime) -> Iterable[Mention]:
        """The dates in ``doc``; days that do not exist (February 30) are void mentions."""
        text = get_text(doc)
        mentions = self._find_mentions(text, at)
        return mentions or self._find_answer(text, at)

    def read(self, text: str, at: datetime) -> list[Mention]:
        """The dates in ``text``, resolved against the local time ``at``, without what is one only
        as the answer to a question."""
        return [mention for mention in self._find_mentions(text, at) if not mention.void]

    def _find_mentions(self, text: str, at: datetime) -> list[Mention]:
        dates = self._parser.find_with_names(text)
        if not dates:
            return []
        mentions = []
        apart = [
            (*date, True)
            for date in self._find_dates_beside_durations(text, [date[:3] for date in dates])
        ]
        for start, end, meaning, is_fallback in sorted([*dates, *apart]):
            resolved = self._resolve_match(text, (start, end, meaning), at)
            if resolved is not None:
                mentions.append(Mention(start, end, *resolved, fallback=is_fallback))
            elif names_calendar_day(meaning):
                mentions.append(Mention(start, end, void=True))
        if len(mentions) < 2 or self._parser.is_move(text):
            return mentions
        moment = self._resolve_cached.create_moment(to_zoned(at))
        return self._times_apart.join(text, mentions, moment)

    def _find_answer(self, text: str, at: datetime) -> list[Mention]:
        """What the whole text is as the answer to a question about a date."""
        answer = self._parser.find_answer(text)
        if answer is None:
            return []
        resolved = self._resolve_match(text, answer, at)
        start, end, _ = answer
        return [] if resolved is None else [Mention(start, end, *resolved, fallback=True)]

    def _resolve_match(self, text: str, match: DateMatch, at: datetime) -> ResolvedDate | None:
        start, end, meaning = match
        at = to_zoned(at)
        if not depends_on_seconds(meaning):  # for more hits in the cache
            at = at.replace(second=0, microsecond=0)
        return self._resolve_cached((meaning, has_numeric_date(text[start:end])), at)

    def _find_dates_beside_durations(
        self, text: str, dates: Iterable[DateMatch]
    ) -> Iterator[DateMatch]:
        """The dates alone in "from Friday for three days", for an intent that takes both."""
        for start, end, meaning in dates:
            if meaning[0] not in _WITH_DURATION:
                continue
            for first, last, _ in self._parser.find_durations(text):
                if start <= first and last <= end:
                    begin, stop = (start, first) if end - last < first - start else (last, end)
                    for one in self._parser.find_dates(text[begin:stop]):
                        if meaning[1] in (one[2], one[2][-1]):
                            yield begin + one[0], begin + one[1], meaning[1]

    def _resolve(self, said: tuple[TimeExpression, bool], moment: Moment) -> ResolvedDate | None:
        """The date of an expression, which is written in digits or not."""
        meaning, is_numeric = said
        return resolve_with_alternatives(meaning, moment, is_numeric=is_numeric)
