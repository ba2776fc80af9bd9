"""A network of servers on one machine, which can be cut between them.

Each server has a host of its own, an address of the loopback network on which it listens and from
which it connects. Everybody else knows it by the same port of 127.0.0.1, where the network
listens, and passes on what comes in.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self, TypeVar

__all__ = ["CLIENTS", "LoopThread", "Network"]

CLIENTS = "127.0.0.1"
"""The host of whoever is no server of the network."""

_CHUNK = 1 << 16
_T = TypeVar("_T")


class LoopThread:
    """A context manager with an event loop that runs in a thread of its own."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._listening: list[asyncio.Server] = []

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._run(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _run(self, work: Coroutine[Any, Any, _T]) -> _T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def _listen(self, carry: Any) -> int:
        """Listen on a free port, and call ``carry`` with each connection's reader and writer."""
        server = self._run(asyncio.start_server(carry, CLIENTS, 0))
        self._listening.append(server)
        port: int = server.sockets[0].getsockname()[1]
        return port

    async def _end(self) -> None:
        for server in self._listening:
            server.close()
        rest = asyncio.all_tasks() - {asyncio.current_task()}
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)


class Network(LoopThread):
    """A context manager: the network exists inside the block, and longer than its servers."""

    def __init__(self) -> None:
        super().__init__()
        self._hosts = 0
        self._apart: frozenset[str] = frozenset()
        self._reaching_both: frozenset[str] = frozenset()
        self._whole = asyncio.Event()
        self._whole.set()

    def add_host(self) -> str:
        """The address of a new host."""
        self._hosts += 1
        return f"127.0.1.{self._hosts}"

    def listen_for(self, host: str) -> int:
        """The port of a server, on its host and for everybody else."""

        async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            with contextlib.suppress(asyncio.CancelledError):  # the network ends
                await self._carry(host, port, reader, writer)

        port = self._listen(carry)
        return port

    @contextmanager
    def cut(self, *hosts: str, but: str | None = None) -> Iterator[None]:
        """Cut these hosts off from all others ``but`` one during the block, without a word to
        anybody. What is under way arrives after it, if somebody still waits for it."""
        self._run(self._set(frozenset(hosts), frozenset([but] if but else [])))
        try:
            yield
        finally:
            self._run(self._set(frozenset(), frozenset()))

    async def _set(self, apart: frozenset[str], reaching_both: frozenset[str]) -> None:
        self._apart, self._reaching_both = apart, reaching_both
        (self._whole.clear if apart else self._whole.set)()

    async def _pass(self, ends: frozenset[str]) -> None:
        """Wait until there is a way from one end to the other."""
        while len(ends & self._apart) == 1 and not ends & self._reaching_both:
            await self._whole.wait()

    async def _carry(
        self, host: str, port: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        ends = frozenset([writer.get_extra_info("peername")[0], host])
        try:
            await self._pass(ends)
            far_reader, far_writer = await asyncio.open_connection(host, port)
        except OSError:  # the server is down: so is the way to it
            writer.close()
            return
        try:
            await asyncio.gather(
                self._copy(ends, reader, far_writer), self._copy(ends, far_reader, writer)
            )
        finally:
            writer.close()
            far_writer.close()

    async def _copy(
        self, ends: frozenset[str], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(_CHUNK):
                await self._pass(ends)
                writer.write(data)
                await writer.drain()
        await self._pass(ends)
        writer.close()
