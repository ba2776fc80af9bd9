"""Locks of an event loop that serialize the requests of a conversation."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager

from anaphora.errors import Conflict

__all__ = ["AsyncConversationLocks"]


class _LockEntry:
    __slots__ = ("lock", "users")

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.users = 0


class AsyncConversationLocks:
    """Admits one request at a time to each conversation, in the order of arrival. Others wait at
    most ``timeout`` seconds (None: without a limit), and need no thread."""

    def __init__(self, *, timeout: float | None = 60.0) -> None:
        self._timeout = timeout
        self._entries: dict[Hashable, _LockEntry] = {}

    def __len__(self) -> int:
        return len(self._entries)

    async def acquire(self, key: Hashable) -> None:
        """Acquire the lock of a conversation; :meth:`release` must follow.

        Raises :class:`Conflict` after the timeout.
        """
        entry = self._entries.get(key)
        if entry is None:
            entry = self._entries[key] = _LockEntry()
        entry.users += 1
        try:
            if entry.lock.locked():
                async with asyncio.timeout(self._timeout):
                    await entry.lock.acquire()
            else:
                await entry.lock.acquire()
        except BaseException as error:
            self._drop_user(key, entry)
            if isinstance(error, TimeoutError):
                message = f"the conversation has been busy for {self._timeout:g} seconds"
                raise Conflict(message) from None
            raise

    def release(self, key: Hashable) -> None:
        """Release the lock for the next request."""
        entry = self._entries[key]
        entry.lock.release()
        self._drop_user(key, entry)

    @asynccontextmanager
    async def hold(self, key: Hashable) -> AsyncIterator[None]:
        """Hold the lock of a conversation within a block. Raises as :meth:`acquire` does."""
        await self.acquire(key)
        try:
            yield
        finally:
            self.release(key)

    def _drop_user(self, key: Hashable, entry: _LockEntry) -> None:
        entry.users -= 1
        if not entry.users:
            del self._entries[key]
