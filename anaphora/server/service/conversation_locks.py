"""Locks that serialize one worker's requests in the same conversation."""

from __future__ import annotations

import asyncio
from collections.abc import Hashable

from anaphora.errors import Conflict

__all__ = ["AsyncConversationLocks"]


class _LockEntry:
    __slots__ = ("lock", "users")

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.users = 0


class AsyncConversationLocks:
    """Admits one request at a time to each conversation, in the order of arrival. Others wait at
    most ``timeout`` seconds, without a thread."""

    def __init__(self, *, timeout: float = 60.0) -> None:
        self._timeout = timeout
        self._entries: dict[Hashable, _LockEntry] = {}

    def __len__(self) -> int:
        return len(self._entries)

    async def acquire(self, key: Hashable) -> None:
        """Acquire the lock of a conversation; :meth:`release` must follow.

        Raises :class:`Conflict` after the timeout.
        """
        line = self._entries.get(key)
        if line is None:
            line = self._entries[key] = _LockEntry()
        line.users += 1
        try:
            if line.lock.locked():
                async with asyncio.timeout(self._timeout):
                    await line.lock.acquire()
            else:
                await line.lock.acquire()
        except TimeoutError:
            self._drop_user(key, line)
            raise Conflict(
                f"the conversation has been busy for {self._timeout:g} seconds"
            ) from None
        except BaseException:
            self._drop_user(key, line)
            raise

    def release(self, key: Hashable) -> None:
        """Release the lock for the next request."""
        line = self._entries[key]
        line.lock.release()
        self._drop_user(key, line)

    def _drop_user(self, key: Hashable, line: _LockEntry) -> None:
        line.users -= 1
        if not line.users:
            del self._entries[key]
