"""Functions on the parts of a composed entity.

The name of a part is its alias in the synonym (``^^[alias]{…}^^``) or the id of its element.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anaphora.core.utterance import Entity
from anaphora.errors import EvaluationError
from anaphora.grammar.context import EntityContext
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
def ent_aliases(entity: Entity = CURRENT_ENTITY) -> Sequence[str]:
    """The aliases of the entity in the synonyms that contain it as a part."""
    return tuple(entity.aliases)


@function(
    "entity", "ent_has_part", "tok_has_part", examples=("tok_has_part(last(ent_all), 'when')",)
)
def ent_has_part(entity: Entity, name: str) -> bool:
    """Whether the entity has exactly one part with the name."""
    return len(_find_parts(entity, name)) == 1


@function(
    "entity",
    "ent_find_part",
    "tok_find_part",
    examples=("ent_text(tok_find_part(last(ent_all), 'when')) == 'tomorrow'",),
)
def ent_find_part(entity: Entity, name: str) -> Entity:
    """The part of the entity with the name; an error unless there is exactly one."""
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
def ent_find_parts(entity: Entity, name: str) -> Sequence[Entity]:
    """The parts of the entity with the name, in sentence order."""
    return _find_parts(entity, name)


@function(
    "metadata",
    "meta_part",
    reads_entity=True,
    examples=("meta_part(tok_find_part(last(ent_all), 'daytime'), 'from') == 6",),
)
def meta_part(context: EntityContext, part: str | Entity, key: str) -> Any:
    """A value from the metadata of a part: the part of the entity under test with that name, or
    one found by ``tok_find_part``."""
    found = ent_find_part.python(current_entity(context), part) if isinstance(part, str) else part
    return find_metadata(found, key)


def _find_parts(entity: Entity, name: str) -> Sequence[Entity]:
    return tuple(part for part in entity.parts if name in part.aliases or part.element == name)
