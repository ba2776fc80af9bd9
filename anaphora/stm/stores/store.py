"""The contract of all stores of conversations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from contextvars import ContextVar
from datetime import timedelta
from typing import Protocol

from anaphora.stm.conversation import Conversation, ConversationKey

__all__ = ["AsyncStore", "Session", "Store", "async_store_of", "commit_guard"]

commit_guard: ContextVar[Callable[[], None] | None] = ContextVar("commit_guard", default=None)
"""Called before every commit in this context; an exception that it raises prevents the commit. A
server that has reported a timeout to its client must not change anything afterwards."""


class Session:
    """A conversation that one question holds exclusively.

    ``conversation`` is the stored state; only :meth:`commit` changes it in the store. ``clock`` is
    the logical time of the opening: microseconds since 1970, or more, because it is later than the
    clock of every earlier commit.
    """

    __slots__ = ("_committed", "clock", "conversation")

    def __init__(self, conversation: Conversation, clock: int) -> None:
        self.conversation = conversation
        self.clock = clock
        self._committed: Conversation | None = None

    def commit(self, conversation: Conversation) -> None:
        """Store ``conversation`` when the session ends without an error.

        Raises whatever the :data:`commit_guard` of this context raises.
        """
        if (guard := commit_guard.get()) is not None:
            guard()
        self._committed = conversation

    @property
    def committed(self) -> Conversation | None:
        return self._committed


class Store(Protocol):
    """Stores conversations until they have been idle for longer than their timeout, and small
    notes: key-value pairs in namespaces. Every method may be called from any thread.

    Raises :class:`StoreError` if something cannot be read or written; then nothing has changed,
    unless it is an :class:`~anaphora.errors.UnconfirmedError`. A damaged record is logged and its
    conversation starts empty. A record of a later format raises :class:`StoreError`, because it is
    not lost. A store may move damaged records into a quarantine: it then has a property
    ``quarantine`` (:class:`~anaphora.stm.stores.quarantine.Quarantine`).
    """

    def open(self, key: ConversationKey, timeout: timedelta) -> AbstractContextManager[Session]:
        """Lock the conversation of ``key`` until the block ends, among all threads, processes and
        machines that share the store. It is empty if none is stored.

        When the block ends, the committed conversation is stored for ``timeout`` and visible to
        everyone who opens it afterwards; nothing is stored if the block raises. An empty
        conversation is not stored, but its clock counts for later sessions.

        Raises :class:`Conflict` if this thread holds the conversation already, if the lock is not
        free in time, or if the block has lost it to another session (then nothing is stored).
        """

    def peek(self, key: ConversationKey) -> Conversation | None:
        """Return the conversation as last committed, without waiting; None if none is stored."""

    def forget(self, key: ConversationKey) -> None:
        """Delete a conversation, even an unreadable one, after the question that is being
        answered in it.

        Raises :class:`Conflict` as :meth:`open` does.
        """
        with self.hold_and_forget(key):
            pass

    def hold_and_forget(self, key: ConversationKey) -> AbstractContextManager[int]:
        """Lock a conversation as :meth:`open` does, and delete it when the block ends without an
        error. The block receives the logical time, which is later than every earlier commit.
        """

    def keys(self) -> Iterator[ConversationKey]:
        """Iterate over the stored conversations, in no order; those that are created or deleted
        meanwhile may be missing."""

    def get_note(self, namespace: str, name: str) -> str | None:
        """Return a note, or None."""

    def list_notes(self, namespace: str) -> Mapping[str, str]:
        """Return all notes of a namespace by their names."""

    def put_note(self, namespace: str, name: str, text: str, ttl: timedelta) -> None:
        """Create or replace a note. All notes of a namespace expire together, when none has been
        put there for the longest ``ttl`` of them, or later."""

    def delete_note(self, namespace: str, name: str) -> None:
        """Delete a note if it exists."""

    def scrub(self, user: str, tenant: str = "") -> None:
        """Erase all traces of a user whose conversations and notes were deleted: copies in files,
        expired and quarantined records, marks of earlier commits."""

    def ping(self) -> None:
        """Check that the store can be read and written; raises :class:`StoreError` if not."""

    def close(self) -> None:
        """Close files and connections. The store cannot be used afterwards."""


class AsyncStore(Protocol):
    """The side of a store for event loops. It shares conversations, locks and notes with the store,
    and raises the same errors."""

    def open(
        self, key: ConversationKey, timeout: timedelta
    ) -> AbstractAsyncContextManager[Session]:
        """Lock a conversation until the block ends, as :meth:`Store.open` does, without blocking
        the event loop. A task that holds the conversation already waits for itself in vain. If the
        task is cancelled, nothing is stored unless the commit is under way."""

    async def get_note(self, namespace: str, name: str) -> str | None:
        """Return a note, or None."""

    async def close(self) -> None:
        """Close what the running event loop has opened; what comes later opens it again."""


def async_store_of(store: object) -> AsyncStore | None:
    """Return the property ``asynchronous`` of a store; None if it has no side for event loops."""
    found: AsyncStore | None = getattr(store, "asynchronous", None)
    return found
