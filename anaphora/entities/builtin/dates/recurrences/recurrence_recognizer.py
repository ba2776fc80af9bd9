"""The built-in entity ``recurrence``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from spacy.tokens import Doc

from anaphora.entities.builtin.dates.conventions import (
    Conventions,
    date_order,
    resolve_conventions,
)
from anaphora.entities.builtin.dates.grammar.date_grammar import RECURRENCE_TABLES, load_grammar
from anaphora.entities.builtin.dates.intervals import Moment
from anaphora.entities.builtin.dates.operations.recurrence_patterns import Patterns
from anaphora.entities.builtin.dates.recurrences.recurrence_parser import (
    RecurrenceParser,
    get_recurrence_parser,
)
from anaphora.entities.builtin.dates.recurrences.resolution import (
    ResolvedRecurrence,
    resolve_recurrence,
)
from anaphora.entities.builtin.dates.resolution.cached_resolver import CachedResolver, to_zoned
from anaphora.entities.recognizers.recognizer import Mention, TokenizedText, get_text
from anaphora.entities.words.normalization import base_code
from anaphora.storage.cache import Cache

__all__ = ["RecurrenceRecognizer", "create", "load"]

_DEFAULT_CONVENTIONS = Conventions()
_CACHE_SIZE = 1024  # recurrences


def create(language: str, options: Mapping[str, Any]) -> RecurrenceRecognizer:
    """Create the recognizer of recurrences in texts in ``language``."""
    return RecurrenceRecognizer(
        get_recurrence_parser(base_code(language), options["order"] or date_order(language)),
        conventions=resolve_conventions(language, options),
    )


def load(language: str, options: Mapping[str, Any], cache: Cache) -> None:
    """Load the data of a recognizer through the ``cache``."""
    load_grammar(language, cache, RECURRENCE_TABLES)


class RecurrenceRecognizer:
    """Finds recurring times.

    The value of a mention is a rule of RFC 5545 (``FREQ=WEEKLY;INTERVAL=2;BYDAY=TU``), whose times
    are local times of the user. Its metadata: ``rule``, its parts by name; ``next``, the next
    occurrence after the question, and ``start``, from which the rule counts, as local times with
    their offset from UTC; ``until`` and ``count``, if it ends; ``times`` and ``per`` for how often
    in each period ("twice a day"); ``part``, ``hours`` and ``duration``, if an occurrence lasts for
    a part of the day or some hours; ``except``, the dates that are left out; ``pattern``, what the
    text says, before it is resolved.

    Several mentions of one range are readings of the same words, the likeliest first: every other
    Tuesday, or the second one of each month. What needs several rules has a mention for each of
    them: every Monday at 9, and Friday at 10.
    """

    def __init__(
        self, parser: RecurrenceParser, *, conventions: Conventions = _DEFAULT_CONVENTIONS
    ) -> None:
        self._parser = parser
        self._resolve = CachedResolver(_resolve_patterns, conventions=conventions, size=_CACHE_SIZE)

    def __call__(self, doc: Doc | TokenizedText, at: datetime) -> Iterable[Mention]:
        """The recurrences in ``doc``."""
        return self.read(get_text(doc), at)

    def read(self, text: str, at: datetime) -> list[Mention]:
        """The recurrences in ``text``, resolved against the local time ``at``."""
        at = to_zoned(at)
        return [
            Mention(start, end, *resolved, gap=gap)
            for start, end, patterns, gap in self._parser.find_recurrences(text)
            for resolved in self._resolve(patterns, at)
        ]


def _resolve_patterns(patterns: Patterns, moment: Moment) -> tuple[ResolvedRecurrence, ...]:
    by_value: dict[str, Mapping[str, Any]] = {}
    for value, meta in resolve_recurrence(patterns, moment):
        by_value.setdefault(value, meta)
    return tuple(by_value.items())
