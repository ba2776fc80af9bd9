"""Find elements that no intent can use, for ``anaphora check --strict``."""

from __future__ import annotations

from collections.abc import Iterator

from anaphora.grammar.idl.intent import EntitySelector, Predicate
from anaphora.models.composition import find_parts, iter_selectors
from anaphora.models.domain import Element, Model
from anaphora.models.schema.builtin_entities import NLPCRAFT_ENTITIES

__all__ = ["find_unreachable_elements"]

_REFERRING_ENTITIES = frozenset(
    {"limit", "sort", "relation"}
)  # built-in entities that refer to others


def find_unreachable_elements(model: Model) -> tuple[str, ...]:
    """The ids of the elements that neither an intent nor another element uses; none if uncertain.

    An element also has an effect if an intent or a limit forbids unused entities, if it changes
    the topic or replaces remembered entities of its groups, as a parent, if it counts others, and
    if offers may be told apart by it ("the cheaper one").
    """
    used = _find_used_selectors(model)
    if used is None:
        return ()
    parents = {element.ancestors[0] for element in model.elements if element.ancestors}
    counting = {element.counts for element in model.elements}
    offered = _find_offered(model)
    return tuple(
        element.id
        for element in model.elements
        if used.isdisjoint(iter_selectors(element))
        and not element.topic
        and element.id not in parents | counting | offered
        and not any(
            other is not element and element.groups <= other.groups for other in model.elements
        )
    )


def _find_offered(model: Model) -> set[str]:
    """The elements that offers may carry: those that the model names and, where handlers answer,
    which may offer anything, all built-in ones."""
    named = {name for bundles in model.offers.values() for one in bundles for name in one.entities}
    if model.dialog_acts is None or not model.handlers:
        return named
    return named | {
        element.id
        for element in model.elements
        if element.recognition is not None and element.recognition.kind == "built-in"
    }


def _find_used_selectors(model: Model) -> set[EntitySelector] | None:
    """The selectors that intents, parts and recognizers use; None if they may use any."""
    limits = model.limits
    if not model.intents or limits.min_entities is not None or limits.max_entities is not None:
        return None
    for options in (intent.options for intent in model.intents):
        if not (options.unused_user_entities and options.unused_system_entities):
            return None
    keys = {key for intent in model.intents for key in intent.mentions}
    for predicate in _iter_predicates(model):
        if predicate.requires is None:
            return None
        keys |= predicate.requires
    for element in model.elements:
        referred = _find_references(element)
        if referred is None:
            return None
        keys |= referred
    return keys


def _iter_predicates(model: Model) -> Iterator[Predicate]:
    yield from (term.predicate for intent in model.intents for term in intent.terms)
    yield from (part.predicate for element in model.elements for part in find_parts(element))


def _find_references(element: Element) -> set[EntitySelector] | None:
    """The selectors that the recognizer of the element refers to; None if it may refer to any."""
    recognition = element.recognition
    if recognition is None or recognition.kind != "built-in":
        return set()
    wrapped = (
        NLPCRAFT_ENTITIES[recognition.name].base_entity
        if recognition.name in NLPCRAFT_ENTITIES
        else ""
    )
    if (wrapped or recognition.name) not in _REFERRING_ENTITIES:
        return set()
    names = recognition.options.get("of")
    if not names:
        return None
    return {(kind, name) for name in names for kind in ("element", "group")}
