"""Resolve partial dates by the remembered date: "until the 28th" after "from December 20" is
December 28, whatever the present month is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from msgspec.structs import replace

from anaphora.core.utterance import Entity, Utterance
from anaphora.models.domain import ConversationSettings
from anaphora.stm.conversation import Conversation
from anaphora.stm.rules import expire

__all__ = ["resolve_partial_dates"]

_MINUTE = timedelta(minutes=1)


def resolve_partial_dates(
    utterance: Utterance,
    conversation: Conversation,
    at: datetime,
    settings: ConversationSettings,
    read: Callable[[datetime], Utterance],
) -> tuple[Utterance, tuple[str, ...]] | None:
    """Resolve partial dates by a pending or remembered date in the future. Returns the utterance
    and notes for the explanation; None if there are none.

    ``settings`` determine what has expired; ``read`` parses the utterance as of another time.
    """
    partial = [one for one in utterance.entities if not one.is_from_phrase and _is_partial(one, at)]
    if not partial:
        return None
    conversation = expire(conversation, at, settings)[0]
    others: list[tuple[Entity, Entity]] = []
    for entity in partial:
        start = _find_remembered_start(entity, conversation)
        if start is None or start <= at:
            continue
        # A period that begins now begins there; a day alone is in the same month.
        then = start if _begins_now(entity, at) else max(at, _first_of_month(start))
        for other in read(then).entities:
            if (other.element, other.tokens) == (entity.element, entity.tokens):
                others.append((entity, other))
                break
    if not others:
        return None
    notes = tuple(
        f"{entity.text!r} is resolved by the earlier date: {other}" for entity, other in others
    )
    entities = _replace_entities(utterance.entities, others)
    fallback = _replace_entities(utterance.fallback_entities, others)
    return replace(utterance, entities=entities, fallback_entities=fallback), notes


def _replace_entities(
    entities: tuple[Entity, ...], others: Iterable[tuple[Entity, Entity]]
) -> tuple[Entity, ...]:
    replaced = list(entities)
    for old, new in others:
        if old in replaced:
            replaced[replaced.index(old)] = new
    return tuple(replaced)


def _is_partial(entity: Entity, at: datetime) -> bool:
    """Whether the month is missing, or the start of a period ("until Friday")."""
    assumed = entity.meta.get("assumed")
    if assumed in (None, "month"):
        return assumed is not None
    return "end" in entity.meta and _begins_now(entity, at)


def _begins_now(entity: Entity, at: datetime) -> bool:
    start = _start_of(entity)
    return start is not None and abs(start - at) < _MINUTE


def _first_of_month(day: datetime) -> datetime:
    return day.replace(day=1, hour=0, minute=0, second=0, microsecond=0)


def _find_remembered_start(entity: Entity, conversation: Conversation) -> datetime | None:
    pending = conversation.pending.entities if conversation.pending else ()
    for held in (*pending, *(one.entity for one in conversation.remembered)):
        if held.element == entity.element:
            return _start_of(held)
    return None


def _start_of(entity: Entity) -> datetime | None:
    start = entity.meta.get("start")
    return datetime.fromisoformat(start) if isinstance(start, str) else None
