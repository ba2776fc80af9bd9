"""Answers of a Redis server as they come in over a network, and a server that gives none."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from itertools import pairwise
from typing import Any

import pytest
import redis
from hypothesis import given, settings
from hypothesis import strategies as st
from redis.exceptions import BusyLoadingError, NoScriptError, ResponseError

from anaphora.stm.stores.redis.asynchronous.command_stream import CommandStream, RespReader

values = st.recursive(
    st.none() | st.integers(-(2**63), 2**63 - 1) | st.binary(max_size=20),
    lambda inner: st.lists(inner, max_size=4),
    max_leaves=10,
)


def encode(value: Any) -> bytes:
    if value is None:
        return b"$-1\r\n"
    if isinstance(value, int):
        return b":%d\r\n" % value
    if isinstance(value, bytes):
        return b"$%d\r\n%b\r\n" % (len(value), value)
    return b"*%d\r\n%b" % (len(value), b"".join(map(encode, value)))


@settings(max_examples=40, deadline=None)
@given(answers=st.lists(values, max_size=5), cuts=st.lists(st.integers(0, 200), max_size=8))
def test_answers_are_the_same_wherever_the_network_cuts_them(
    answers: list[Any], cuts: list[int]
) -> None:
    data, reader = b"".join(map(encode, answers)), RespReader()
    ends = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    assert [one for a, b in pairwise(ends) for one in reader.feed(data[a:b])] == answers


def test_errors_have_the_types_of_the_client() -> None:
    given = b"-NOSCRIPT No matching script\r\n-LOADING Redis is loading\r\n-OOM too much\r\n+OK\r\n"
    *errors, status = RespReader().feed(given)
    assert [type(error) for error in errors] == [NoScriptError, BusyLoadingError, ResponseError]
    assert status == b"OK"


def with_stream(
    serve: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[Any, Any, None]],
    use: Callable[[CommandStream], Coroutine[Any, Any, None]],
) -> None:
    """Use a connection to a server that does something else than Redis."""

    served = asyncio.Event()

    async def serve_once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await serve(reader, writer)
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()
        served.set()

    async def main() -> None:
        server = await asyncio.start_server(serve_once, "127.0.0.1", 0)
        async with server:
            _, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
            stream = CommandStream(timeout=0.02)
            stream.take_over(writer)
            await use(stream)
            stream.close()
            assert not stream.is_open
            await stream.wait_closed()
            await served.wait()

    asyncio.run(main())


def test_a_server_that_does_not_answer_is_given_up() -> None:
    async def hang(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            await reader.read()

    async def use(stream: CommandStream) -> None:
        asked = [stream.send(("GET", name)) for name in "ab"]
        for future in asked:
            with pytest.raises(redis.TimeoutError):
                await future
        with pytest.raises(redis.TimeoutError):
            await stream.send(("GET", "c"))

    with_stream(hang, use)


def test_what_is_no_answer_of_redis_ends_the_connection() -> None:
    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    async def use(stream: CommandStream) -> None:
        with pytest.raises(
            redis.ConnectionError, match=r"no answer of a Redis server: b'HTTP/1\.1"
        ):
            await stream.send(("GET", "a"))

    with_stream(greet, use)
