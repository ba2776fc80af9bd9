"""The combiners of dates."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from msgspec.structs import replace

from anaphora.core.utterance import Entity
from anaphora.entities.builtin.dates.combining.combination import combine_dates, continue_date
from anaphora.entities.builtin.dates.combining.completion import complete_date
from anaphora.entities.builtin.dates.combining.readings import ENDS
from anaphora.entities.builtin.dates.conventions import resolve_conventions
from anaphora.entities.builtin.dates.intervals import Moment
from anaphora.entities.builtin.dates.resolution.alternative_dates import (
    resolve_with_alternatives,
)
from anaphora.entities.builtin.dates.resolution.date_resolution import parse_expression
from anaphora.entities.recognizers.recognizer import Mention

__all__ = ["DateCombiner", "create_combiner"]

_OTHER_SIDES = {"before": "onward", "until": "onward", "after": "until", "onward": "before"}


def create_combiner(
    name: str, language: str, options: Mapping[str, Any], *, is_full: bool
) -> DateCombiner:
    """Create the combiner of dates; unless it ``is_full``, it only completes dates without a month
    or a start."""
    kind = _FullDateCombiner if is_full else DateCombiner
    return kind(language, options)


class DateCombiner:
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

    def turn_limit(self, date: Entity, at: datetime) -> Entity | None:
        """What is left of all times without those up to a limit, or from it on: from four on
        without "before four". None for dates that are no limits."""
        said = parse_expression(date.meta.get("expression"))
        if said is None or len(said) != 2 or said[0] not in _OTHER_SIDES:
            return None
        other = _OTHER_SIDES[said[0]], said[1]
        found = resolve_with_alternatives(other, self._moment(at), is_numeric=False)
        return found and replace(date, value=found[0], meta=found[1])

    def _moment(self, at: datetime) -> Moment:
        at = at if at.tzinfo is not None else at.replace(tzinfo=UTC)
        prefer_future = self._options["prefer"] == "future"
        return Moment(at.replace(second=0, microsecond=0), prefer_future, self._conventions)


class _FullDateCombiner(DateCombiner):
    """Combines the parts of dates. What is a time only behind a day (Russian в восемь) completes
    a date."""

    completes = True

    def may_combine(self, new: Entity) -> bool:
        return True

    def combine(self, old: Entity, new: Entity, at: datetime) -> Entity | None:
        return combine_dates(old, new, self._moment(at)) if old.element == new.element else None

    def complete(self, old: Entity, text: str, language: str, at: datetime) -> Mention | None:
        return complete_date(old, text, language, self._options, self._moment(at))
