"""Raise or lower a value: "a bit less", "louder", "warmer"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import copysign
from typing import Any

from anaphora.core.utterance import Entity, SentenceReading, Utterance, Variant
from anaphora.intents.decision.sentences.completion import (
    Completion,
    build_candidates,
    fill_combination,
)
from anaphora.intents.decision.sentences.sentence_intents import SentenceIntents
from anaphora.intents.decision.sentences.slots import (
    NAME,
    PLACES,
    QUALITIES,
    TARGETS,
    build_entity,
    find_combination,
    find_devices,
    find_last_domains,
    find_last_used,
    is_allowed,
    last_command_meta,
    remembered_by_slot,
)
from anaphora.models.hassil.elements import AMOUNT, LESS, MORE, QUALITY
from anaphora.models.hassil.inverse_intents import TIMER_INTENTS
from anaphora.stm.conversation import Conversation, RememberedEntity

__all__ = [
    "complete_step",
    "direct_response",
    "find_amount",
    "find_quality",
    "find_sense",
    "find_set_values",
    "names_no_quality",
    "reverse_direction",
    "step_here",
]

_DIRECTIONS = {1: "up", -1: "down"}
_OPPOSITES = {"up": "down", "down": "up"}
_SET = "set"
_FURTHER, _SENSE = "further", "sense"
_PERCENT_STEP, _STEP = 10, 1
_STEPS = {("HassLightSet", "temperature"): -500}  # kelvin: a warmer light has fewer


def complete_step(
    model: SentenceIntents,
    conversation: Conversation,
    sign: int,
    quality: str,
    amount: float | None = None,
) -> Completion | None:
    """A command with a value that is higher (``sign`` 1) or lower (-1) than the last one, by an
    ``amount`` or a little, or with such a direction, for the thing that was meant.

    ``quality`` is what is to change ("brightness"); with another word, it is the value that was set
    last, whatever it is. Without one the ``sign`` is that of a number. With ``further`` it changes
    as it did before: "quieter", "a bit more".
    """
    if not conversation.flow:
        return None
    is_timer = conversation.flow[-1].intent in TIMER_INTENTS
    if is_timer and (amount is not None or quality not in QUALITIES):
        return None  # "5 more" are minutes, "a bit more" does not say how many
    known = find_sense(model, conversation)
    sense = known if quality and quality not in QUALITIES else sign
    if quality == _FURTHER:
        sign = known or sign
    found = _step(model, conversation, sign, quality, amount)
    if found is None or not sense:
        return found
    return found._replace(meta={**found.meta, _SENSE: sense})


def step_here(
    model: SentenceIntents, conversation: Conversation, reading: SentenceReading, room: str
) -> Completion | None:
    """A command that raises or lowers a quality of the things in the ``room`` of the speaker:
    "louder" after a lamp, where a radio is. None if there are none."""
    sign = {MORE: 1, LESS: -1}.get(reading.intent, 0)
    if not (room and sign) or find_amount(reading) is not None:
        return None
    area = build_entity(model, PLACES[0], room)
    for said in _directions(model, QUALITIES.get(find_quality(reading), frozenset()), sign):
        for intent, domains in model.domains.items():
            combination = find_combination(model, intent, (said, area))
            if combination is not None and find_devices(model, {PLACES[0]: room}, domains):
                candidates = build_candidates(conversation, (said, area), ())
                return Completion(intent, Variant(()), candidates, combination.response)
    return None


def names_no_quality(
    model: SentenceIntents,
    utterance: Utterance,
    reading: SentenceReading,
    conversation: Conversation,
) -> bool:
    """Whether an utterance that is also a sentence of another kind of things says only that
    something is to be higher or lower."""
    return not _is_of_kind(model, reading.intent, conversation) and any(
        one.intent in (MORE, LESS) and find_quality(one) not in QUALITIES
        for one in utterance.sentences
        if one is not reading
    )


def find_sense(model: SentenceIntents, conversation: Conversation) -> int:
    """The sense in which the last command changed a value: 1 for more, -1 for less; 0 if it changed
    none."""
    known = last_command_meta(conversation).get(_SENSE)
    return known or _find_direction(model, conversation)


def _step(
    model: SentenceIntents,
    conversation: Conversation,
    sign: int,
    quality: str,
    amount: float | None,
) -> Completion | None:
    last, slots = conversation.flow[-1].intent, QUALITIES.get(quality)
    for held in find_last_used(conversation):
        if slots is None or held.entity.element in slots:
            changed = _change(model, last, held.entity, sign, amount)
            if changed is not None:
                return _repeat(model, conversation, last, changed)
    if slots is None and amount is None:
        found = (
            _repeat(model, conversation, intent, said)
            for said in _directions(model, model.directions, sign)
            for intent in model.combinations
            if _is_of_kind(model, intent, conversation)
        )
        return next((one for one in found if one is not None and len(one.candidates) > 1), None)
    if slots is None:
        return None
    earlier = _change_earlier(model, conversation, slots, sign, amount)
    earlier = earlier or _change_set(model, conversation, quality, sign, amount)
    return earlier or (_give_direction(model, conversation, slots, sign) if not amount else None)


def _is_of_kind(model: SentenceIntents, intent: str, conversation: Conversation) -> bool:
    """Whether an intent is for what was meant last: a named thing, or one of its kind; "higher"
    after a question for the temperature of a room is no volume there."""
    is_named = any(held.entity.element == NAME for held in find_last_used(conversation))
    wanted, last = model.domains.get(intent), find_last_domains(model, conversation)
    if is_named and not (wanted and last):
        return True
    if not wanted:
        return conversation.flow[-1].intent not in model.asking_intents
    return bool(wanted & last)


def _find_direction(model: SentenceIntents, conversation: Conversation) -> int:
    """The direction in which the last command changed a value: 1 or -1; 0 without one."""
    return _direction_of(model, (held.entity for held in find_last_used(conversation)))


def _direction_of(model: SentenceIntents, entities: Iterable[Entity]) -> int:
    """The direction that some entities of a command say: 1 or -1; 0 if they say none."""
    for entity in entities:
        if entity.element in model.directions:
            number = entity.meta.get("value")
            is_less = (
                number < 0
                if isinstance(number, int | float)
                else (entity.value_or_text == _DIRECTIONS[-1])
            )
            return -1 if is_less else 1
    return 0


def direct_response(model: SentenceIntents, completion: Completion) -> Completion:
    """The completion with the answer for its direction, if it has that for another one."""
    responses = model.directed_responses.get(completion.intent, {})
    if completion.response not in responses.values():
        return completion
    sign = _direction_of(model, (one.entity for one in completion.candidates))
    return completion._replace(response=responses.get(sign, completion.response))


def find_quality(reading: SentenceReading) -> str:
    """What the word of a sentence raises or lowers; '' if it may be anything."""
    return next((one.value_or_text for one in reading.entities if one.element == QUALITY), "")


def find_amount(reading: SentenceReading) -> float | None:
    """By how much a sentence raises or lowers a value; None if it does not say."""
    amounts = (one.meta.get("value") for one in reading.entities if one.element == AMOUNT)
    return next((one for one in amounts if isinstance(one, int | float)), None)


def reverse_direction(model: SentenceIntents, entity: Entity) -> Entity:
    """The entity with the opposite direction: down for up, -10 for 10."""
    number = entity.meta.get("value")
    if isinstance(number, int | float):
        return build_entity(model, entity.element, str(-number), {"value": -number})
    value = entity.value_or_text
    return build_entity(model, entity.element, _OPPOSITES.get(value, value))


def _directions(model: SentenceIntents, slots: frozenset[str], sign: int) -> Iterator[Entity]:
    for slot in sorted(slots & model.directions):
        yield build_entity(model, slot, _DIRECTIONS[sign])


def _change(
    model: SentenceIntents, intent: str, entity: Entity, sign: int, amount: float | None
) -> Entity | None:
    """The entity with a value that is higher or lower, by an amount or a little; None if it has no
    such value."""
    slot, value = entity.element, entity.meta.get("value")
    known = float(value) if isinstance(value, int | float) else None
    if slot in model.directions:
        size = known if amount is None else amount
        if size is None:
            return build_entity(model, slot, _DIRECTIONS[sign])
        changed = float(sign * abs(size))
        if amount is not None and not _is_possible(model, slot, changed):
            return None
    elif known is not None:
        default = _PERCENT_STEP if "%" in model.units.get(slot, ()) else _STEP
        step = _STEPS.get((intent, slot), default)
        sizes = range(int(abs(step)), 0, -1) if amount is None else (amount,)  # up to the limit
        values = (known + sign * copysign(size, step) for size in sizes)
        possible = next((one for one in values if _is_possible(model, slot, one)), None)
        if possible is None:
            return None
        changed = possible
    else:
        return None
    result = int(changed) if changed.is_integer() else changed
    return build_entity(model, slot, str(result), {"value": result})


def _is_possible(model: SentenceIntents, slot: str, value: float) -> bool:
    return any(value / (one.multiplier or 1) in one for one in model.ranges.get(slot, ()))


def _repeat(
    model: SentenceIntents, conversation: Conversation, intent: str, said: Entity
) -> Completion | None:
    """A command with what the last one used, except what ``said`` replaces."""
    held = [one for one in find_last_used(conversation) if one.entity.element != said.element]
    combination = find_combination(model, intent, [said, *(one.entity for one in held)])
    if combination is None:
        return None
    candidates = build_candidates(conversation, (said,), held)
    return Completion(intent, Variant(()), candidates, combination.response)


def _change_earlier(
    model: SentenceIntents,
    conversation: Conversation,
    slots: frozenset[str],
    sign: int,
    amount: float | None,
) -> Completion | None:
    """A command with a changed value that was set before the last question, for the same thing."""
    memory = remembered_by_slot(conversation, ())
    things = [memory[slot] for slot in (*TARGETS, *PLACES) if slot in memory]
    for slot in sorted(slots & memory.keys()):
        value = memory[slot]
        if any(one.question_number > value.question_number for one in things):
            continue  # it was the value of something else
        for step in reversed(conversation.flow):
            changed = _change(model, step.intent, value.entity, sign, amount)
            if changed is not None and (
                found := _fill(model, conversation, step.intent, changed, memory)
            ):
                return found
    return None


def _change_set(
    model: SentenceIntents,
    conversation: Conversation,
    quality: str,
    sign: int,
    amount: float | None,
) -> Completion | None:
    """A command with a changed value of what last had this quality: the lights, though the radio
    was meant since. None if what was meant last has the quality as well."""
    known = last_command_meta(conversation).get(_SET, {}).get(quality)
    if known is None or any(
        QUALITIES[quality] & one.slots
        and one.required - QUALITIES[quality] <= used.keys() <= one.slots
        and is_allowed(model, one, used.values())
        for used in [{held.entity.element: held.entity for held in find_last_used(conversation)}]
        for intent in model.combinations
        for one in model.combinations[intent]
    ):
        return None
    intent, values = known
    entities = [
        build_entity(model, slot, value, {} if number is None else {"value": number})
        for slot, (value, number) in values.items()
    ]
    for entity in entities:
        if entity.element in QUALITIES[quality]:
            changed = _change(model, intent, entity, sign, amount)
            said = [changed if one is entity else one for one in entities]
            combination = find_combination(model, intent, [one for one in said if one])
            if changed is not None and combination is not None:
                candidates = build_candidates(conversation, [one for one in said if one], ())
                return Completion(intent, Variant(()), candidates, combination.response)
    return None


def find_set_values(
    conversation: Conversation, intent: str, entities: Sequence[Entity]
) -> Mapping[str, Any]:
    """The last command about each quality, as metadata of a command that has these ``entities``."""
    known = dict(last_command_meta(conversation).get(_SET, {}))
    for quality, slots in QUALITIES.items():
        if any(one.element in slots for one in entities):
            values = {one.element: [one.value_or_text, one.meta.get("value")] for one in entities}
            known[quality] = [intent, values]
    return {_SET: known} if known else {}


def _give_direction(
    model: SentenceIntents, conversation: Conversation, slots: frozenset[str], sign: int
) -> Completion | None:
    """A command that takes a direction, for the thing or the place that was meant."""
    for said in _directions(model, slots, sign):
        memory = remembered_by_slot(conversation, (said,))
        for intent in model.combinations:
            if found := _fill(model, conversation, intent, said, memory):
                return found
    return None


def _fill(
    model: SentenceIntents,
    conversation: Conversation,
    intent: str,
    said: Entity,
    memory: Mapping[str, RememberedEntity],
) -> Completion | None:
    """The combination that takes what is said, for the thing that was used last, else for the place
    that was."""
    best: tuple[tuple[int, bool], Completion] | None = None
    for one in model.combinations.get(intent, ()):
        filled = fill_combination(model, one, {said.element: said}, memory)
        if filled is None or not filled.memory:
            continue
        names = any(held.entity.element == NAME for held in filled.memory)
        rank = (-max(held.used_match for held in filled.memory), not names)
        if best is None or rank < best[0]:
            candidates = build_candidates(conversation, filled.sentence, filled.memory)
            best = rank, Completion(intent, Variant(()), candidates, one.response)
    return best[1] if best else None
