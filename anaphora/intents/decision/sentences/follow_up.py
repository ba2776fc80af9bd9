"""Complete what is no whole sentence by what was said before.

"Turn on the lights in the kitchen" is a whole sentence: an intent, an area and a domain. "And in
the bedroom?" names one slot; the others come from the memory, if together they are a combination
that the sentences of some intent have. The intent is the last one, or an earlier one if the last
one has no such slots; a value ("20 percent") may lead to any intent that takes it from what is
remembered.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

from msgspec.structs import replace

from anaphora.core.utterance import Entity, SentenceReading, Utterance, Variant
from anaphora.intents.decision.sentences.sentence_intents import SentenceIntents
from anaphora.intents.match import Candidate
from anaphora.models.hassil.combinations import Combination
from anaphora.stm.conversation import Conversation, RememberedEntity
from anaphora.stm.rules import split_visible

__all__ = [
    "Completion",
    "complete_fragment",
    "complete_reading",
    "is_allowed",
    "remembered_by_slot",
]

_TARGETS = ("name", "domain", "device_class")
_PLACES = ("area", "floor")
_NUMBER = "number"
_MAX_VARIANTS = 4
_MAX_WILDCARD_WORDS = 6


class Completion(NamedTuple):
    """An intent with the candidates that fill its slots, in any order."""

    intent: str
    variant: Variant
    candidates: tuple[Candidate, ...]
    response: str


def complete_fragment(
    model: SentenceIntents,
    utterance: Utterance,
    variants: Sequence[Variant],
    conversation: Conversation,
) -> Completion | None:
    """The best completion of an utterance that is no whole sentence; None if there is none."""
    if any(index > 0 for index in utterance.qualifiers):
        return None  # "there are no lights" asks for nothing
    best: tuple[tuple[object, ...], Completion] | None = None
    for place, variant in enumerate(variants[:_MAX_VARIANTS]):
        if _has_too_many_other_words(utterance, variant):
            continue
        for said in _readings(model, utterance, variant):
            for key, completion in _completions(model, said, variant, conversation):
                if best is None or (*key, place) < best[0]:
                    best = ((*key, place), completion)
    if best is not None:
        return best[1]
    return _complete_wildcard(model, utterance, conversation)


def _complete_wildcard(
    model: SentenceIntents, utterance: Utterance, conversation: Conversation
) -> Completion | None:
    """Complete "and eggs" after "add milk to the list": any words may fill a slot that any words
    filled in the last question."""
    text = utterance.text
    first, _, rest = text.strip().partition(" ")
    rest = rest.strip().rstrip(".!?…")
    if first.lower() not in model.joiners or not rest or len(rest.split()) > _MAX_WILDCARD_WORDS:
        return None
    if not conversation.flow or utterance.entities:
        return None
    last = [held for held in conversation.remembered if held.used_match == conversation.matches]
    for held in last:
        slot = held.entity.element
        if slot not in model.wildcards:
            continue
        start = text.index(rest)
        said = Entity(
            element=slot,
            groups=held.entity.groups,
            text=rest,
            start=start,
            end=start + len(rest),
            value=rest,
        )
        memory = {one.entity.element: one for one in last if one.entity.element != slot}
        for combination in model.combinations.get(conversation.flow[-1].intent, ()):
            filled = _fill(model, combination, {slot: said}, memory)
            if filled is not None:
                candidates = _candidates(filled, conversation)
                return Completion(combination.intent, Variant(()), candidates, combination.response)
    return None


def complete_reading(
    model: SentenceIntents, reading: SentenceReading, conversation: Conversation
) -> Completion | None:
    """The best completion of a sentence that leaves slots to the context: by what was used last.
    None if nothing that is remembered completes it."""
    said = reading.entities
    memory = remembered_by_slot(conversation, said)
    slots = {entity.element: entity for entity in said}
    best: tuple[tuple[int, ...], Completion] | None = None
    for combination in model.combinations.get(reading.intent, ()):
        filled = _fill(model, combination, slots, memory)
        if filled is None or not filled.memory:
            continue
        rank = (-max(held.used_match for held in filled.memory), len(filled.memory))
        if best is None or rank < best[0]:
            candidates = _candidates(filled, conversation)
            completion = Completion(reading.intent, Variant(()), candidates, combination.response)
            best = rank, completion
    return best[1] if best else None


def remembered_by_slot(
    conversation: Conversation, said: Sequence[Entity]
) -> dict[str, RememberedEntity]:
    """What is remembered and not replaced by what is ``said``, the newest of each slot."""
    visible, _ = split_visible(conversation, said)
    found: dict[str, RememberedEntity] = {}
    for held in visible:
        found.setdefault(held.entity.element, held)
    return found


def is_allowed(
    model: SentenceIntents,
    accepts: Mapping[str, tuple[Any, ...] | None],
    entities: Iterable[Entity],
) -> bool:
    """Whether entities satisfy what a sentence requires of the context: the domain of a device."""
    context: dict[str, Any] = {}
    for entity in entities:
        if entity.element == "name":
            known = model.devices.get(entity.value_or_text, entity.meta.get("context", {}))
            context = {**known, **context}
        else:
            context[entity.element] = entity.value_or_text
    return all(context.get(key) in values for key, values in accepts.items() if values is not None)


def _has_too_many_other_words(utterance: Utterance, variant: Variant) -> bool:
    """Whether most of an utterance is about something else."""
    covered = {index for entity in variant.entities for index in entity.tokens}
    others = [index for index in utterance.content_words if index not in covered]
    return not covered or len(others) > max(1, len(covered))


def _readings(
    model: SentenceIntents, utterance: Utterance, variant: Variant
) -> Iterator[tuple[Entity, ...]]:
    """The entities of a variant, with a slot for each number."""
    options: list[list[Entity]] = []
    for entity in variant.entities:
        if entity.element == _NUMBER:
            found = list(_number_slots(model, utterance, entity))
            if found:
                options.append(found)
        elif entity.element in model.groups:
            options.append([entity])
    if options:
        yield from product(*options)


def _number_slots(model: SentenceIntents, utterance: Utterance, entity: Entity) -> Iterator[Entity]:
    """The slots that a number may fill: those whose unit it has, or all if it has none."""
    number = entity.meta.get("value")
    if not isinstance(number, int | float):
        return
    words = {
        *entity.text.lower().replace("%", " %").split(),
        *utterance.text[entity.end :].lower().split()[:1],
    }
    fitting = [
        slot for slot, ranges in model.ranges.items() if any(number in one for one in ranges)
    ]
    by_unit = [slot for slot in fitting if not words.isdisjoint(model.units.get(slot, ()))]
    for slot in by_unit or fitting:
        factors = {one.multiplier or 1 for one in model.ranges[slot] if number in one}
        for factor in sorted(factors, reverse=True):
            value = number * factor
            if isinstance(value, float) and value.is_integer():
                value = int(value)
            groups, meta = model.group_of(slot), {"value": value}
            yield replace(entity, element=slot, groups=groups, value=str(value), meta=meta)


def _completions(
    model: SentenceIntents, said: tuple[Entity, ...], variant: Variant, conversation: Conversation
) -> Iterator[tuple[tuple[object, ...], Completion]]:
    """The combinations that ``said`` completes, each with its rank (the smallest is the best)."""
    memory = remembered_by_slot(conversation, said)
    slots = {entity.element: entity for entity in said}
    if len(slots) < len(said):
        return
    order = _intent_order(conversation)
    names_value = any(slot not in _TARGETS and slot not in _PLACES for slot in slots)
    for intent, combinations in model.combinations.items():
        recent = order.get(intent)
        if recent is None and not names_value:
            continue
        for combination in combinations:
            filled = _fill(model, combination, slots, memory)
            if filled is None or not (filled.memory or recent is not None):
                continue
            used = {held.entity.element for held in filled.memory}
            unused = [slot for slot in (*_TARGETS, *_PLACES) if slot in memory and slot not in used]
            candidates = _candidates(filled, conversation)
            rank = (
                len(order) if recent is None else recent,
                len(unused),
                _changes_value(slots, conversation),
                sum(one.distance for one in candidates),
                model.intents[intent][0],
            )
            yield rank, Completion(intent, variant, candidates, combination.response)


def _intent_order(conversation: Conversation) -> dict[str, int]:
    """The intents of the dialog flow, the last one first."""
    order: dict[str, int] = {}
    for step in reversed(conversation.flow):
        order.setdefault(step.intent, len(order))
    return order


def _candidates(filled: _Filling, conversation: Conversation) -> tuple[Candidate, ...]:
    number = conversation.questions + 1
    return (
        *map(Candidate, filled.sentence),
        *(
            Candidate(held.entity, remembered=held, distance=number - held.question_number)
            for held in filled.memory
        ),
    )


def _changes_value(slots: Mapping[str, Entity], conversation: Conversation) -> int:
    """How far a value is from the one that it replaces: 0 for another value of the same slot in the
    same direction, 1 in another direction (up, then down), 2 for another slot."""
    remembered = {held.entity.element: held.entity for held in reversed(conversation.remembered)}
    distance = 0
    for slot, said in slots.items():
        if slot in _TARGETS or slot in _PLACES:
            continue
        known = remembered.get(slot)
        if known is None:
            distance = max(distance, 2)
            continue
        old, new = known.meta.get("value"), said.meta.get("value")
        if isinstance(old, int | float) and isinstance(new, int | float) and old * new < 0:
            distance = max(distance, 1)
    return distance


class _Filling(NamedTuple):
    sentence: tuple[Entity, ...]
    memory: tuple[RememberedEntity, ...]


def _fill(
    model: SentenceIntents,
    combination: Combination,
    slots: Mapping[str, Entity],
    memory: Mapping[str, RememberedEntity],
) -> _Filling | None:
    """Fill a combination with what is said and what is remembered; None if that is impossible."""
    if not slots.keys() <= combination.slots:
        return None
    taken: dict[str, RememberedEntity] = {}
    for slot in combination.required - slots.keys():
        if slot not in memory:
            return None
        taken[slot] = memory[slot]
    added = []
    for slot, value in combination.fixed.items():
        known = slots.get(slot) or (memory[slot].entity if slot in memory else None)
        if known is None:
            if slot in _TARGETS:
                return None  # nothing says that this is meant
            added.append(_fixed(model, slot, value))
        elif known.value_or_text != str(value):
            return None
        elif slot not in slots:
            taken[slot] = memory[slot]
    sentence = (*slots.values(), *added)
    entities = [*sentence, *(held.entity for held in taken.values())]
    accepts = {key: rule.values for key, rule in combination.requires.items()}
    if not is_allowed(model, accepts, entities):
        return None
    return _Filling(sentence, tuple(taken.values()))


def _fixed(model: SentenceIntents, slot: str, value: Any) -> Entity:
    """The entity of a slot that a sentence fixes."""
    return Entity(element=slot, groups=model.group_of(slot), text=str(value), value=str(value))
