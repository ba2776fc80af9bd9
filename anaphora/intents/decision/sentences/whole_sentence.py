"""Complete a whole sentence by what it refers to, and by what it leaves to the context."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from anaphora.core.utterance import Entity, SentenceReading, Variant
from anaphora.entities.sentences.reader import TIMER
from anaphora.intents.decision.sentences.completion import (
    Completion,
    build_candidates,
    fill_combination,
)
from anaphora.intents.decision.sentences.fragments.timers import find_timer_name
from anaphora.intents.decision.sentences.sentence_intents import SentenceIntents
from anaphora.intents.decision.sentences.slots import (
    NAME,
    PLACES,
    TARGETS,
    build_entity,
    find_combination,
    find_last_used,
    property_of,
    remembered_by_slot,
)
from anaphora.models.hassil.inverse_intents import TIMER_INTENTS
from anaphora.stm.conversation import Conversation, RememberedEntity

__all__ = ["complete_missing", "complete_sentence"]


def complete_sentence(
    model: SentenceIntents, reading: SentenceReading, conversation: Conversation
) -> Completion | None:
    """The sentence with what it refers to and what it leaves to the context; None if that is not
    known."""
    held: Sequence[RememberedEntity] = ()
    response = reading.response
    if TIMER in reading.references:
        return _complete_timer(model, reading, conversation)
    if reading.references:
        held = _find_referents(model, reading, conversation)
        entities = [*reading.entities, *(one.entity for one in held)]
        if not _accepts(model, reading, entities):
            return None
        combination = find_combination(model, reading.intent, entities) if held else None
        if combination is None:
            return None
        response = combination.response
    elif reading.missing:
        return complete_missing(model, reading, conversation)
    candidates = build_candidates(conversation, reading.entities, held)
    return Completion(reading.intent, Variant(()), candidates, response)


def _accepts(model: SentenceIntents, reading: SentenceReading, entities: Sequence[Entity]) -> bool:
    """Whether what is meant has the domain that the sentence is for: a lock is unlocked by what
    turns on a light."""
    wanted = reading.accepts.get("domain")
    domains = {
        model.devices.get(one.value_or_text, {}).get("domain")
        if one.element == NAME
        else one.value_or_text
        for one in entities
        if one.element in (NAME, "domain")
    } - {None}
    return wanted is None or not domains or domains <= set(wanted)


def _complete_timer(
    model: SentenceIntents, reading: SentenceReading, conversation: Conversation
) -> Completion | None:
    """A sentence about the timer that the last command was about, with its name if it has one."""
    if not conversation.flow or conversation.flow[-1].intent not in TIMER_INTENTS:
        return None
    for held in (find_timer_name(model, conversation, reading.intent), []):
        entities = [*reading.entities, *(one.entity for one in held)]
        combination = find_combination(model, reading.intent, entities)
        if combination is not None:
            candidates = build_candidates(conversation, reading.entities, held)
            return Completion(reading.intent, Variant(()), candidates, combination.response)
    return None


def _find_referents(
    model: SentenceIntents, reading: SentenceReading, conversation: Conversation
) -> list[RememberedEntity]:
    """What a sentence refers to, and what it leaves to the context; empty if it is not known."""
    said = reading.entities
    memory = remembered_by_slot(conversation, said)
    wanted: dict[str, RememberedEntity] = {}
    if NAME in reading.references:
        targets = [
            memory[slot]
            for slot in sorted(TARGETS)
            if slot in memory and model.may_remember(reading.intent, memory[slot])
        ]
        if not targets:
            return []
        last = max(one.used_match for one in targets)
        wanted |= {one.entity.element: one for one in targets if one.used_match == last}
        names_place = any(entity.element in PLACES for entity in said)
        if NAME not in wanted and not names_place:  # the lights of the kitchen, not all lights
            around = (memory[slot] for slot in sorted(PLACES) if slot in memory)
            wanted |= {one.entity.element: one for one in around if one.used_match == last}
    if "area" in reading.references:
        places = [memory[slot] for slot in sorted(PLACES) if slot in memory]
        if not places:
            return []
        wanted[places[0].entity.element] = places[0]
    for slot in reading.missing:
        if slot not in memory:
            return []
        wanted[slot] = memory[slot]
    return list(wanted.values())


def complete_missing(
    model: SentenceIntents, reading: SentenceReading, conversation: Conversation
) -> Completion | None:
    """The best completion of a sentence that leaves slots to the context: by what was used last.
    None if nothing that is remembered completes it."""
    said = reading.entities
    memory = remembered_by_slot(conversation, said)
    if memory.keys().isdisjoint(PLACES):
        memory = {**memory, **_find_place(model, said, conversation)}
    slots = {entity.element: entity for entity in said}
    best: tuple[tuple[int, ...], Completion] | None = None
    for combination in model.combinations.get(reading.intent, ()):
        filled = fill_combination(model, combination, slots, memory)
        if filled is None or not filled.memory:
            continue
        rank = (-max(held.used_match for held in filled.memory), len(filled.memory))
        if best is None or rank < best[0]:
            candidates = build_candidates(conversation, filled.sentence, filled.memory)
            completion = Completion(reading.intent, Variant(()), candidates, combination.response)
            best = rank, completion
    return best[1] if best else None


def _find_place(
    model: SentenceIntents, said: Sequence[Entity], conversation: Conversation
) -> dict[str, RememberedEntity]:
    """The area of the device that was meant last, for a sentence about all things of its kind: "the
    BLINDS" after "the left blind"."""
    last = find_last_used(conversation)
    device = next((one for one in last if one.entity.element == NAME), None)
    name = device.entity.value_or_text if device is not None else ""
    kinds = [one.text.lower() for one in said if one.element in TARGETS and one.end]
    domain = next((one.value_or_text for one in said if one.element == "domain"), "")
    is_alike = property_of(model, name, "domain") == domain
    if device is None or name not in model.areas or not (kinds and is_alike):
        return {}
    return {PLACES[0]: replace(device, entity=build_entity(model, PLACES[0], model.areas[name]))}
