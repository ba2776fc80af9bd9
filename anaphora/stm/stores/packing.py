"""Pack idle conversations in memory as their records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from anaphora.core.utterance import Entity
from anaphora.errors import StoreError
from anaphora.frozen import FrozenDict, FrozenList
from anaphora.stm.conversation import Conversation
from anaphora.stm.records import dump
from anaphora.stm.records import load as unpack

__all__ = ["pack", "unpack"]


def pack(conversation: Conversation) -> bytes | None:
    """Return a record from which :func:`unpack` makes an equal conversation; None if JSON would
    refuse or change what a handler or a recognizer has left in it (a tuple, an enum)."""
    try:
        is_plain = _is_plain(conversation.data) and all(
            _is_plain(entity.meta) for entity in _iter_entities(conversation)
        )
        return dump(conversation) if is_plain else None
    except (RecursionError, StoreError):
        return None


def _is_plain(value: Any) -> bool:
    kind = type(value)
    if kind is FrozenDict or kind is dict:  # it is frozen when it is unpacked
        return all(type(key) is str and _is_plain(one) for key, one in value.items())
    if kind is FrozenList or kind is list:
        return all(map(_is_plain, value))
    return kind in (str, int, float, bool, type(None))


def _iter_entities(conversation: Conversation) -> Iterator[Entity]:
    """All entities of a conversation, and their parts."""
    pending, offers, offer = conversation.pending, conversation.offers, conversation.recall_offer
    suspended = pending.suspended if pending else None
    lists: list[Iterable[Entity]] = [
        [held.entity for held in (*conversation.remembered, *conversation.earlier)],
        pending.entities if pending else (),
        suspended.entities if suspended else (),
        *((*offers.bundles, *offers.declined) if offers else ()),
        offer.entities if offer else (),
    ]
    remaining = [entity for entities in lists for entity in entities]
    while remaining:
        entity = remaining.pop()
        yield entity
        remaining += entity.parts
