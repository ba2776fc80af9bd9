"""Combine entities of the built-in recognizers that are parts of one value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Any

from msgspec.structs import replace

from anaphora.core.utterance import Entity
from anaphora.entities.builtin.dates.combination import combine_dates, continue_date
from anaphora.entities.builtin.dates.intervals import Moment
from anaphora.entities.builtin.nlpcraft import extend_metadata
from anaphora.entities.recognizers.recognizer import Combiner
from anaphora.models.schema.builtin_entities import NLPCRAFT_ENTITIES

__all__ = ["create_builtin_combiner"]


def create_builtin_combiner(
    name: str, options: Mapping[str, Any], *, is_full: bool = True
) -> Combiner | None:
    """Create the function that combines two entities of a built-in recognizer; None if these have
    no parts. Unless it ``is_full``, it only resolves dates without a month or a start."""
    if name in NLPCRAFT_ENTITIES:
        entity = NLPCRAFT_ENTITIES[name]
        inner = create_builtin_combiner(
            entity.base_entity, {**options, **entity.fixed_options}, is_full=is_full
        )
        return inner and partial(_combine_nlpcraft, name, inner)
    if name == "date":
        return partial(_combine_dates, combine_dates if is_full else continue_date, options)
    return None


def _combine_nlpcraft(
    name: str, inner: Combiner, old: Entity, new: Entity, at: datetime
) -> Entity | None:
    found = inner(old, new, at)
    return found and replace(found, meta=extend_metadata(name, found.meta))


def _combine_dates(
    combine: Callable[[Entity, Entity, Moment], Entity | None],
    options: Mapping[str, Any],
    old: Entity,
    new: Entity,
    at: datetime,
) -> Entity | None:
    if old.element != new.element:
        return None
    at = (at if at.tzinfo is not None else at.replace(tzinfo=UTC)).replace(second=0, microsecond=0)
    first_day = 0 if options["week"] == "monday" else 6
    return combine(old, new, Moment(at, options["prefer"] == "future", first_day))
