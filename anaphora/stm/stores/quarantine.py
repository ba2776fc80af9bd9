"""The quarantine of a store: records of conversations that cannot be read, as they were found.

A store puts such a record aside when the conversation is opened, and the conversation begins anew.
The record stays until the conversation would have expired, or its user is erased.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, Protocol, TypeAlias

from anaphora.errors import Conflict, StoreError
from anaphora.stm.conversation import Conversation, ConversationKey
from anaphora.stm.records import load
from anaphora.stm.stores.store import Session

__all__ = [
    "DEFAULT_TTL",
    "Quarantine",
    "QuarantinedConversation",
    "belongs_to_user",
    "owners_of",
    "quarantine_of",
    "restore",
    "try_load",
]

DEFAULT_TTL = timedelta(days=30)  # for a record whose own expiry is unknown

_Open: TypeAlias = Callable[[ConversationKey, timedelta], AbstractContextManager[Session]]


@dataclass(frozen=True, slots=True)
class QuarantinedConversation:
    """A record that was put aside ``at`` a time for a ``reason``. ``key`` is the conversation,
    None if it is unknown."""

    id: str
    reason: str
    at: datetime
    key: ConversationKey | None = None
    kind: Literal["conversation"] = "conversation"


class Quarantine(Protocol):
    """The quarantine of one store. Every method may be called from any thread, while other
    processes use the store, and raises :class:`StoreError` if the store fails."""

    def count(self) -> int:
        """The number of records in quarantine, in bounded time."""
        ...

    def items(self, limit: int = 1_000) -> Sequence[QuarantinedConversation]:
        """At most ``limit`` records in quarantine."""
        ...

    def release(self, id: str) -> bool:
        """Restore a conversation whose record can be read now (by a later version, say). False
        if there is no such item, or if it is still unreadable.

        Raises :class:`Conflict` if the conversation has gone on since.
        """
        ...

    def discard(self, id: str) -> bool:
        """Delete a record for good; False if there is no such item."""
        ...

    def forget(self, key: ConversationKey) -> None:
        """Delete the records of a conversation."""
        ...


def quarantine_of(store: object) -> Quarantine | None:
    """The quarantine of a store, its property ``quarantine``; None for a store without one."""
    found: Quarantine | None = getattr(store, "quarantine", None)
    return found


def try_load(record: bytes) -> Conversation | None:
    """The conversation of a record; None if it cannot be read."""
    try:
        return load(record)
    except StoreError:
        return None


def owners_of(stored: ConversationKey | None, record: bytes) -> set[ConversationKey]:
    """The conversations that a record may be of: the one that it was stored as, and the one that
    it names itself. Empty if both are unreadable."""
    found = try_load(record)
    keys = (stored, None if found is None else found.key)
    return {key for key in keys if key is not None}


def belongs_to_user(owners: Collection[ConversationKey], user: str, tenant: str) -> bool:
    """Whether a record with these ``owners`` may hold words of a user. One without owners may
    hold anyone's."""
    return not owners or (user, tenant) in {(key.user, key.tenant) for key in owners}


def restore(open: _Open, stored: ConversationKey | None, record: bytes, timeout: timedelta) -> bool:
    """Commit the conversation of a record, to be kept for ``timeout``; False if it cannot be
    read, or is not the one that it was stored as.

    Raises :class:`Conflict` if the conversation has gone on since.
    """
    found = try_load(record)
    if found is None or stored not in (None, found.key):
        return False
    with open(found.key, timeout) as session:
        if not session.conversation.is_new:
            raise Conflict(
                f"{found.user!r} has gone on with '{found.model}' since: drop this item, or forget "
                "the present conversation first"
            )
        session.commit(found)
    return True
