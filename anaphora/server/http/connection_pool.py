"""The open connections of a server: their maximum number, which ones close for new ones, and how
much memory their unread responses may take."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from contextvars import Context
from dataclasses import dataclass
from typing import Protocol

import structlog

__all__ = ["Connection", "ConnectionPool", "HttpLimits"]

_log = structlog.get_logger("anaphora.server")

_LOG_INTERVAL = 60.0  # seconds between two warnings of the same kind


@dataclass(frozen=True, slots=True)
class HttpLimits:
    """The limits of one server process.

    ``max_head`` limits the bytes around the body of a request: its headers, its trailers and the
    sizes of its chunks. Times are in seconds.
    """

    max_head: int = 32_768
    max_connections: int = 1_000
    max_unread: int = 64 << 20
    """Bytes of responses that wait for slow clients, over all connections."""
    head_timeout: float = 20.0
    """For the headers of a request, from its first byte or the opening of the connection."""
    read_timeout: float = 60.0
    """For a client to read the next ``min_read`` bytes of a response."""
    min_read: int = 65_536
    linger: float = 2.0
    """For a client to notice that the server has ended the connection."""
    max_ignored: int = 16 << 20
    """Bytes that an ended connection may still send within that time."""


class Connection(Protocol):
    """A connection as the pool sees it."""

    transport: asyncio.Transport

    def give_way(self) -> None:
        """Close this connection, which waits for its client, in favor of a new one."""

    def abort_reader(self) -> None:
        """Abort this connection, whose client does not read."""


class ConnectionPool:
    """The connections of one server process.

    A connection without a request under way is *idle*, even if a part of the headers has arrived. A
    connection whose client has not sent the whole body is *incomplete*; one whose client does not
    read the response is *stalled*. Each group is ordered by the time at which its connections
    entered it.
    """

    def __init__(self, limits: HttpLimits) -> None:
        self.limits = limits
        self.idle: dict[Connection, None] = {}
        self.incomplete: dict[Connection, None] = {}
        self.stalled: dict[Connection, None] = {}
        self._warned: dict[str, float] = {}
        self._parses: deque[tuple[Context, Callable[[], None]]] = deque()

    def schedule_parse(self, context: Context, parse: Callable[[], None]) -> None:
        """Call ``parse`` in one of the next iterations of the event loop. Each iteration runs one
        call, so that many connections with pipelined requests delay the others no more than one
        does."""
        self._parses.append((context, parse))
        if len(self._parses) == 1:
            asyncio.get_running_loop().call_soon(self._run_next_parse)

    def _run_next_parse(self) -> None:
        context, parse = self._parses.popleft()
        if self._parses:
            asyncio.get_running_loop().call_soon(self._run_next_parse)
        context.run(parse)

    def make_room(self) -> bool:
        """Close the connection that has been idle longest, else the one that has been incomplete
        longest. Return False if there is neither."""
        self._warn("connection limit reached", limit=self.limits.max_connections)
        waiting = self.idle or self.incomplete
        if not waiting:
            return False
        oldest = next(iter(waiting))
        del waiting[oldest]
        oldest.give_way()
        return True

    def limit_unread(self) -> None:
        """Abort the connections that have been stalled longest until the unread responses fit."""
        sizes = {one: one.transport.get_write_buffer_size() for one in self.stalled}
        excess = sum(sizes.values()) - self.limits.max_unread
        if excess <= 0:
            return
        self._warn("unread responses take too much memory", limit=self.limits.max_unread)
        for one, size in sizes.items():
            if excess <= 0:
                return
            excess -= size
            del self.stalled[one]
            one.abort_reader()

    def _warn(self, event: str, *, limit: int) -> None:
        now = asyncio.get_running_loop().time()
        if now - self._warned.get(event, -_LOG_INTERVAL) >= _LOG_INTERVAL:
            self._warned[event] = now
            _log.warning(event, limit=limit)
