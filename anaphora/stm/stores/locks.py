"""One lock per conversation, for the threads of one process."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from anaphora.errors import Conflict
from anaphora.stm.conversation import ConversationKey
from anaphora.storage.waiting import IN_THREAD, Waiting, run_blocking

__all__ = ["ConversationLock", "ConversationLocks", "busy_error", "forked_error"]


@dataclass(slots=True)
class ConversationLock:
    """The lock of one conversation; it exists while a thread holds it or waits for it. ``owner``
    is the thread that holds it, or whose event loop does."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    owner: int | None = None
    is_of_loop: bool = False
    users: int = 0


_REMEDIES = {
    False: "a handler cannot ask in its own conversation",
    True: "in an event loop, await the methods of AsyncEngine",
}


class ConversationLocks:
    """The locks of all conversations in use. A thread waits up to ``wait`` seconds for one:
    handlers that ask in each other's conversations would wait for ever."""

    def __init__(self, wait: float) -> None:
        self._wait = wait
        self._locks: dict[ConversationKey, ConversationLock] = {}
        self._mutex = threading.Lock()

    def __len__(self) -> int:
        return len(self._locks)

    def acquire(self, key: ConversationKey) -> ConversationLock:
        """Lock a conversation; :meth:`release` must follow.

        Raises :class:`Conflict` if this thread or its event loop holds the lock already, or if it
        is not free in time.
        """
        return run_blocking(self.acquire_as(IN_THREAD, key))

    async def acquire_as(self, waiting: Waiting, key: ConversationKey) -> ConversationLock:
        """Lock a conversation as :meth:`acquire` does, but wait as ``waiting`` says. A task of an
        event loop that holds the lock already waits for itself."""
        lock = self._join(key, waiting)
        try:
            acquired = await waiting.acquire(lock.lock, self._wait)
        except BaseException:  # Ctrl-C while it waits, or a task is cancelled
            self._leave(key, lock)
            raise
        if not acquired:
            self._leave(key, lock)
            raise busy_error(key, self._wait)
        lock.owner, lock.is_of_loop = threading.get_ident(), waiting is not IN_THREAD
        return lock

    def release(self, key: ConversationKey, lock: ConversationLock) -> None:
        """Release a lock that :meth:`acquire` returned."""
        lock.owner = None
        lock.lock.release()
        self._leave(key, lock)

    def _join(self, key: ConversationKey, waiting: Waiting) -> ConversationLock:
        with self._mutex:
            lock = self._locks.get(key)
            if lock is None:
                lock = self._locks[key] = ConversationLock()
            elif lock.owner == threading.get_ident() and not (
                lock.is_of_loop and waiting is not IN_THREAD
            ):
                raise Conflict(
                    f"the conversation of {key.user!r} with '{key.model}' is being answered by "
                    f"this very thread: {_REMEDIES[lock.is_of_loop]}"
                )
            lock.users += 1
            return lock

    def _leave(self, key: ConversationKey, lock: ConversationLock) -> None:
        with self._mutex:
            lock.users -= 1
            if not lock.users:
                del self._locks[key]


def busy_error(key: ConversationKey, wait: float) -> Conflict:
    """Create the error for a lock that was not free within ``wait`` seconds."""
    return Conflict(
        f"the conversation of {key.user!r} with '{key.model}' has been busy for {wait:g} seconds"
    )


def forked_error(key: ConversationKey) -> Conflict:
    """Create the error for a commit in a forked process whose parent opened the conversation."""
    return Conflict(
        f"the conversation of {key.user!r} with '{key.model}' was opened before this process was "
        "forked: its parent goes on with it"
    )
