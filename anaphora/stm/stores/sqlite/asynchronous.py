"""The side of an SQLite store for event loops."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from typing import TypeAlias

from anaphora.stm.conversation import ConversationKey
from anaphora.stm.stores.store import Session
from anaphora.storage.sqlite.loop_writers import AsyncWrite
from anaphora.storage.waiting import IN_LOOP, Waiting

__all__ = ["AsyncSqliteStore"]

_Hold: TypeAlias = Callable[
    [ConversationKey, timedelta, Waiting, AsyncWrite], AbstractAsyncContextManager[Session]
]


class AsyncSqliteStore:
    """See :class:`~anaphora.stm.stores.store.AsyncStore` for the methods. The loop itself reads,
    which takes microseconds. ``hold`` is the path of a question from reading its conversation to
    storing it by ``write``; ``read_note`` is the method of the store."""

    def __init__(
        self, hold: _Hold, write: AsyncWrite, read_note: Callable[[str, str], str | None]
    ) -> None:
        self._hold, self._write, self._read_note = hold, write, read_note

    def open(
        self, key: ConversationKey, timeout: timedelta
    ) -> AbstractAsyncContextManager[Session]:
        return self._hold(key, timeout, IN_LOOP, self._write)

    async def get_note(self, namespace: str, name: str) -> str | None:
        return self._read_note(namespace, name)

    async def close(self) -> None:
        return
