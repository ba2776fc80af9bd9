"""Functions on the parts of an entity that is composed of others.

A part goes by what the synonym calls it (``^^[alias]{…}^^``) or by the id of its element.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anaphora.errors import EvaluationError
from anaphora.grammar.context import EntityContext, EntityView
from anaphora.grammar.functions.entity.metadata import find_metadata
from anaphora.grammar.functions.entity.properties import current_entity
from anaphora.grammar.functions.registry import CURRENT_ENTITY, function
from anaphora.grammar.values import describe_value


@function(
    "entity",
    "ent_aliases",
    "tok_aliases",
    examples=("tok_aliases(tok_find_part(last(ent_all), 'day')) == list('when')",),
)
def ent_aliases(entity: EntityView = CURRENT_ENTITY) -> Sequence[str]:
    """What the synonyms that are made of it call it."""
    return tuple(entity.aliases)


@function(
    "entity", "ent_has_part", "tok_has_part", examples=("tok_has_part(last(ent_all), 'when')",)
)
def ent_has_part(entity: EntityView, name: str) -> bool:
    """Whether exactly one part of the entity goes by the name."""
    return len(_find_parts(entity, name)) == 1


@function(
    "entity",
    "ent_find_part",
    "tok_find_part",
    examples=("ent_text(tok_find_part(last(ent_all), 'when')) == 'tomorrow'",),
)
def ent_find_part(entity: EntityView, name: str) -> EntityView:
    """The part of the entity that goes by the name; an error unless there is exactly one."""
    parts = _find_parts(entity, name)
    if len(parts) == 1:
        return parts[0]
    found = f"{len(parts)} parts called '{name}', not one" if parts else f"no part '{name}'"
    raise EvaluationError(f"{describe_value(entity)} has {found}")


@function(
    "entity",
    "ent_find_parts",
    "tok_find_parts",
    examples=("size(tok_find_parts(last(ent_all), 'daytime')) == 1",),
)
def ent_find_parts(entity: EntityView, name: str) -> Sequence[EntityView]:
    """The parts of the entity that go by the name, in the order of the sentence."""
    return _find_parts(entity, name)


@function(
    "metadata",
    "meta_part",
    reads_entity=True,
    examples=("meta_part(tok_find_part(last(ent_all), 'daytime'), 'from') == 6",),
)
def meta_part(context: EntityContext, part: str | EntityView, key: str) -> Any:
    """From the metadata of a part: the one of the entity in question that goes by the name, or
    the one that ``tok_find_part`` has found."""
    found = ent_find_part.python(current_entity(context), part) if isinstance(part, str) else part
    return find_metadata(found, key)


def _find_parts(entity: EntityView, name: str) -> Sequence[EntityView]:
    return tuple(part for part in entity.parts if name in part.aliases or part.element == name)
