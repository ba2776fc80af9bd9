"""Create the combiners of built-in entities."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from importlib import import_module
from typing import Any

from msgspec.structs import replace

from anaphora.core.utterance import Entity
from anaphora.entities.builtin.nlpcraft import extend_metadata
from anaphora.entities.recognizers.combiner import Combiner
from anaphora.entities.recognizers.recognizer import Mention
from anaphora.models.schema.builtin_entities import NLPCRAFT_ENTITIES

__all__ = ["create_builtin_combiner"]

_MODULES = {
    "date": "dates.combining.combiner",
    "duration": "dates.combining.duration_combiner",
    "recurrence": "dates.recurrences.combiner",
    "number": "numbers.combination",
    "money": "numbers.combination",
    "place": "places.combination",
}


def create_builtin_combiner(
    name: str, language: str, options: Mapping[str, Any], *, is_full: bool = True
) -> Combiner | None:
    """Create the combiner of a built-in entity, for a model in a language; None if it has no parts.
    Unless it ``is_full``, it only completes dates without a month or a start. Its module is
    imported now and not before."""
    if name in NLPCRAFT_ENTITIES:
        entity = NLPCRAFT_ENTITIES[name]
        options = {**options, **entity.fixed_options}
        inner = create_builtin_combiner(entity.base_entity, language, options, is_full=is_full)
        return inner and _NlpcraftCombiner(name, inner)
    if name not in _MODULES or not (is_full or name == "date"):
        return None
    home = import_module(f"anaphora.entities.builtin.{_MODULES[name]}")
    combiner: Combiner = home.create_combiner(name, language, options, is_full=is_full)
    return combiner


class _NlpcraftCombiner:
    """Combines entities with NLPCraft's metadata."""

    def __init__(self, name: str, inner: Combiner) -> None:
        self._name = name
        self._inner = inner
        self.completes = inner.completes

    def may_combine(self, new: Entity) -> bool:
        return self._inner.may_combine(new)

    def combine(self, old: Entity, new: Entity, at: datetime) -> Entity | None:
        found = self._inner.combine(old, new, at)
        return found and replace(found, meta=extend_metadata(self._name, found.meta))

    def complete(self, old: Entity, text: str, language: str, at: datetime) -> Mention | None:
        found = self._inner.complete(old, text, language, at)
        return found and replace(found, meta=extend_metadata(self._name, found.meta))
