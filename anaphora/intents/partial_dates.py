"""Dates of which a part was not said, understood from the date that is remembered: "until the 28th"
after "from December 20" is December 28, whatever month it is now."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from msgspec.structs import replace

from anaphora.models.domain import ConversationSettings
from anaphora.models.utterance import Entity, Utterance
from anaphora.stm.conversation import Conversation
from anaphora.stm.rules import recall

__all__ = ["with_remembered_dates"]

_MINUTE = timedelta(minutes=1)


def with_remembered_dates(
    utterance: Utterance,
    conversation: Conversation,
    at: datetime,
    settings: ConversationSettings,
    read: Callable[[datetime], Utterance],
) -> tuple[Utterance, tuple[str, ...]]:
    """The utterance with such dates read as of the start of a pending or remembered one that is
    still to come, and what to explain of it. ``settings`` say what the conversation still
    remembers; ``read`` reads the utterance at another time."""
    partial = [one for one in utterance.entities if not one.own and _is_partial(one, at)]
    if not partial:
        return utterance, ()
    conversation = recall(conversation, at, settings)[0]
    notes, entities = [], list(utterance.entities)
    for entity in partial:
        start = _remembered_start(entity, conversation)
        if start is None or start <= at:
            continue
        for other in read(start).entities:
            if (other.element, other.tokens) == (entity.element, entity.tokens):
                entities[entities.index(entity)] = other
                notes.append(f"{entity.text!r} is understood from the date before: {other}")
                break
    return (
        (replace(utterance, entities=tuple(entities)), tuple(notes)) if notes else (utterance, ())
    )


def _is_partial(entity: Entity, at: datetime) -> bool:
    """Whether the month was not said, or whether an end was said alone ("until Friday")."""
    assumed = entity.meta.get("assumed")
    if assumed in (None, "month"):
        return assumed is not None
    start = _start(entity)
    return "end" in entity.meta and start is not None and abs(start - at) < _MINUTE


def _remembered_start(entity: Entity, conversation: Conversation) -> datetime | None:
    pending = conversation.pending.entities if conversation.pending else ()
    for held in (*pending, *(one.entity for one in conversation.remembered)):
        if held.element == entity.element:
            return _start(held)
    return None


def _start(entity: Entity) -> datetime | None:
    start = entity.meta.get("start")
    return datetime.fromisoformat(start) if isinstance(start, str) else None
