"""The side of a Redis store for event loops."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, suppress
from datetime import timedelta
from typing import TypeAlias

from anaphora.stm.conversation import ConversationKey
from anaphora.stm.stores.redis.asynchronous.connection import AsyncRedisConnection
from anaphora.stm.stores.redis.connection import RedisConnection
from anaphora.stm.stores.redis.keys import decode_note, encode
from anaphora.stm.stores.redis.lock import LockSettings, RedisLock
from anaphora.stm.stores.store import Session
from anaphora.storage.event_loops import of_running_loop

__all__ = ["AsyncRedisStore"]

_Hold: TypeAlias = Callable[[RedisLock, timedelta], AbstractAsyncContextManager[Session]]


class AsyncRedisStore:
    """See :class:`~anaphora.stm.stores.store.AsyncStore` for the methods. Each event loop has a
    connection of its own to the server at ``url``; ``connection`` is that of the threads, and
    ``hold`` the path of a question from reading its conversation to storing it."""

    def __init__(
        self, url: str, connection: RedisConnection, settings: LockSettings, hold: _Hold
    ) -> None:
        self._url, self._connection = url, connection
        self._settings, self._hold = settings, hold
        self._links: dict[asyncio.AbstractEventLoop, AsyncRedisConnection] = {}
        self._links_of_parents: list[object] = []

    def open(
        self, key: ConversationKey, timeout: timedelta
    ) -> AbstractAsyncContextManager[Session]:
        return self._hold(RedisLock(self._link(), key, self._settings), timeout)

    async def get_note(self, namespace: str, name: str) -> str | None:
        key = self._settings.key_space.namespace_key(namespace)
        text = await self._link().execute("HGET", key, encode(name))
        return None if text is None else decode_note(text)

    async def close(self) -> None:
        link = self._links.pop(asyncio.get_running_loop(), None)
        if link is not None:
            link.close()
            await link.wait_closed()

    def disconnect(self) -> None:
        """Close the connections of all event loops; from any thread."""
        links, self._links = self._links, {}
        for loop, link in links.items():
            with suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(link.close)

    def replace_connections(self) -> None:
        """Use new connections in a forked process, and leave those of its parent open."""
        self._links_of_parents.append(self._links)
        self._links = {}

    def _link(self) -> AsyncRedisConnection:
        """The connection of the running event loop."""
        return of_running_loop(
            self._links, lambda _: AsyncRedisConnection(self._url, self._connection)
        )
