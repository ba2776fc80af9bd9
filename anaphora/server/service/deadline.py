"""The deadline of a shutdown, and the decision whether a request commits its changes."""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from anaphora.server.problems import ProblemError

__all__ = ["CommitGuard", "Deadline"]


class Deadline:
    """The time at which a shutdown abandons pending work. There is none until :meth:`start`."""

    def __init__(self) -> None:
        self._at: float | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timeouts: set[asyncio.Timeout] = set()

    @property
    def left(self) -> float:
        """The seconds until the deadline, at least 0; infinite without a deadline."""
        return math.inf if self._at is None else max(0.0, self._at - time.monotonic())

    def bind(self) -> None:
        """Apply the deadline in the running event loop."""
        self._loop = asyncio.get_running_loop()

    def start(self, seconds: float) -> None:
        """Set the deadline unless it is set already. Any thread and a signal handler may call
        this."""
        if self._at is not None:
            return
        self._at = time.monotonic() + seconds
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._reschedule)

    @asynccontextmanager
    async def limit(self) -> AsyncIterator[asyncio.Timeout]:
        """Interrupt the block at the deadline with TimeoutError."""
        timeout = asyncio.timeout(None if self._at is None else self.left)
        self._timeouts.add(timeout)
        try:
            async with timeout:
                yield timeout
        finally:
            self._timeouts.discard(timeout)

    def _reschedule(self) -> None:
        end = asyncio.get_running_loop().time() + self.left
        for timeout in self._timeouts:
            timeout.reschedule(end)


class CommitGuard:
    """Lets a request either commit its changes or be refused by the shutdown, never both."""

    __slots__ = ("_has_begun", "_is_refused", "_mutex")

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._has_begun = self._is_refused = False

    def begin(self) -> None:
        """Start to commit changes.

        Raises :class:`ProblemError` if the request has been refused.
        """
        with self._mutex:
            if self._is_refused:
                raise ProblemError("shutting-down")
            self._has_begun = True

    def refuse(self, *, force: bool = False) -> bool:
        """Refuse the request unless it has started to commit; return whether it was refused. With
        ``force``, it cannot commit any further changes."""
        with self._mutex:
            self._is_refused = force or not self._has_begun
            return not self._has_begun
