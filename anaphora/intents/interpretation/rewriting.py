"""Rewrite a parsed question: the entities that its cues stand for, and those that it negates."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from msgspec.structs import replace

from anaphora.core.utterance import Entity, Utterance, Variant
from anaphora.intents.solver import ParsedQuestion

__all__ = [
    "add_entities",
    "change_entities",
    "find_affirmed",
    "find_negated_entities",
    "remove_referred",
    "stand_in",
]


def stand_in(entity: Entity, tokens: Collection[int], utterance: Utterance) -> Entity:
    """Return ``entity`` as if these tokens of the utterance had said it."""
    indexes = tuple(sorted(tokens))
    start = end = 0
    if indexes:
        start, end = utterance.tokens[indexes[0]].start, utterance.tokens[indexes[-1]].end
    return replace(entity, tokens=indexes, start=start, end=end, negated=False)


def change_entities(
    question: ParsedQuestion, change: Callable[[Sequence[Entity]], Sequence[Entity]]
) -> ParsedQuestion:
    """Return the question with the entities of each variant changed."""
    variants = []
    everything = list(question.utterance.entities)
    for variant in question.variants:
        entities = tuple(change(variant.entities))
        if entities == variant.entities:
            variants.append(variant)
            continue
        gone = [one for one in variant.entities if not _contains(entities, one)]
        new = [one for one in entities if not _contains(variant.entities, one)]
        everything = [one for one in everything if not _contains(gone, one)]
        everything += [one for one in new if one not in everything]
        variants.append(replace(variant, entities=entities))
    utterance = replace(question.utterance, entities=tuple(everything))
    fallback = question.fallback and change_entities(question.fallback, change)
    return replace(question, utterance=utterance, variants=tuple(variants), fallback=fallback)


def add_entities(question: ParsedQuestion, entities: Sequence[Entity]) -> ParsedQuestion:
    """Return the question as if it had also said these entities, before its own."""
    return change_entities(question, lambda own: (*entities, *own)) if entities else question


def find_affirmed(question: ParsedQuestion) -> tuple[Entity, ...]:
    """The entities of the best reading that it does not negate."""
    variants = question.variants or (Variant(()),)
    return tuple([one for one in variants[0].entities if not one.negated])


def find_negated_entities(question: ParsedQuestion) -> tuple[Entity, ...]:
    """The entities of the best reading that it negates."""
    return tuple([one for one in question.variants[0].entities if one.negated])


def remove_referred(question: ParsedQuestion) -> ParsedQuestion:
    """Return the question without the entities that its reference words stand for."""
    referred = question.referred
    without = change_entities(question, lambda own: [one for one in own if one not in referred])
    return replace(without, referred=())


def _contains(entities: Iterable[Entity], entity: Entity) -> bool:
    return any(one is entity for one in entities)
