"""Resolve partial dates by the remembered date: "until the 28th" after "from December 20" is
December 28, whatever the present month is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import NamedTuple

from msgspec.structs import replace

from anaphora.core.utterance import Entity, Utterance
from anaphora.models.domain import ConversationSettings
from anaphora.stm.conversation import Conversation
from anaphora.stm.rules import expire

__all__ = ["DatedUtterance", "resolve_partial_dates"]

_MINUTE = timedelta(minutes=1)


class DatedUtterance(NamedTuple):
    """An utterance with its partial dates resolved, and notes on them for the explanation."""

    utterance: Utterance
    notes: tuple[str, ...]


def resolve_partial_dates(
    utterance: Utterance,
    conversation: Conversation,
    at: datetime,
    settings: ConversationSettings,
    read: Callable[[datetime], Utterance],
) -> DatedUtterance | None:
    """Resolve partial dates by a pending or remembered date in the future; None if there are none.

    ``settings`` determine what has expired; ``read`` parses the utterance as of another time.
    """
    partial = [one for one in utterance.entities if not one.is_from_phrase and _is_partial(one, at)]
    if not partial:
        return None
    conversation = expire(conversation, at, settings)[0]
    resolved: list[tuple[Entity, Entity]] = []
    for entity in partial:
        start = _find_remembered_start(entity, conversation)
        if start is None or start <= at:
            continue
        # A period that begins now begins there; a day alone is in the same month.
        resolved_at = start if _begins_now(entity, at) else max(at, _first_of_month(start))
        for candidate in read(resolved_at).entities:
            if (candidate.element, candidate.tokens) == (entity.element, entity.tokens):
                resolved.append((entity, candidate))
                break
    if not resolved:
        return None
    notes = tuple(
        f"{entity.text!r} is resolved by the earlier date: {new}" for entity, new in resolved
    )
    entities = _replace_entities(utterance.entities, resolved)
    fallback = _replace_entities(utterance.fallback_entities, resolved)
    utterance = replace(utterance, entities=entities, fallback_entities=fallback)
    return DatedUtterance(utterance, notes)


def _replace_entities(
    entities: tuple[Entity, ...], resolved: Iterable[tuple[Entity, Entity]]
) -> tuple[Entity, ...]:
    replaced = list(entities)
    for old, new in resolved:
        if old in replaced:
            replaced[replaced.index(old)] = new
    return tuple(replaced)


def _is_partial(entity: Entity, at: datetime) -> bool:
    """Whether the month is missing, or the start of a period ("until Friday")."""
    assumed = entity.meta.get("assumed")
    if assumed is None:
        return False
    if assumed == "month":
        return True
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
