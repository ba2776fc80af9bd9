"""Undo what was done last: "undo that"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from anaphora.core.utterance import Entity, Variant
from anaphora.intents.decision.sentences.completion import Completion, build_candidates
from anaphora.intents.decision.sentences.sentence_intents import SentenceIntents
from anaphora.intents.decision.sentences.slots import (
    PLACES,
    TARGETS,
    build_entity,
    find_combination,
    find_last_used,
    last_command_meta,
)
from anaphora.intents.decision.sentences.steps import reverse_direction
from anaphora.intents.match import Candidate
from anaphora.models.hassil.inverse_intents import INVERSE_INTENTS
from anaphora.stm.conversation import Conversation

__all__ = ["complete_undo", "find_earlier_values"]

_BEFORE = "before"
_STARTED = "start_"  # of the slots that tell a timer by the time it was set to


def complete_undo(model: SentenceIntents, conversation: Conversation) -> Completion | None:
    """What undoes the last command: the opposite intent, the opposite direction, or the earlier
    value. None if nothing does."""
    if not conversation.flow:
        return None
    last = conversation.flow[-1].intent
    used = {held.entity.element: held.entity for held in find_last_used(conversation)}
    inverse = INVERSE_INTENTS.get(last)
    if inverse is None:
        changed = dict(_changed_back(model, conversation, used))
        return _complete(model, conversation, last, {**used, **changed}) if changed else None
    known = {slot for one in model.combinations.get(inverse, ()) for slot in one.slots}
    started = {
        f"{_STARTED}{slot}": build_entity(
            model, f"{_STARTED}{slot}", entity.value_or_text, entity.meta
        )
        for slot, entity in used.items()
        if slot not in known
    }
    kept = {slot: entity for slot, entity in used.items() if slot in known}
    tried = [used] if kept == used else [{**kept, **started}, kept]
    found = (_complete(model, conversation, inverse, slots) for slots in tried)
    return next((one for one in found if one is not None), None)


def find_earlier_values(
    model: SentenceIntents,
    conversation: Conversation,
    intent: str,
    candidates: Sequence[Candidate],
) -> Mapping[str, Any]:
    """The values that a command replaces for the same thing, as metadata of the command: with them
    it can be undone. Empty if none is known."""
    if not conversation.flow or conversation.flow[-1].intent != intent:
        return {}
    used = {held.entity.element: held.entity for held in find_last_used(conversation)}
    if _things(used.values()) != _things(one.entity for one in candidates):
        return {}
    values = {
        slot: [used[slot].value_or_text, used[slot].meta.get("value")]
        for one in candidates
        if one.remembered is None
        and (slot := one.entity.element) in used
        and slot not in (*TARGETS, *PLACES, *model.directions)
    }
    return {_BEFORE: values} if values else {}


def _things(entities: Iterable[Entity]) -> set[tuple[str, str]]:
    return {
        (one.element, one.value_or_text)
        for one in entities
        if one.element in TARGETS or one.element in PLACES
    }


def _changed_back(
    model: SentenceIntents, conversation: Conversation, used: Mapping[str, Entity]
) -> Iterator[tuple[str, Entity]]:
    """The values that the last command had replaced, and directions turned around."""
    before = last_command_meta(conversation).get(_BEFORE, {})
    for slot, (value, number) in before.items():
        meta = {} if number is None else {"value": number}
        yield slot, build_entity(model, slot, value, meta)
    for slot in model.directions & used.keys() - before.keys():
        yield slot, reverse_direction(model, used[slot])


def _complete(
    model: SentenceIntents, conversation: Conversation, intent: str, slots: Mapping[str, Entity]
) -> Completion | None:
    combination = find_combination(model, intent, tuple(slots.values()))
    if combination is None:
        return None
    held = [one for one in find_last_used(conversation) if one.entity in slots.values()]
    known = [one.entity for one in held]
    said = [one for one in slots.values() if one not in known]
    candidates = build_candidates(conversation, said, held)
    return Completion(intent, Variant(()), candidates, combination.response)
