"""One connection to a Redis server: commands are sent as they come, answers resolve them in order.

The client library opens the connection (TLS, password, database); its way to send a command and to
read the answer would take longer than the server does.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import redis
from redis.exceptions import BusyLoadingError, NoScriptError, ResponseError

from anaphora.stm.stores.redis.topology import Word

__all__ = ["CommandStream", "RespReader"]

_CRLF = b"\r\n"
_ERRORS = {"NOSCRIPT": NoScriptError, "LOADING": BusyLoadingError}


class CommandStream(asyncio.Protocol):
    """The commands that wait for their answers on one connection.

    If the server does not answer for ``timeout`` seconds, or the connection is lost, all of them
    get an error of the Redis client.
    """

    def __init__(self, *, timeout: float) -> None:
        self._loop = asyncio.get_running_loop()
        self._timeout = timeout
        # The transport closes with its writer, which is kept for that.
        self._writer: asyncio.StreamWriter | None = None
        self._transport: Any = None
        self._reader = RespReader()
        self._waiting: deque[tuple[asyncio.Future[Any], float]] = deque()
        self._unsent: list[bytes] = []
        self._timer: asyncio.TimerHandle | None = None
        self._end: Exception | None = None
        self._lost = asyncio.Event()

    @property
    def is_open(self) -> bool:
        """Whether commands can be sent."""
        return self._end is None

    def take_over(self, writer: asyncio.StreamWriter) -> None:
        """Take over a connection on which nothing is waited for."""
        self._writer, self._transport = writer, writer.transport
        self._transport.set_protocol(self)

    def send(self, words: Sequence[Word]) -> asyncio.Future[Any]:
        """Send a command; its result, or its error, arrives in the future."""
        future: asyncio.Future[Any] = self._loop.create_future()
        if self._end is not None:
            future.set_exception(_copy(self._end))
            return future
        if not self._unsent:  # all commands of this round of the loop are sent at once
            self._loop.call_soon(self._flush)
        self._unsent.append(_encode(words))
        now = self._loop.time()
        self._waiting.append((future, now))
        if self._timer is None:
            self._timer = self._loop.call_at(now + self._timeout, self._check)
        return future

    def close(self, error: Exception | None = None) -> None:
        """End the connection, and all commands with an error."""
        if self._end is not None:
            return
        self._end = error or redis.ConnectionError("the connection was closed")
        if self._timer is not None:
            self._timer.cancel()
        if self._transport is not None:
            self._transport.abort()
        for future, _ in self._waiting:
            if not future.done():
                future.set_exception(_copy(self._end))
        self._waiting.clear()

    async def wait_closed(self) -> None:
        """Wait until the connection is really closed."""
        await self._lost.wait()

    def data_received(self, data: bytes) -> None:
        try:
            for answer in self._reader.feed(data):
                self._resolve(answer)
        except (ValueError, IndexError) as error:
            self.close(redis.ConnectionError(f"this is no answer of a Redis server: {error}"))

    def connection_lost(self, error: Exception | None) -> None:
        self._lost.set()
        self.close(redis.ConnectionError(str(error or "the server has closed the connection")))

    def _resolve(self, answer: Any) -> None:
        future, _ = self._waiting.popleft()
        if future.done():  # nobody waits for it any more
            return
        if isinstance(answer, ResponseError | redis.ConnectionError):
            future.set_exception(answer)
        else:
            future.set_result(answer)

    def _flush(self) -> None:
        data, self._unsent = b"".join(self._unsent), []
        if self._end is None and self._transport is not None:
            self._transport.write(data)

    def _check(self) -> None:
        """End the connection if the oldest command has waited for too long."""
        self._timer = None
        if not self._waiting:
            return
        due = self._waiting[0][1] + self._timeout
        if due <= self._loop.time():
            self.close(redis.TimeoutError("Timeout reading from the server"))
        else:
            self._timer = self._loop.call_at(due, self._check)


class RespReader:
    """Reads the answers in a stream of bytes (RESP 2). Errors are values here, of the types of the
    Redis client; texts are bytes."""

    def __init__(self) -> None:
        self._data = b""
        self._needed = 0  # bytes without which the next answer cannot be complete

    def feed(self, data: bytes) -> list[Any]:
        """Take bytes; return the answers that are complete now.

        Raises ValueError or IndexError for what is no answer.
        """
        self._data = data = self._data + data if self._data else data
        answers = []
        begin = 0
        if len(data) >= self._needed:
            while begin < len(data):
                try:
                    answer, end = _read(data, begin)
                except _IncompleteError as error:
                    self._needed = error.needed - begin
                    break
                answers.append(answer)
                begin = end
                self._needed = 0
            self._data = data[begin:]
        return answers


class _IncompleteError(Exception):
    """The answer goes on; it has at least ``needed`` bytes, from the first one of the buffer."""

    def __init__(self, needed: int) -> None:
        self.needed = needed


def _read(data: bytes, begin: int) -> tuple[Any, int]:
    """Read the answer that begins at an index; return it, and the index after it."""
    end = data.find(_CRLF, begin)
    if end < 0:
        raise _IncompleteError(len(data) + 1)
    kind, line, after = data[begin], data[begin + 1 : end], end + 2
    if kind == 0x24:  # $: a text
        length = int(line)
        if length < 0:
            return None, after
        if len(data) < after + length + 2:
            raise _IncompleteError(after + length + 2)
        return data[after : after + length], after + length + 2
    if kind == 0x3A:  # : a number
        return int(line), after
    if kind == 0x2A:  # *: a list
        count = int(line)
        if count < 0:
            return None, after
        items = []
        for _ in range(count):
            item, after = _read(data, after)
            items.append(item)
        return items, after
    if kind == 0x2B:  # +: a status
        return line, after
    if kind == 0x2D:  # -: an error
        return _to_error(line.decode(errors="replace")), after
    raise ValueError(f"{data[begin:end][:40]!r}")


def _to_error(text: str) -> redis.RedisError:
    kind: Callable[[str], redis.RedisError] = _ERRORS.get(text.partition(" ")[0], ResponseError)
    return kind(text)


def _encode(words: Sequence[Word]) -> bytes:
    parts = [b"*%d\r\n" % len(words)]
    for word in words:
        data = word if isinstance(word, bytes) else str(word).encode()
        parts.append(b"$%d\r\n%b\r\n" % (len(data), data))
    return b"".join(parts)


def _copy(error: Exception) -> Exception:
    """The same error for another command: each has a traceback of its own."""
    return type(error)(*error.args)
