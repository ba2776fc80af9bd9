"""What a store of conversations is: the one contract of all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar
from datetime import timedelta
from typing import Protocol

from anaphora.stm.conversation import Conversation, ConversationKey

__all__ = ["Session", "Store", "commit_guard"]

commit_guard: ContextVar[Callable[[], None] | None] = ContextVar("commit_guard", default=None)
"""What is called in this context before a commit. Whatever it raises prevents the commit: a server
that has told its client that nothing was changed must not keep anything afterwards."""


class Session:
    """One conversation, held by one question: ``conversation`` is as it was found, and only
    :meth:`commit` changes what the store keeps. ``clock`` is the logical time at which it was
    opened: microseconds since 1970, if need be more, for it is later than the clock of whatever
    was committed before."""

    __slots__ = ("_committed", "clock", "conversation")

    def __init__(self, conversation: Conversation, clock: int) -> None:
        self.conversation = conversation
        self.clock = clock
        self._committed: Conversation | None = None

    def commit(self, conversation: Conversation) -> None:
        """Keep ``conversation`` when the session ends without an error.

        Raises what the :data:`commit_guard` of this context raises.
        """
        if (guard := commit_guard.get()) is not None:
            guard()
        self._committed = conversation

    @property
    def committed(self) -> Conversation | None:
        return self._committed


class Store(Protocol):
    """Keeps conversations until they have been idle for longer than their timeout, and small
    notes beside them. Every method may be called from any thread.

    Whatever cannot be read or kept raises :class:`StoreError`, and then nothing has changed. A
    record that is no conversation any more is logged and begins anew; one of a later format than
    this version reads raises :class:`StoreError`, for it is not lost. A store may put such records
    aside: it then has a property ``quarantine``
    (:class:`~anaphora.stm.stores.quarantine.Quarantine`).
    """

    def open(self, key: ConversationKey, timeout: timedelta) -> AbstractContextManager[Session]:
        """The conversation of ``key`` for the one who opens it alone, among all threads,
        processes and machines that share the store, until the block ends; an empty one if none
        is kept.

        When the block ends, what was committed is kept for ``timeout``, and anyone who opens the
        conversation from then on finds it; nothing is kept if the block raises. An empty
        conversation is not kept, but its clock counts for whatever is opened later. Raises
        :class:`Conflict` if this thread holds the conversation already, if its turn doesn't come
        in time, or if the block has lost it to another (then nothing is kept).
        """
        ...

    def peek(self, key: ConversationKey) -> Conversation | None:
        """The conversation as it was last committed, None if none is kept. Waits for nobody."""
        ...

    def forget(self, key: ConversationKey) -> None:
        """Drop a conversation, also one that cannot be read, once a question that is being
        answered in it is through.

        Raises :class:`Conflict` as :meth:`open` does.
        """
        ...

    def hold_and_forget(self, key: ConversationKey) -> AbstractContextManager[int]:
        """Hold a conversation as :meth:`open` does, and drop it when the block ends without an
        error. The block is given the logical time: later than the clock of whatever was committed
        before.
        """
        ...

    def keys(self) -> Iterator[ConversationKey]:
        """Which conversations are kept, in no order; those that come or go meanwhile may be
        missing."""
        ...

    def get_note(self, namespace: str, name: str) -> str | None:
        """The note of that name on a shelf, None if there is none."""
        ...

    def list_notes(self, namespace: str) -> Mapping[str, str]:
        """All notes on a shelf by their names."""
        ...

    def put_note(self, namespace: str, name: str, text: str, ttl: timedelta) -> None:
        """Put a note on a shelf instead of any of its name. The shelf is cleared when nothing
        has been put on it for the longest ``ttl`` of its notes, or later."""
        ...

    def delete_note(self, namespace: str, name: str) -> None:
        """Take a note from a shelf, if it is there."""
        ...

    def scrub(self, user: str, tenant: str = "") -> None:
        """Leave no trace of a user whose conversations and notes were forgotten: no copy in a
        file, no record that has expired or is in quarantine, no mark of an earlier commit."""
        ...

    def ping(self) -> None:
        """Return if the store can be read and written; :class:`StoreError` if not."""
        ...

    def close(self) -> None:
        """Let go of files and connections. The store cannot be used afterwards."""
        ...
