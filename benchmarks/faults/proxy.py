"""A proxy that cuts connections while PostgreSQL commits."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from concurrent.futures import Future
from types import TracebackType
from typing import Literal, Self

__all__ = ["CommitFault", "Proxy"]

CommitFault = Literal["answer lost", "late commit", "commit lost"]
"""The fate of a COMMIT: executed without a response; executed seconds later without a response; or
never delivered. The client's connection is cut each time."""

_COMMITS = (b"COMMIT", b"stm_commit")  # of the long-term memory, and of conversations
_LATE = 4.0  # seconds
_CHUNK = 1 << 16


class Proxy:
    """Forward connections from its ``port`` to a server at ``to``; ``fault`` is the fate of the
    next COMMIT. A context manager with its own thread."""

    def __init__(self, to: int) -> None:
        self._to = to
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self.fault: CommitFault | None = None
        self.cuts = 0
        self.port = 0

    def __enter__(self) -> Self:
        self._thread.start()
        started: Future[asyncio.Server] = asyncio.run_coroutine_threadsafe(
            asyncio.start_server(self._carry, "127.0.0.1", 0), self._loop
        )
        self._server = started.result()
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _end(self) -> None:
        self._server.close()
        rest = asyncio.all_tasks() - {asyncio.current_task()}
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._to)
        except OSError:  # the server is down: so is the way to it
            writer.close()
            return
        answers = asyncio.create_task(_copy(far_reader, writer))
        try:
            with contextlib.suppress(ConnectionError):
                while data := await reader.read(_CHUNK):
                    is_commit = any(word in data for word in _COMMITS)
                    fault = self.fault if is_commit else None
                    if fault is None:
                        far_writer.write(data)
                        await far_writer.drain()
                        continue
                    self.fault = None
                    self.cuts += 1
                    await self._break(fault, data, writer, far_writer, answers)
                    return
        except asyncio.CancelledError:
            return  # the proxy ends; nobody waits for this task
        finally:
            answers.cancel()
            writer.close()
            far_writer.close()

    async def _break(
        self,
        fault: CommitFault,
        data: bytes,
        near: asyncio.StreamWriter,
        far: asyncio.StreamWriter,
        answers: asyncio.Task[None],
    ) -> None:
        answers.cancel()  # nothing of what the server says arrives any more
        near.transport.abort()
        if fault == "commit lost":
            far.transport.abort()
            return
        if fault == "late commit":
            await asyncio.sleep(_LATE)
        far.write(data)
        await far.drain()
        await asyncio.sleep(1.0)  # the server does it; a closed connection would stop it


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while data := await reader.read(_CHUNK):
            writer.write(data)
            await writer.drain()
    writer.close()
