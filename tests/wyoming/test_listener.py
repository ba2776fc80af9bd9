"""The sockets that a server listens to."""

from __future__ import annotations

import asyncio
import socket

from anaphora.wyoming.listener import TcpAddress, bind


def test_answers_do_not_wait_for_the_client_to_acknowledge_the_ones_before() -> None:
    """Nagle's algorithm would delay each answer by 40 ms on a connection that stays open."""

    async def talk() -> int:
        found: asyncio.Queue[int] = asyncio.Queue()

        async def serve(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            connection = writer.get_extra_info("socket")
            await found.put(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        listener = bind(TcpAddress("127.0.0.1", 0))
        async with await asyncio.start_server(serve, sock=listener):
            _, writer = await asyncio.open_connection(*listener.getsockname())
            writer.close()
            await writer.wait_closed()
            return await found.get()

    assert asyncio.run(talk()) == 1
