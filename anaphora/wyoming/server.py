"""The server within an event loop: its listener and its connections."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from contextlib import suppress
from typing import Self

from anaphora.core.plurals import pluralize
from anaphora.engine.engine import Engine
from anaphora.wyoming.answers import AnswerMode
from anaphora.wyoming.connection import Connection
from anaphora.wyoming.limits import Limits
from anaphora.wyoming.listener import Address, TcpAddress, UnixAddress, bind, parse_uri
from anaphora.wyoming.question_runner import QuestionRunner

__all__ = ["WyomingServer"]

_BACKLOG = 1_024  # connections that wait to be accepted
_LOG_INTERVAL = 60.0  # seconds between two warnings that the server is full

_log = logging.getLogger(__name__)


class WyomingServer:
    """Serves the models of ``engine`` over the Wyoming protocol; it does not close the engine.

    The first model answers unless a client selects another program. ``answers`` tells who carries
    out the intent of a transcript: the client (``intent``), the bot (``handled``), or the bot if it
    has a handler or a response, else the client (``auto``).

    >>> async def main():
    ...     async with WyomingServer(Engine("lights"), "tcp://127.0.0.1:10500") as server:
    ...         await asyncio.sleep(3_600)
    """

    def __init__(
        self,
        engine: Engine,
        uri: str = "tcp://127.0.0.1:10500",
        *,
        answers: AnswerMode = "auto",
        limits: Limits | None = None,
        grace: float = 20.0,
    ) -> None:
        self._address: Address = parse_uri(uri)
        self._mode: AnswerMode = answers
        self._limits = limits or Limits()
        self._grace = grace
        self._questions = QuestionRunner(engine, self._limits)
        self._server: asyncio.Server | None = None
        self._connections: dict[Connection, asyncio.Task[None]] = {}
        self._idle: dict[Connection, None] = {}  # the longest idle one first
        self._warned_at = -math.inf

    @property
    def uri(self) -> str:
        """The address, with the port that is in use."""
        return str(self._address)

    @property
    def connections(self) -> int:
        """The number of open connections."""
        return len(self._connections)

    @property
    def is_busy(self) -> bool:
        """Whether a question is still being answered, after :meth:`close` too."""
        return self._questions.is_busy

    async def start(self) -> Self:
        """Start to accept clients. Raises :class:`AnaphoraError` if the address cannot be used."""
        listener = bind(self._address)
        if isinstance(self._address, TcpAddress):
            host, port = listener.getsockname()[:2]
            self._address = TcpAddress(host, port)
        start = (
            asyncio.start_unix_server
            if isinstance(self._address, UnixAddress)
            else asyncio.start_server
        )
        self._server = await start(
            self._serve, sock=listener, limit=self._limits.max_header, backlog=_BACKLOG
        )
        return self

    async def close(self) -> None:
        """Stop accepting clients, finish the answers in progress, and end all connections.

        A question that takes longer than the grace gets no answer, and changes nothing.
        """
        if self._server is None:
            return
        self._server.close()
        self._server = None
        if isinstance(self._address, UnixAddress):
            self._address.path.unlink(missing_ok=True)
        for connection in tuple(self._connections):
            connection.stop()
        if tasks := tuple(self._connections.values()):
            _, late = await asyncio.wait(tasks, timeout=self._grace)
            if late:
                given_up = pluralize(len(late), "connection")
                _log.warning("gave up %s: the server is stopping", given_up)
            await self._questions.close()
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        await self._questions.close()

    async def __aenter__(self) -> Self:
        return await self.start()

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = Connection(
            self._questions,
            self._mode,
            self._limits,
            reader,
            writer,
            on_idle=self._add_idle,
            on_event=self._remove_idle,
        )
        task = asyncio.current_task()
        assert task is not None
        is_full = not self._make_room()
        self._connections[connection] = task
        try:
            if is_full:
                await connection.refuse("the server has too many connections")
            else:
                await connection.run()
        except asyncio.CancelledError:
            pass  # the server is stopping; asyncio would log the cancellation
        except Exception:
            _log.exception("a connection failed")
            writer.transport.abort()
        finally:
            del self._connections[connection]
            self._remove_idle(connection)

    def _make_room(self) -> bool:
        """End the connection that has been idle for longest if there are too many. Return whether
        there is room for another."""
        if len(self._connections) < self._limits.max_connections:
            return True
        if time.monotonic() - self._warned_at >= _LOG_INTERVAL:
            self._warned_at = time.monotonic()
            _log.warning("there are too many connections: idle ones are closed, new ones refused")
        with suppress(StopIteration):
            longest = next(iter(self._idle))
            self._remove_idle(longest)
            longest.stop()
            return True
        return False

    def _add_idle(self, connection: Connection) -> None:
        self._idle[connection] = None

    def _remove_idle(self, connection: Connection) -> None:
        self._idle.pop(connection, None)
