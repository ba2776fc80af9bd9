"""Fill the combinations of slots of an intent with what is said and what is remembered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from anaphora.core.utterance import Entity, Variant
from anaphora.intents.decision.sentences.sentence_intents import SentenceIntents
from anaphora.intents.decision.sentences.slots import NAME, PLACES, TARGETS, is_allowed
from anaphora.intents.match import Candidate
from anaphora.models.hassil.analysis.combinations import Combination
from anaphora.stm.conversation import Conversation, RememberedEntity

__all__ = ["Completion", "Filling", "build_candidates", "fill_combination"]


_FIXED = frozenset(("cover", "lock", "scene"))
"""The domains of what is in its place, whether the home knows that or not."""


class Completion(NamedTuple):
    """An intent with the candidates that fill its slots, in any order. ``meta`` is what else is to
    be remembered of the command. With a ``refusal``, the key of what the user is told about a
    ``thing``, it is not carried out."""

    intent: str
    variant: Variant
    candidates: tuple[Candidate, ...]
    response: str
    meta: Mapping[str, Any] = MappingProxyType({})
    refusal: str = ""
    thing: str = ""


class Filling(NamedTuple):
    """What fills a combination: from the ``sentence`` and from the ``memory``."""

    sentence: tuple[Entity, ...]
    memory: tuple[RememberedEntity, ...]


def build_candidates(
    conversation: Conversation, said: Iterable[Entity], held: Iterable[RememberedEntity]
) -> tuple[Candidate, ...]:
    """The candidates of what is ``said`` and of what the memory has ``held``."""
    number = conversation.questions + 1
    remembered = (
        Candidate(one.entity, remembered=one, distance=number - one.question_number) for one in held
    )
    return (*map(Candidate, said), *remembered)


def fill_combination(
    model: SentenceIntents,
    combination: Combination,
    slots: Mapping[str, Entity],
    memory: Mapping[str, RememberedEntity],
) -> Filling | None:
    """Fill a combination with the ``slots`` that are said and with the ``memory``; None if that is
    impossible."""
    if not slots.keys() <= combination.slots:
        return None
    taken: dict[str, RememberedEntity] = {}
    for slot in combination.required - slots.keys():
        if slot not in memory or not model.may_remember(combination.intent, memory[slot]):
            return None
        taken[slot] = memory[slot]
    if NAME in taken and not _may_be_there(model, taken[NAME], slots, taken):
        return None
    added = []
    for slot, value in combination.fixed.items():
        known = slots.get(slot) or (memory[slot].entity if slot in memory else None)
        if known is None and slot == "domain" and value == _domain_there(model, slots, memory):
            added.append(_build_fixed(model, slot, value))
        elif known is None:
            if slot in TARGETS:
                return None  # nothing says that this is meant
            added.append(_build_fixed(model, slot, value))
        elif known.value_or_text != str(value):
            return None
        elif slot not in slots:
            taken[slot] = memory[slot]
    sentence = (*slots.values(), *added)
    entities = [*sentence, *(held.entity for held in taken.values())]
    if not is_allowed(model, combination, entities):
        return None
    return Filling(sentence, tuple(taken.values()))


def _may_be_there(
    model: SentenceIntents,
    device: RememberedEntity,
    slots: Mapping[str, Entity],
    taken: Mapping[str, RememberedEntity],
) -> bool:
    """Whether a remembered device may be in the place that is said, or that is remembered with it:
    not if it is known to be elsewhere, or if the place is that of an earlier command."""
    area = model.areas.get(device.entity.value_or_text, "")
    known = {"area": area, "floor": model.floors.get(area, "")}
    domain = model.devices.get(device.entity.value_or_text, {}).get("domain")
    for slot in PLACES:
        held = taken.get(slot)
        if held is not None and held.used_match < device.used_match:
            return False
        place = slots.get(slot) or (held and held.entity)
        is_fixed = slot in slots and domain in _FIXED
        if place and (known[slot] or is_fixed) and place.value_or_text != known[slot]:
            return False
    return True


def _domain_there(
    model: SentenceIntents, slots: Mapping[str, Entity], memory: Mapping[str, RememberedEntity]
) -> Any:
    """The domain of the device that was used last, if another place is named: "and in the
    kitchen?" after a lamp asks for the lights there. None otherwise."""
    if NAME not in memory or slots.keys().isdisjoint(PLACES):
        return None
    return model.devices.get(memory[NAME].entity.value_or_text, {}).get("domain")


def _build_fixed(model: SentenceIntents, slot: str, value: Any) -> Entity:
    """The entity of a slot that a sentence fixes."""
    return Entity(element=slot, groups=model.group_of(slot), text=str(value), value=str(value))
