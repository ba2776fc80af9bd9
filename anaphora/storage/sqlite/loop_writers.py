"""Writes to an SQLite file from event loops.

Statements run in the loop: they take microseconds, and a thread would compete with the loop for the
interpreter. The commit, which waits for the disk, runs in a thread; what is written meanwhile
shares the next transaction. Whatever else takes long has a thread, too: waiting for other writers,
and repeating the writes of a failed transaction one by one.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from random import uniform
from typing import TypeAlias

from anaphora.storage.event_loops import of_running_loop
from anaphora.storage.sqlite.database import Database
from anaphora.storage.sqlite.write_batches import RETRY_PAUSE, WriteFunction

__all__ = ["AsyncWrite", "LoopWriters"]

AsyncWrite: TypeAlias = Callable[[WriteFunction], Awaitable[None]]

_PATIENCE = 0.5  # seconds of such attempts; then a thread waits for the other writers


class LoopWriters:
    """The writers of all event loops of this process to a ``database``."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._committing = ThreadPoolExecutor(1, thread_name_prefix="anaphora-commit")
        # Another thread, because the one that it waits for may be a commit of another loop.
        self._waiting = ThreadPoolExecutor(1, thread_name_prefix="anaphora-write")
        self._writers: dict[asyncio.AbstractEventLoop, _LoopWriter] = {}

    async def write(self, work: WriteFunction) -> None:
        """Write as :meth:`Database.write` does, without blocking the running event loop. If the
        task is cancelled, nothing is written unless the transaction has begun; then it is waited
        for."""
        await of_running_loop(self._writers, partial(_LoopWriter, self)).write(work)

    def close(self) -> None:
        """End the threads as soon as their transactions have ended."""
        self._committing.shutdown(wait=False)
        self._waiting.shutdown(wait=False)


class _LoopWriter:
    """The writer of one event loop, which exists while the loop has something to write."""

    def __init__(self, all: LoopWriters, loop: asyncio.AbstractEventLoop) -> None:
        self._all, self._database, self._loop = all, all._database, loop
        self._is_scheduled = False  # to flush, or flushing
        self._is_waking = False  # the loop will look at what has ended
        self._ended: deque[asyncio.Future[None]] = deque()

    async def write(self, work: WriteFunction) -> None:
        ended = self._loop.create_future()
        task = self._database.enqueue(work, partial(self._end, ended))
        if not self._is_scheduled:
            self._is_scheduled = True
            self._loop.call_soon(self._flush)
        try:
            await asyncio.shield(ended)
        except asyncio.CancelledError:
            if not self._database.withdraw(task):
                await self._wait_in_any_case(ended)
            raise
        if task.error is not None:
            raise task.error

    async def _wait_in_any_case(self, ended: asyncio.Future[None]) -> None:
        """Wait for the end of a transaction, even if the task is cancelled once more."""
        while not ended.done():
            if self._loop.is_closed():  # nothing will wake the task
                self._database.write_queued()
                return
            with suppress(asyncio.CancelledError):
                await asyncio.shield(ended)

    def _flush(self, since: float | None = None) -> None:
        """Write what is queued; ``since`` is when the first attempt to do so was made."""
        blocking: Callable[[], None] | None = None  # what is left to do in a thread
        executor = self._all._committing
        self._is_scheduled = False
        if not self._database.has_queued:
            self._all._writers.pop(self._loop, None)
            return
        if since is None or time.monotonic() - since < _PATIENCE:
            blocking = self._database.begin_queued()
            if blocking is None:
                since = time.monotonic() if since is None else since
                self._loop.call_later(uniform(*RETRY_PAUSE), self._flush, since)
        else:
            blocking, executor = self._database.write_queued, self._all._waiting
        self._is_scheduled = True
        if blocking is not None:
            self._is_waking = True  # once for all that this ends
            work = partial(self._finish, blocking)
            try:
                executor.submit(work)
            except RuntimeError:  # the store is closed, or the interpreter is ending
                work()

    def _finish(self, blocking: Callable[[], None]) -> None:
        """Do what is left of a transaction, in a thread."""
        try:
            blocking()
        finally:
            self._wake(self._finished)

    def _finished(self) -> None:
        self._resolve()
        self._flush()

    def _end(self, ended: asyncio.Future[None]) -> None:
        """A write has ended, in any thread."""
        self._ended.append(ended)
        if not self._is_waking:
            self._is_waking = True
            self._wake(self._resolve)

    def _resolve(self) -> None:
        """Let those go on whose writes have ended."""
        self._is_waking = False
        while self._ended:
            ended = self._ended.popleft()
            if not ended.done():
                ended.set_result(None)

    def _wake(self, callback: Callable[[], None]) -> None:
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(callback)
