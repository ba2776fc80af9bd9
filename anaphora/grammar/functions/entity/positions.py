"""Functions on the entities of the sentence and their order.

An entity from memory has no position in the sentence: its index is -1, and it is neither first
nor last, nor before or after another one. These functions are not available in synonyms, which
are matched before a variant of the sentence is chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from anaphora.errors import EvaluationError
from anaphora.grammar.context import EntityContext, EntityView
from anaphora.grammar.functions.entity.properties import current_entity
from anaphora.grammar.functions.registry import CURRENT_ENTITY, Function, function

_Test: TypeAlias = Callable[[EntityView, str], bool]
_Neighbours: TypeAlias = Callable[[EntityContext], Sequence[EntityView]]


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


def _entities_of_sentence(context: EntityContext) -> Sequence[EntityView]:
    entities = context.question.entities
    if entities is None:
        raise EvaluationError(
            "the entities of the sentence are not known while synonyms are matched"
        )
    return entities


def _index(context: EntityContext, entity: EntityView | None) -> int:
    """The index by identity: an entity from memory may equal one of the sentence."""
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


def _rename_parameter(declared: Function, name: str) -> Function:
    (parameter,) = declared.parameters
    return replace(declared, parameters=(replace(parameter, name=name),))


def _all_for(names: str, parameter: str, test: _Test, *, which: str, example: str) -> Function:
    @function("entity", *names.split(), examples=(example,), doc=f"The entities {which}.")
    def select(context: EntityContext, name: str) -> Sequence[EntityView]:
        return _filter_entities(_entities_of_sentence(context), test, name)

    return _rename_parameter(select, parameter)


def _is_beside(
    names: str, parameter: str, neighbours: _Neighbours, test: _Test, *, doc: str, example: str
) -> Function:
    @function("entity", *names.split(), reads_entity=True, examples=(example,), doc=doc)
    def is_beside(context: EntityContext, name: str) -> bool:
        return bool(_filter_entities(neighbours(context), test, name))

    return _rename_parameter(is_beside, parameter)


def _is_between(names: str, test: _Test, *, doc: str, example: str) -> Function:
    @function("entity", *names.split(), reads_entity=True, examples=(example,), doc=doc)
    def is_between(context: EntityContext, before: str, after: str) -> bool:
        preceding, following = _preceding(context), _following(context)
        return bool(
            _filter_entities(preceding, test, before) and _filter_entities(following, test, after)
        )

    return is_between


@function("entity", "ent_count", "tok_count", examples=("ent_count == 3",))
def ent_count(context: EntityContext) -> int:
    """The number of entities in the sentence."""
    return len(_entities_of_sentence(context))


@function("entity", "ent_all", "tok_all", examples=("#(first(ent_all)) == 'flight'",))
def ent_all(context: EntityContext) -> Sequence[EntityView]:
    """The entities of the sentence, in order."""
    return tuple(_entities_of_sentence(context))


ent_all_for_type = _all_for(
    "ent_all_for_type tok_all_for_id",
    "element",
    _is_of_type,
    which="of the sentence that belong to the element",
    example="ent_text(first(ent_all_for_type('date'))) == 'tomorrow morning'",
)
ent_all_for_group = _all_for(
    "ent_all_for_group tok_all_for_group",
    "group",
    _is_in_group,
    which="of the sentence that are in the group",
    example="size(ent_all_for_group('place')) == 1",
)
ent_all_for_parent = _all_for(
    "ent_all_for_parent tok_all_for_parent",
    "parent",
    _is_child,
    which="of the sentence whose element has the parent with that id",
    example="is_empty(tok_all_for_parent('location'))",
)


@function("entity", "ent_index", "tok_index", examples=("ent_index == 1",))
def ent_index(context: EntityContext, entity: EntityView = CURRENT_ENTITY) -> int:
    """Its index among the entities of the sentence, from 0; -1 if it is not one of them."""
    return _index(context, entity)


@function("entity", "ent_is_first", "tok_is_first", examples=("ent_is_first(first(ent_all))",))
def ent_is_first(context: EntityContext, entity: EntityView = CURRENT_ENTITY) -> bool:
    """Whether it is the first entity of the sentence."""
    return _index(context, entity) == 0


@function("entity", "ent_is_last", "tok_is_last", examples=("!ent_is_last",))
def ent_is_last(context: EntityContext, entity: EntityView = CURRENT_ENTITY) -> bool:
    """Whether it is the last entity of the sentence."""
    return 0 <= _index(context, entity) == len(_entities_of_sentence(context)) - 1


ent_is_before_type = _is_beside(
    "ent_is_before_type tok_is_before_id",
    "element",
    _following,
    _is_of_type,
    doc="Whether an entity of that element comes after it.",
    example="ent_is_before_type('date')",
)
ent_is_after_type = _is_beside(
    "ent_is_after_type tok_is_after_id",
    "element",
    _preceding,
    _is_of_type,
    doc="Whether an entity of that element comes before it.",
    example="ent_is_after_type('flight')",
)
ent_is_before_group = _is_beside(
    "ent_is_before_group tok_is_before_group",
    "group",
    _following,
    _is_in_group,
    doc="Whether an entity of that group comes after it.",
    example="ent_is_before_group('time')",
)
ent_is_after_group = _is_beside(
    "ent_is_after_group tok_is_after_group",
    "group",
    _preceding,
    _is_in_group,
    doc="Whether an entity of that group comes before it.",
    example="!ent_is_after_group('time')",
)
ent_is_before_parent = _is_beside(
    "ent_is_before_parent tok_is_before_parent",
    "parent",
    _following,
    _is_child,
    doc="Whether an entity whose element has that parent comes after it.",
    example="!tok_is_before_parent('settlement')",
)
ent_is_after_parent = _is_beside(
    "ent_is_after_parent tok_is_after_parent",
    "parent",
    _preceding,
    _is_child,
    doc="Whether an entity whose element has that parent comes before it.",
    example="!tok_is_after_parent('settlement')",
)
ent_is_between_types = _is_between(
    "ent_is_between_types tok_is_between_ids",
    _is_of_type,
    doc="Whether an entity of the one element comes before it, and one of the other after it.",
    example="ent_is_between_types('flight', 'date')",
)
ent_is_between_groups = _is_between(
    "ent_is_between_groups tok_is_between_groups",
    _is_in_group,
    doc="Whether an entity of the one group comes before it, and one of the other after it.",
    example="!ent_is_between_groups('time', 'travel')",
)
ent_is_between_parents = _is_between(
    "ent_is_between_parents tok_is_between_parents",
    _is_child,
    doc="Whether a child of the one element comes before it, and one of the other after it.",
    example="!tok_is_between_parents('settlement', 'settlement')",
)
