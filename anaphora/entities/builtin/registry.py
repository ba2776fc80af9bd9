"""Create the recognizers of built-in entities."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from anaphora.entities.builtin.nlpcraft import add_durations, map_metadata
from anaphora.entities.recognizers.recognizer import Recognizer, RecognizerFactory
from anaphora.models.schema.builtin_entities import NLPCRAFT_ENTITIES
from anaphora.storage.cache import Cache

__all__ = ["create_builtin"]

_MODULES = {
    "date": "dates.date_recognizer",
    "duration": "dates.duration_recognizer",
    "recurrence": "dates.recurrences.recurrence_recognizer",
    "number": "numbers.number_recognizer",
    "place": "places.place_recognizer",
    "money": "numbers.money_recognizer",
    "limit": "references.limit",
    "sort": "references.sort",
    "relation": "references.relation",
    "coordinate": "patterns.coordinate",
    "email": "patterns.email",
    "url": "patterns.url",
    "phone": "patterns.phone",
    "boolean": "boolean",
}
# Entities whose modules have a function ``load``.
_CACHEABLE = frozenset({"date", "duration", "money", "number", "place", "recurrence"})


def create_builtin(
    name: str, language: str, options: Mapping[str, Any], *, cache: Cache | None = None
) -> Recognizer:
    """Create the recognizer of a built-in entity, with all of its options; its module is imported
    now and not before. Data that takes long to load is kept in ``cache``.

    Raises :class:`~anaphora.errors.ModelError` if a requirement is missing.
    """
    if name in NLPCRAFT_ENTITIES:
        entity = NLPCRAFT_ENTITIES[name]
        options = {**options, **entity.fixed_options}
        inner = create_builtin(entity.base_entity, language, options, cache=cache)
        if name == "nlpcraft:num":
            durations = create_builtin("duration", language, {"ahead": True}, cache=cache)
            inner = add_durations(inner, durations)
        return map_metadata(name, inner)
    home = import_module(f"anaphora.entities.builtin.{_MODULES[name]}")
    if cache is not None and name in _CACHEABLE:
        home.load(language, options, cache)
    create: RecognizerFactory = home.create
    return create(language, options)
