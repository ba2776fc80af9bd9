"""Parse recurrence patterns in texts, without resolving them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from anaphora.entities.builtin.chart_parser import Chart
from anaphora.entities.builtin.dates.date_parser import DateParser, Island, select_longest
from anaphora.entities.builtin.dates.grammar.date_grammar import RECURRENCE_TABLES
from anaphora.entities.builtin.dates.operations.recurrence_patterns import Patterns

__all__ = ["RecurrenceParser", "get_recurrence_parser"]


@lru_cache(maxsize=128)
def get_recurrence_parser(language: str, order: str = "") -> RecurrenceParser:
    """The shared parser of a language; ``order`` is that of day, month and year (``DMY``), if not
    the one of the language."""
    return RecurrenceParser(language, order)


class RecurrenceParser(DateParser):
    """A parser of dates whose grammar has the rules of recurrences besides: a recurrence can use
    whatever a date can say. It is apart, so that dates alone are not slower."""

    tables = RECURRENCE_TABLES

    def find_recurrences(self, text: str) -> list[tuple[int, int, Patterns]]:
        """The longest recurrences, in the order of the text."""
        return self._find_matches(text, lambda island: island.recurrences)

    def _select(self, chart: Chart, is_weak: Sequence[bool]) -> Island:
        # With their first and last words: "on Mondays", which a date has too.
        found = select_longest(chart.items("recurrence"), [False] * len(is_weak))
        return Island(recurrences=found, edges=chart.edges)
