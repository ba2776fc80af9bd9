"""Combine entities of the built-in recognizers that are parts of one value."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from msgspec.structs import replace

from anaphora.core.utterance import Entity
from anaphora.entities.builtin.dates.combination import combine_dates, complete_date, continue_date
from anaphora.entities.builtin.dates.intervals import Moment
from anaphora.entities.builtin.nlpcraft import extend_metadata
from anaphora.entities.builtin.numbers.combination import combine_amounts, complete_amount
from anaphora.entities.builtin.registry import create_builtin
from anaphora.entities.recognizers.combiner import Combiner
from anaphora.entities.recognizers.recognizer import Mention, Recognizer, TokenizedText
from anaphora.models.schema.builtin_entities import NLPCRAFT_ENTITIES

__all__ = ["create_builtin_combiner"]

_ANY_NUMBER = "2"  # what stands before a unit to find it


def create_builtin_combiner(
    name: str, options: Mapping[str, Any], *, is_full: bool = True
) -> Combiner | None:
    """Create the combiner of a built-in recognizer; None if its entities have no parts. Unless it
    ``is_full``, it only completes dates without a month or a start."""
    if name in NLPCRAFT_ENTITIES:
        entity = NLPCRAFT_ENTITIES[name]
        options = {**options, **entity.fixed_options}
        inner = create_builtin_combiner(entity.base_entity, options, is_full=is_full)
        return inner and _NlpcraftCombiner(name, inner)
    if name == "date":
        return _DateCombiner(options) if is_full else _PartialDateCombiner(options)
    return _AmountCombiner(name, options) if is_full and name in ("number", "money") else None


class _PartialDateCombiner:
    """Completes dates without a month or a start."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._options = options

    def combine(self, old: Entity, new: Entity, at: datetime) -> Entity | None:
        if old.element != new.element:
            return None
        return continue_date(old, new, self._moment(at))

    def complete(self, old: Entity, text: str, language: str, at: datetime) -> Mention | None:
        return None

    def _moment(self, at: datetime) -> Moment:
        at = at if at.tzinfo is not None else at.replace(tzinfo=UTC)
        first_day = 0 if self._options["week"] == "monday" else 6
        prefer_future = self._options["prefer"] == "future"
        return Moment(at.replace(second=0, microsecond=0), prefer_future, first_day)


class _DateCombiner(_PartialDateCombiner):
    """Combines the parts of dates. What is a time only beside a day (Russian в восемь) completes
    one."""

    def combine(self, old: Entity, new: Entity, at: datetime) -> Entity | None:
        if old.element != new.element:
            return None
        return combine_dates(old, new, self._moment(at))

    def complete(self, old: Entity, text: str, language: str, at: datetime) -> Mention | None:
        moment = self._moment(at)
        recognizer = _get_recognizer("date", language, tuple(self._options.items()))
        found = _find_behind(recognizer, f"{moment.today.isoformat()} ", text, at)
        return found and complete_date(old, found, moment)


class _AmountCombiner:
    """Combines numbers with units, and amounts of money with currencies."""

    def __init__(self, name: str, options: Mapping[str, Any]) -> None:
        self._name = name
        self._options = options

    def combine(self, old: Entity, new: Entity, at: datetime) -> Entity | None:
        return combine_amounts(old, new) if old.element == new.element else None

    def complete(self, old: Entity, text: str, language: str, at: datetime) -> Mention | None:
        recognizer = _get_recognizer(self._name, language, tuple(self._options.items()))
        found = _find_behind(recognizer, f"{_ANY_NUMBER} ", text, at)
        return found and complete_amount(old, found)


class _NlpcraftCombiner:
    """Combines entities with NLPCraft's metadata."""

    def __init__(self, name: str, inner: Combiner) -> None:
        self._name = name
        self._inner = inner

    def combine(self, old: Entity, new: Entity, at: datetime) -> Entity | None:
        found = self._inner.combine(old, new, at)
        return found and replace(found, meta=extend_metadata(self._name, found.meta))

    def complete(self, old: Entity, text: str, language: str, at: datetime) -> Mention | None:
        found = self._inner.complete(old, text, language, at)
        return found and replace(found, meta=extend_metadata(self._name, found.meta))


def _find_behind(recognizer: Recognizer, before: str, text: str, at: datetime) -> Mention | None:
    """Find what is an entity behind other words only; with the offsets in ``text``."""
    whole = before + text
    for one in recognizer(TokenizedText(whole, [whole], [0]), at):
        if one.start == 0 and one.end > len(before) and not one.void:
            return replace(one, end=one.end - len(before))
    return None


@lru_cache(maxsize=64)
def _get_recognizer(name: str, language: str, options: tuple[tuple[str, Any], ...]) -> Recognizer:
    return create_builtin(name, language, dict(options))
