"""Queues of calls in an event loop: calls with one key run in the order in which they came."""

from __future__ import annotations

import asyncio
from collections.abc import Hashable

from anaphora.errors import Conflict

__all__ = ["CallQueue", "Ticket"]


class Ticket:
    """The place of a call in the queue of its key. :meth:`leave` must follow, whatever happens."""

    __slots__ = ("_done", "_previous")

    def __init__(self, previous: asyncio.Future[None] | None, done: asyncio.Future[None]) -> None:
        self._previous = previous
        self._done = done

    async def wait(self, timeout: float) -> None:
        """Wait for the call before this one.

        Raises :class:`Conflict` after ``timeout`` seconds.
        """
        previous = self._previous
        if previous is None or previous.done():
            return
        done, _ = await asyncio.wait({previous}, timeout=timeout)
        if not done:
            raise Conflict(f"the conversation has been busy for {timeout:g} seconds")

    def leave(self) -> None:
        """Let the next call go on, once the calls before this one have ended, too."""
        if self._previous is None or self._previous.done():
            self._end()
        else:
            self._previous.add_done_callback(lambda _: self._end())

    def _end(self) -> None:
        if not self._done.done():
            self._done.set_result(None)


class CallQueue:
    """The queues of one event loop, by their keys. A queue exists while a call is in it."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self._last: dict[Hashable, asyncio.Future[None]] = {}

    def __len__(self) -> int:
        return len(self._last)

    def join(self, key: Hashable) -> Ticket:
        """Join the queue of ``key`` at its end."""
        done = self.loop.create_future()
        previous = self._last.get(key)
        self._last[key] = done
        done.add_done_callback(lambda _: self._forget(key, done))
        return Ticket(previous, done)

    def _forget(self, key: Hashable, done: asyncio.Future[None]) -> None:
        if self._last.get(key) is done:
            del self._last[key]
