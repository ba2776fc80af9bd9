"""Functions on entities: the one in question, and its place among those of the sentence.

An entity that comes from memory has no place in the sentence: its index is -1, and it is
neither first nor last, nor before or after anything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from anaphora.errors import EvaluationError
from anaphora.grammar.context import Context, EntityView
from anaphora.grammar.functions.registry import CURRENT, function


@function("entity", "ent_type", "tok_id", "#")
def ent_type(entity: EntityView = CURRENT) -> str:
    """The id of the entity's element."""
    return entity.element


@function("entity", "ent_text", "tok_txt")
def ent_text(entity: EntityView = CURRENT) -> str:
    """Its text as it was said."""
    return entity.text


@function("entity", "ent_groups", "tok_groups")
def ent_groups(entity: EntityView = CURRENT) -> Sequence[str]:
    """The groups of its element, in alphabetical order."""
    return tuple(sorted(entity.groups))


@function("entity", "ent_value", "tok_value")
def ent_value(entity: EntityView = CURRENT) -> str | None:
    """The name of the element's value that was found, or null."""
    return entity.value


@function("entity")
def tok_parent(entity: EntityView = CURRENT) -> str | None:
    """The id of its element's parent, or null."""
    return entity.ancestors[0] if entity.ancestors else None


@function("entity")
def tok_ancestors(entity: EntityView = CURRENT) -> Sequence[str]:
    """The ids of its element's parent, the parent's parent and so on."""
    return tuple(entity.ancestors)


@function("entity", "ent_this", "tok_this", reads_entity=True)
def ent_this(context: Context) -> EntityView:
    """The entity in question."""
    return _in_question(context)


@function("entity", "ent_count", "tok_count")
def ent_count(context: Context) -> int:
    """How many entities the sentence has."""
    return len(context.surroundings.entities)


@function("entity", "ent_all", "tok_all")
def ent_all(context: Context) -> Sequence[EntityView]:
    """The entities of the sentence, in their order."""
    return tuple(context.surroundings.entities)


@function("entity", "ent_index", "tok_index")
def ent_index(context: Context, entity: EntityView = CURRENT) -> int:
    """Its place among the entities of the sentence, from 0; -1 if it is not one of them."""
    return _index(context, entity)


@function("entity", "ent_is_first", "tok_is_first")
def ent_is_first(context: Context, entity: EntityView = CURRENT) -> bool:
    """Whether it is the first entity of the sentence."""
    return _index(context, entity) == 0


@function("entity", "ent_is_last", "tok_is_last")
def ent_is_last(context: Context, entity: EntityView = CURRENT) -> bool:
    """Whether it is the last entity of the sentence."""
    return 0 <= _index(context, entity) == len(context.surroundings.entities) - 1


@function("entity", "ent_is_before_type", "tok_is_before_id", reads_entity=True)
def ent_is_before_type(context: Context, element: str) -> bool:
    """Whether an entity of that element comes after it."""
    return any(other.element == element for other in _following(context))


@function("entity", "ent_is_after_type", "tok_is_after_id", reads_entity=True)
def ent_is_after_type(context: Context, element: str) -> bool:
    """Whether an entity of that element comes before it."""
    return any(other.element == element for other in _preceding(context))


@function("entity", "ent_is_before_group", "tok_is_before_group", reads_entity=True)
def ent_is_before_group(context: Context, group: str) -> bool:
    """Whether an entity of that group comes after it."""
    return any(group in other.groups for other in _following(context))


@function("entity", "ent_is_after_group", "tok_is_after_group", reads_entity=True)
def ent_is_after_group(context: Context, group: str) -> bool:
    """Whether an entity of that group comes before it."""
    return any(group in other.groups for other in _preceding(context))


def _in_question(context: Context) -> EntityView:
    if context.entity is None:
        raise EvaluationError("there is no entity in question")
    return context.entity


def _index(context: Context, entity: EntityView | None) -> int:
    """By identity: a remembered entity can equal one of the sentence and is still another."""
    if entity is None:
        raise EvaluationError("there is no entity in question")
    entities = context.surroundings.entities
    return next((at for at, other in enumerate(entities) if other is entity), -1)


def _following(context: Context) -> Sequence[EntityView]:
    return _beside(context, lambda entities, at: entities[at + 1 :])


def _preceding(context: Context) -> Sequence[EntityView]:
    return _beside(context, lambda entities, at: entities[:at])


def _beside(
    context: Context, part: Callable[[Sequence[EntityView], int], Sequence[EntityView]]
) -> Sequence[EntityView]:
    at = _index(context, _in_question(context))
    return () if at < 0 else part(context.surroundings.entities, at)
