"""The combiners of dates."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from anaphora.core.utterance import Entity
from anaphora.entities.builtin.dates.combining.combination import combine_dates, continue_date
from anaphora.entities.builtin.dates.combining.completion import complete_date
from anaphora.entities.builtin.dates.combining.readings import ENDS
from anaphora.entities.builtin.dates.conventions import resolve_conventions
from anaphora.entities.builtin.dates.intervals import Moment
from anaphora.entities.recognizers.recognizer import Mention

__all__ = ["create_combiner"]


def create_combiner(
    name: str, language: str, options: Mapping[str, Any], *, is_full: bool
) -> _PartialDateCombiner:
    """Create the combiner of dates; unless it ``is_full``, it only completes dates without a month
    or a start."""
    kind = _DateCombiner if is_full else _PartialDateCombiner
    return kind(language, options)


class _PartialDateCombiner:
    """Completes dates without a month or a start."""

    completes = False

    def __init__(self, language: str, options: Mapping[str, Any]) -> None:
        self._options = options
        self._conventions = resolve_conventions(language, options)

    def may_combine(self, new: Entity) -> bool:
        """Whether a date leaves its month or its start open, for another date to say."""
        assumed, expression = new.meta.get("assumed"), new.meta.get("expression")
        return assumed == "month" or bool(assumed and expression and expression[0] in ENDS)

    def combine(self, old: Entity, new: Entity, at: datetime) -> Entity | None:
        if old.element != new.element or not self.may_combine(new):
            return None
        return continue_date(old, new, self._moment(at))

    def complete(self, old: Entity, text: str, language: str, at: datetime) -> Mention | None:
        return None

    def _moment(self, at: datetime) -> Moment:
        at = at if at.tzinfo is not None else at.replace(tzinfo=UTC)
        prefer_future = self._options["prefer"] == "future"
        return Moment(at.replace(second=0, microsecond=0), prefer_future, self._conventions)


class _DateCombiner(_PartialDateCombiner):
    """Combines the parts of dates. What is a time only behind a day (Russian в восемь) completes
    a date."""

    completes = True

    def may_combine(self, new: Entity) -> bool:
        return True

    def combine(self, old: Entity, new: Entity, at: datetime) -> Entity | None:
        return combine_dates(old, new, self._moment(at)) if old.element == new.element else None

    def complete(self, old: Entity, text: str, language: str, at: datetime) -> Mention | None:
        return complete_date(old, text, language, self._options, self._moment(at))
