"""The quarantine of a store: unchanged copies of records that cannot be read.

A store moves such a record there when its conversation is opened, and the conversation starts
empty. The record stays until the conversation would have expired, or until its user is erased.
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
    """A record that was moved into the quarantine ``at`` a time for a ``reason``. ``key`` is its
    conversation, None if unknown."""

    id: str
    reason: str
    at: datetime
    key: ConversationKey | None = None
    kind: Literal["conversation"] = "conversation"


class Quarantine(Protocol):
    """The quarantine of one store. Every method may be called from any thread, while other
    processes use the store, and raises :class:`StoreError` if the store fails."""

    def count(self) -> int:
        """Return the number of records in quarantine, in bounded time."""

    def items(self, limit: int = 1_000) -> Sequence[QuarantinedConversation]:
        """Return at most ``limit`` records in quarantine."""

    def release(self, id: str) -> bool:
        """Restore a conversation whose record has become readable (by a later version, for
        example). Returns False if there is no such item, or if it is still unreadable.

        Raises :class:`Conflict` if the conversation has continued since.
        """

    def discard(self, id: str) -> bool:
        """Delete a record permanently; False if there is no such item."""

    def forget(self, key: ConversationKey) -> None:
        """Delete the records of a conversation."""


def quarantine_of(store: object) -> Quarantine | None:
    """Return the property ``quarantine`` of a store; None if it has no quarantine."""
    found: Quarantine | None = getattr(store, "quarantine", None)
    return found


def try_load(record: bytes) -> Conversation | None:
    """Deserialize a record; None if it cannot be read."""
    try:
        return load(record)
    except StoreError:
        return None


def owners_of(stored: ConversationKey | None, record: bytes) -> set[ConversationKey]:
    """Return the conversations that a record may belong to: the key that it was stored under, and
    the key in the record. Empty if both are unreadable."""
    found = try_load(record)
    keys = (stored, None if found is None else found.key)
    return {key for key in keys if key is not None}


def belongs_to_user(owners: Collection[ConversationKey], user: str, tenant: str) -> bool:
    """Whether a record with these ``owners`` may contain words of a user. One without owners may
    contain anyone's."""
    return not owners or (user, tenant) in {(key.user, key.tenant) for key in owners}


def restore(open: _Open, stored: ConversationKey | None, record: bytes, timeout: timedelta) -> bool:
    """Commit the conversation of a record, with ``timeout``. Returns False if it cannot be read,
    or does not match the key that it was stored under.

    Raises :class:`Conflict` if the conversation has continued since.
    """
    found = try_load(record)
    if found is None or stored not in (None, found.key):
        return False
    with open(found.key, timeout) as session:
        if not session.conversation.is_empty:
            raise Conflict(
                f"{found.user!r} has continued with '{found.model}' since: drop "
                "this item, or forget the present conversation first"
            )
        session.commit(found)
    return True
