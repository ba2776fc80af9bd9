"""Functions on the entities of the sentence and their order.

An entity from memory has no position in the sentence: its index is -1, and it is neither first
nor last, nor before or after another one. In a synonym, which is matched before a variant of the
sentence is chosen, the entities are those found so far that do not overlap the one under test.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from anaphora.core.utterance import Entity
from anaphora.grammar.context import EntityContext
from anaphora.grammar.functions.entity.properties import current_entity
from anaphora.grammar.functions.registry import CURRENT_ENTITY, Function, function

_Test: TypeAlias = Callable[[Entity, str], bool]

# By the name of the parameter that is compared.
_TESTS: Mapping[str, _Test] = {
    "element": lambda entity, element: entity.element == element,
    "group": lambda entity, group: group in entity.groups,
    "parent": lambda entity, parent: entity.ancestors[:1] == (parent,),
}
_DESCRIPTIONS = {
    "element": "an entity of that element",
    "group": "an entity of that group",
    "parent": "an entity whose element has that parent",
}


def _filter_entities(entities: Sequence[Entity], test: _Test, name: str) -> Sequence[Entity]:
    return tuple(entity for entity in entities if test(entity, name))


def _index(context: EntityContext, entity: Entity | None) -> int:
    """The index by identity: an entity from memory may equal one of the sentence."""
    entities = context.question.entities
    if entity is None:
        entity = current_entity(context)
    return next((at for at, other in enumerate(entities) if other is entity), -1)


def _following(context: EntityContext) -> Sequence[Entity]:
    at = _index(context, current_entity(context))
    return () if at < 0 else context.question.entities[at + 1 :]


def _preceding(context: EntityContext) -> Sequence[Entity]:
    at = _index(context, current_entity(context))
    return () if at < 0 else context.question.entities[:at]


def _declare_all_for(names: str, compared: str, which: str, example: str) -> Function:
    test = _TESTS[compared]

    @function(
        "entity", *names.split(), examples=(example,), doc=f"The entities of the sentence {which}."
    )
    def select(context: EntityContext, name: str) -> Sequence[Entity]:
        return _filter_entities(context.question.entities, test, name)

    return _rename_parameter(select, compared)


def _declare_beside(names: str, compared: str, side: str, example: str) -> Function:
    """``side`` is where the other entity stands: before or after the entity under test."""
    test, neighbours = _TESTS[compared], _preceding if side == "before" else _following
    doc = f"Whether {_DESCRIPTIONS[compared]} comes {side} it."

    @function("entity", *names.split(), reads_entity=True, examples=(example,), doc=doc)
    def is_beside(context: EntityContext, name: str) -> bool:
        return bool(_filter_entities(neighbours(context), test, name))

    return _rename_parameter(is_beside, compared)


def _declare_between(names: str, compared: str, first: str, example: str) -> Function:
    test = _TESTS[compared]
    doc = f"Whether {first} comes before it, and one of the other after it."

    @function("entity", *names.split(), reads_entity=True, examples=(example,), doc=doc)
    def is_between(context: EntityContext, before: str, after: str) -> bool:
        preceding, following = _preceding(context), _following(context)
        return bool(
            _filter_entities(preceding, test, before) and _filter_entities(following, test, after)
        )

    return is_between


def _rename_parameter(declared: Function, name: str) -> Function:
    (parameter,) = declared.parameters
    return replace(declared, parameters=(replace(parameter, name=name),))


@function("entity", "ent_count", "tok_count", examples=("ent_count == 3",))
def ent_count(context: EntityContext) -> int:
    """The number of entities in the sentence."""
    return len(context.question.entities)


@function("entity", "ent_all", "tok_all", examples=("#(first(ent_all)) == 'flight'",))
def ent_all(context: EntityContext) -> Sequence[Entity]:
    """The entities of the sentence, in order."""
    return tuple(context.question.entities)


# fmt: off
selecting_functions = (
    _declare_all_for("ent_all_for_type tok_all_for_id", "element", "that belong to the element",
                     "ent_text(first(ent_all_for_type('date'))) == 'tomorrow morning'"),
    _declare_all_for("ent_all_for_group tok_all_for_group", "group", "that are in the group",
                     "size(ent_all_for_group('place')) == 1"),
    _declare_all_for("ent_all_for_parent tok_all_for_parent", "parent",
                     "whose element has the parent with that id",
                     "is_empty(tok_all_for_parent('location'))"),
)
# fmt: on


@function("entity", "ent_index", "tok_index", examples=("ent_index == 1",))
def ent_index(context: EntityContext, entity: Entity = CURRENT_ENTITY) -> int:
    """Its index among the entities of the sentence, from 0; -1 if it is not one of them."""
    return _index(context, entity)


@function("entity", "ent_is_first", "tok_is_first", examples=("ent_is_first(first(ent_all))",))
def ent_is_first(context: EntityContext, entity: Entity = CURRENT_ENTITY) -> bool:
    """Whether it is the first entity of the sentence."""
    return _index(context, entity) == 0


@function("entity", "ent_is_last", "tok_is_last", examples=("!ent_is_last",))
def ent_is_last(context: EntityContext, entity: Entity = CURRENT_ENTITY) -> bool:
    """Whether it is the last entity of the sentence."""
    return 0 <= _index(context, entity) == len(context.question.entities) - 1


# fmt: off
ordering_functions = (
    _declare_beside("ent_is_before_type tok_is_before_id", "element", "after",
                    "ent_is_before_type('date')"),
    _declare_beside("ent_is_after_type tok_is_after_id", "element", "before",
                    "ent_is_after_type('flight')"),
    _declare_beside("ent_is_before_group tok_is_before_group", "group", "after",
                    "ent_is_before_group('time')"),
    _declare_beside("ent_is_after_group tok_is_after_group", "group", "before",
                    "!ent_is_after_group('time')"),
    _declare_beside("ent_is_before_parent tok_is_before_parent", "parent", "after",
                    "!tok_is_before_parent('settlement')"),
    _declare_beside("ent_is_after_parent tok_is_after_parent", "parent", "before",
                    "!tok_is_after_parent('settlement')"),
    _declare_between("ent_is_between_types tok_is_between_ids", "element",
                     "an entity of the one element", "ent_is_between_types('flight', 'date')"),
    _declare_between("ent_is_between_groups tok_is_between_groups", "group",
                     "an entity of the one group", "!ent_is_between_groups('time', 'travel')"),
    _declare_between("ent_is_between_parents tok_is_between_parents", "parent",
                     "a child of the one element",
                     "!tok_is_between_parents('settlement', 'settlement')"),
)
# fmt: on
