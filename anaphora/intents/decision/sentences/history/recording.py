"""Record a command: the entity that remembers it."""

from __future__ import annotations

from collections.abc import Sequence

from anaphora.core.utterance import Entity, Utterance
from anaphora.intents.decision.sentences.completion import Completion
from anaphora.intents.decision.sentences.fragments.timers import find_duration
from anaphora.intents.decision.sentences.history.commands import (
    UNDOES,
    add_command,
    find_devices_before,
)
from anaphora.intents.decision.sentences.history.corrections import find_corrected, takes_back
from anaphora.intents.decision.sentences.history.rest import remember_tasks
from anaphora.intents.decision.sentences.history.rooms import note_room
from anaphora.intents.decision.sentences.sentence_intents import SentenceIntents
from anaphora.intents.decision.sentences.steps import find_set_values
from anaphora.models.hassil.elements import ACTION
from anaphora.models.hassil.inverse_intents import CALLING_OFF_INTENTS
from anaphora.stm.conversation import Conversation

__all__ = ["build_action"]


def build_action(
    model: SentenceIntents,
    utterance: Utterance,
    completion: Completion,
    conversation: Conversation,
    entities: Sequence[Entity],
    area: str,
) -> Entity:
    """The entity that remembers a command with some ``entities`` from an ``area``, with what later
    ones need to know of it."""
    intent, room = completion.intent, note_room(conversation, area)
    undoes = bool(completion.meta.get(UNDOES))
    corrected = [] if undoes else find_corrected(model, utterance, conversation, intent, entities)
    return Entity(
        element=ACTION,
        groups=model.action_groups,
        text=intent,
        value=intent,
        meta={
            "response": completion.response,
            **completion.meta,
            **room,
            **remember_tasks(
                model,
                conversation,
                completion.meta,
                entities,
                corrected,
                takes_back=lambda: intent in CALLING_OFF_INTENTS or takes_back(model, utterance),
            ),
            **add_command(model, conversation, intent, entities, room=room, undoes=undoes),
            **find_duration(conversation, intent, entities),
            **find_set_values(conversation, intent, entities),
            **find_devices_before(model, conversation, intent, entities),
        },
    )
