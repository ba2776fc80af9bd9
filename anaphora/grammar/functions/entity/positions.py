"""Functions on the entities of the sentence, and on the place of one among them.

An entity that comes from memory has no place in the sentence: its index is -1, and it is
neither first nor last, nor before or after anything. A predicate in a synonym speaks of
entities for which no sentence has been chosen yet, so none of these can be evaluated there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from anaphora.errors import EvaluationError
from anaphora.grammar.context import EntityContext, EntityView
from anaphora.grammar.functions.entity.properties import current_entity
from anaphora.grammar.functions.registry import CURRENT_ENTITY, function

_Test: TypeAlias = Callable[[EntityView, str], bool]


@function("entity", "ent_count", "tok_count", examples=("ent_count == 3",))
def ent_count(context: EntityContext) -> int:
    """How many entities the sentence has."""
    return len(_entities_of_sentence(context))


@function("entity", "ent_all", "tok_all", examples=("#(first(ent_all)) == 'flight'",))
def ent_all(context: EntityContext) -> Sequence[EntityView]:
    """The entities of the sentence, in their order."""
    return tuple(_entities_of_sentence(context))


@function(
    "entity",
    "ent_all_for_type",
    "tok_all_for_id",
    examples=("ent_text(first(ent_all_for_type('date'))) == 'tomorrow morning'",),
)
def ent_all_for_type(context: EntityContext, element: str) -> Sequence[EntityView]:
    """The entities of the sentence that are of the element."""
    return _filter_entities(_entities_of_sentence(context), _is_of_type, element)


@function(
    "entity",
    "ent_all_for_group",
    "tok_all_for_group",
    examples=("size(ent_all_for_group('place')) == 1",),
)
def ent_all_for_group(context: EntityContext, group: str) -> Sequence[EntityView]:
    """The entities of the sentence that are in the group."""
    return _filter_entities(_entities_of_sentence(context), _is_in_group, group)


@function(
    "entity",
    "ent_all_for_parent",
    "tok_all_for_parent",
    examples=("is_empty(tok_all_for_parent('location'))",),
)
def ent_all_for_parent(context: EntityContext, parent: str) -> Sequence[EntityView]:
    """The entities of the sentence whose element's parent is the one of that id."""
    return _filter_entities(_entities_of_sentence(context), _is_child, parent)


@function("entity", "ent_index", "tok_index", examples=("ent_index == 1",))
def ent_index(context: EntityContext, entity: EntityView = CURRENT_ENTITY) -> int:
    """Its place among the entities of the sentence, from 0; -1 if it is not one of them."""
    return _index(context, entity)


@function("entity", "ent_is_first", "tok_is_first", examples=("ent_is_first(first(ent_all))",))
def ent_is_first(context: EntityContext, entity: EntityView = CURRENT_ENTITY) -> bool:
    """Whether it is the first entity of the sentence."""
    return _index(context, entity) == 0


@function("entity", "ent_is_last", "tok_is_last", examples=("!ent_is_last",))
def ent_is_last(context: EntityContext, entity: EntityView = CURRENT_ENTITY) -> bool:
    """Whether it is the last entity of the sentence."""
    return 0 <= _index(context, entity) == len(_entities_of_sentence(context)) - 1


@function(
    "entity",
    "ent_is_before_type",
    "tok_is_before_id",
    reads_entity=True,
    examples=("ent_is_before_type('date')",),
)
def ent_is_before_type(context: EntityContext, element: str) -> bool:
    """Whether an entity of that element comes after it."""
    return bool(_filter_entities(_following(context), _is_of_type, element))


@function(
    "entity",
    "ent_is_after_type",
    "tok_is_after_id",
    reads_entity=True,
    examples=("ent_is_after_type('flight')",),
)
def ent_is_after_type(context: EntityContext, element: str) -> bool:
    """Whether an entity of that element comes before it."""
    return bool(_filter_entities(_preceding(context), _is_of_type, element))


@function(
    "entity",
    "ent_is_before_group",
    "tok_is_before_group",
    reads_entity=True,
    examples=("ent_is_before_group('time')",),
)
def ent_is_before_group(context: EntityContext, group: str) -> bool:
    """Whether an entity of that group comes after it."""
    return bool(_filter_entities(_following(context), _is_in_group, group))


@function(
    "entity",
    "ent_is_after_group",
    "tok_is_after_group",
    reads_entity=True,
    examples=("!ent_is_after_group('time')",),
)
def ent_is_after_group(context: EntityContext, group: str) -> bool:
    """Whether an entity of that group comes before it."""
    return bool(_filter_entities(_preceding(context), _is_in_group, group))


@function(
    "entity",
    "ent_is_before_parent",
    "tok_is_before_parent",
    reads_entity=True,
    examples=("!tok_is_before_parent('settlement')",),
)
def ent_is_before_parent(context: EntityContext, parent: str) -> bool:
    """Whether an entity whose element has that parent comes after it."""
    return bool(_filter_entities(_following(context), _is_child, parent))


@function(
    "entity",
    "ent_is_after_parent",
    "tok_is_after_parent",
    reads_entity=True,
    examples=("!tok_is_after_parent('settlement')",),
)
def ent_is_after_parent(context: EntityContext, parent: str) -> bool:
    """Whether an entity whose element has that parent comes before it."""
    return bool(_filter_entities(_preceding(context), _is_child, parent))


@function(
    "entity",
    "ent_is_between_types",
    "tok_is_between_ids",
    reads_entity=True,
    examples=("ent_is_between_types('flight', 'date')",),
)
def ent_is_between_types(context: EntityContext, before: str, after: str) -> bool:
    """Whether an entity of the one element comes before it, and one of the other after it."""
    return _is_between(context, _is_of_type, before, after)


@function(
    "entity",
    "ent_is_between_groups",
    "tok_is_between_groups",
    reads_entity=True,
    examples=("!ent_is_between_groups('time', 'travel')",),
)
def ent_is_between_groups(context: EntityContext, before: str, after: str) -> bool:
    """Whether an entity of the one group comes before it, and one of the other after it."""
    return _is_between(context, _is_in_group, before, after)


@function(
    "entity",
    "ent_is_between_parents",
    "tok_is_between_parents",
    reads_entity=True,
    examples=("!tok_is_between_parents('settlement', 'settlement')",),
)
def ent_is_between_parents(context: EntityContext, before: str, after: str) -> bool:
    """Whether a child of the one element comes before it, and one of the other after it."""
    return _is_between(context, _is_child, before, after)


def _is_of_type(entity: EntityView, element: str) -> bool:
    return entity.element == element


def _is_in_group(entity: EntityView, group: str) -> bool:
    return group in entity.groups


def _is_child(entity: EntityView, parent: str) -> bool:
    return entity.ancestors[:1] == (parent,)


def _filter_entities(
    entities: Sequence[EntityView], test: _Test, name: str
) -> Sequence[EntityView]:
    return tuple(entity for entity in entities if test(entity, name))


def _is_between(context: EntityContext, test: _Test, before: str, after: str) -> bool:
    preceding, following = _preceding(context), _following(context)
    return bool(
        _filter_entities(preceding, test, before) and _filter_entities(following, test, after)
    )


def _entities_of_sentence(context: EntityContext) -> Sequence[EntityView]:
    entities = context.question.entities
    if entities is None:
        raise EvaluationError("there is no sentence yet around an entity that a synonym asks for")
    return entities


def _index(context: EntityContext, entity: EntityView | None) -> int:
    """By identity: a remembered entity can equal one of the sentence and is still another."""
    entities = _entities_of_sentence(context)
    if entity is None:
        entity = current_entity(context)
    return next((at for at, other in enumerate(entities) if other is entity), -1)


def _following(context: EntityContext) -> Sequence[EntityView]:
    at = _index(context, current_entity(context))
    return () if at < 0 else _entities_of_sentence(context)[at + 1 :]


def _preceding(context: EntityContext) -> Sequence[EntityView]:
    at = _index(context, current_entity(context))
    return () if at < 0 else _entities_of_sentence(context)[:at]
