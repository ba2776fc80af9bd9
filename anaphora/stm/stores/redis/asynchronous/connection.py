"""Commands to a single Redis server from an event loop, with retries and actionable errors."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import redis
from redis.asyncio.connection import parse_url
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import NoScriptError, RedisError

from anaphora.stm.stores.redis.asynchronous.command_stream import CommandStream
from anaphora.stm.stores.redis.connection import RedisConnection
from anaphora.stm.stores.redis.scripts import Script
from anaphora.stm.stores.redis.topology import ANSWER_TIMEOUT, CONNECT_TIMEOUT, Word
from anaphora.storage.waiting import IN_LOOP

__all__ = ["AsyncRedisConnection"]


class AsyncRedisConnection:
    """Sends commands to the server at ``url`` in the running event loop, all on one connection.

    It retries as ``connection`` does, which is for threads. Scripts are the
    :class:`~anaphora.stm.stores.redis.lock.ScriptRunner` of questions that wait in the loop.
    """

    waiting = IN_LOOP

    def __init__(self, url: str, connection: RedisConnection) -> None:
        self.loop = asyncio.get_running_loop()
        self._url = url
        self._retries = connection
        self._stream: CommandStream | None = None
        self._opening: asyncio.Task[CommandStream] | None = None
        self._is_closed = False

    async def run_script(
        self,
        script: Script,
        keys: Sequence[bytes],
        *arguments: Word,
        patience: float | None = None,
        replicated: bool = False,
    ) -> Any:
        """Run a script, and return its result. Replicas are not waited for: ``replicated`` has no
        effect."""
        rest = (len(keys), *keys, *arguments)
        try:
            return await self.execute("EVALSHA", script.digest, *rest, patience=patience)
        except _UnknownScriptError:  # a server that has just started
            return await self.execute("EVAL", script.text, *rest, patience=patience)

    async def execute(self, *words: Word, patience: float | None = None) -> Any:
        """Send a command, and return its result.

        Raises :class:`StoreError`.
        """
        attempts = self._retries.begin_attempts(patience)
        while True:
            attempts.check()
            try:
                answer = await self._send(words)
            except NoScriptError as error:
                raise _UnknownScriptError from error
            except RedisError as error:
                pause = attempts.pause_after(error)
            else:
                attempts.succeed()
                return answer
            await asyncio.sleep(pause)

    def close(self) -> None:
        """Close the connection; in the loop."""
        self._is_closed = True
        if self._stream is not None:
            self._stream.close()

    async def wait_closed(self) -> None:
        """Wait until the connection is really closed."""
        if self._opening is not None:
            await asyncio.wait([self._opening])
        if self._stream is not None:
            await self._stream.wait_closed()

    async def _send(self, words: Sequence[Word]) -> Any:
        stream = self._stream
        if stream is None or not stream.is_open:
            stream = await self._open_once()
        return await stream.send(words)

    async def _open_once(self) -> CommandStream:
        """Open a connection, one for all who ask for it meanwhile."""
        if self._opening is None:
            self._opening = self.loop.create_task(self._open())
            self._opening.add_done_callback(self._opened)
        # One who is cancelled leaves it to the others.
        return await asyncio.shield(self._opening)

    def _opened(self, task: asyncio.Task[CommandStream]) -> None:
        self._opening = None
        if not task.cancelled() and task.exception() is None:
            self._stream = task.result()
            if self._is_closed:
                self._stream.close()

    async def _open(self) -> CommandStream:
        opened = _library_connection(self._url)
        await opened.connect()
        stream = CommandStream(timeout=ANSWER_TIMEOUT)
        stream.take_over(opened._writer)
        opened._reader = opened._writer = None  # it is the stream's now
        return stream


class _UnknownScriptError(Exception):
    """The server has no script with this digest."""


def _library_connection(url: str) -> Any:
    options: dict[str, Any] = dict(parse_url(url))
    create: Callable[..., Any] = options.pop("connection_class", redis.asyncio.Connection)
    patience = {"socket_timeout": ANSWER_TIMEOUT, "socket_connect_timeout": CONNECT_TIMEOUT}
    # Nothing of the newer protocol is needed.
    return create(**options | patience, retry=Retry(NoBackoff(), 0), protocol=2)
