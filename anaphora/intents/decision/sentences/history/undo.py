"""Undo what was done last: "undo that"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from anaphora.core.utterance import Entity, Variant
from anaphora.intents.decision.sentences.completion import Completion, build_candidates
from anaphora.intents.decision.sentences.history.commands import (
    BEFORE,
    UNDOES,
    describe_things,
    find_commands,
    find_last_command,
    unpack_entities,
)
from anaphora.intents.decision.sentences.sentence_intents import SentenceIntents
from anaphora.intents.decision.sentences.slots import (
    build_entity,
    find_combination,
    find_last_used,
)
from anaphora.intents.decision.sentences.steps import reverse_direction
from anaphora.models.hassil.inverse_intents import INVERSE_INTENTS, TIMER_INTENTS
from anaphora.stm.conversation import Conversation

__all__ = ["complete_undo", "find_undo_refusal", "undo_command"]

_STARTED = "start_"  # of the slots that tell a timer by the time it was set to


def complete_undo(model: SentenceIntents, conversation: Conversation) -> Completion | None:
    """What undoes the last command that has not been undone: the opposite intent, the opposite
    direction, or the earlier value. None if nothing does. It is refused if something was said since
    that did nothing, for who takes that back takes back nothing."""
    command, commands = find_last_command(conversation), find_commands(conversation)
    last = conversation.flow[-1].intent if conversation.flow else ""
    is_about_timer = command is not None and {last, command["intent"]} <= TIMER_INTENTS
    if command is None or (last != commands[-1]["intent"] and not is_about_timer):
        return None  # the last thing was a question, not about the same timer
    entities = unpack_entities(model, command["slots"])
    found = undo_command(model, conversation, command)
    if found is None:
        return None
    if conversation.rejections:
        thing = describe_things(entities)
        return found._replace(refusal="before" if thing else "nothing", thing=thing)
    return found._replace(meta={**found.meta, UNDOES: True})


def find_undo_refusal(conversation: Conversation) -> str:
    """The key of what a user is told if nothing can be undone."""
    is_left = bool(conversation.flow) and (
        find_last_command(conversation) is not None or not find_commands(conversation)
    )
    return "undo" if is_left else "nothing"


def undo_command(
    model: SentenceIntents, conversation: Conversation, command: Mapping[str, Any]
) -> Completion | None:
    """What undoes one of the commands of :func:`find_commands`; None if nothing does."""
    intent = command["intent"]
    used = {one.element: one for one in unpack_entities(model, command["slots"])}
    inverse = INVERSE_INTENTS.get(intent)
    if inverse is None:
        changed = dict(_changed_back(model, command, used))
        return _complete(model, conversation, intent, {**used, **changed}) if changed else None
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


def _changed_back(
    model: SentenceIntents, command: Mapping[str, Any], used: Mapping[str, Entity]
) -> Iterator[tuple[str, Entity]]:
    """The values that a command had replaced, and directions turned around."""
    before = command[BEFORE]
    for entity in unpack_entities(model, before):
        yield entity.element, entity
    for slot in model.directions & used.keys() - before.keys():
        yield slot, reverse_direction(model, used[slot])


def _complete(
    model: SentenceIntents, conversation: Conversation, intent: str, slots: Mapping[str, Entity]
) -> Completion | None:
    combination = find_combination(model, intent, tuple(slots.values()))
    if combination is None:
        return None
    values = {slot: entity.value_or_text for slot, entity in slots.items()}
    held = [
        one
        for one in find_last_used(conversation)
        if values.get(one.entity.element) == one.entity.value_or_text
    ]
    known = {one.entity.element for one in held}
    said = [entity for slot, entity in slots.items() if slot not in known]
    candidates = build_candidates(conversation, said, held)
    return Completion(intent, Variant(()), candidates, combination.response)
