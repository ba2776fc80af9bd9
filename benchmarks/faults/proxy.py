"""A proxy that cuts connections while PostgreSQL commits."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Literal, Self

from tests.support.network import LoopThread

__all__ = ["CommitFault", "Proxy"]

CommitFault = Literal["answer lost", "late commit", "commit lost"]
"""The fate of a COMMIT: executed without a response; executed seconds later without a response; or
never delivered. The client's connection is cut each time."""

_COMMITS = (b"COMMIT", b"stm_commit")  # of the long-term memory, and of conversations
_LATE = 4.0  # seconds
_CHUNK = 1 << 16


class Proxy(LoopThread):
    """Forward connections from its ``port`` to a server at ``to``; ``fault`` is the fate of the
    next COMMIT."""

    def __init__(self, to: int) -> None:
        super().__init__()
        self._to = to
        self.fault: CommitFault | None = None
        self.cuts = 0
        self.port = 0

    def __enter__(self) -> Self:
        super().__enter__()
        self.port = self._listen(self._carry)
        return self

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
