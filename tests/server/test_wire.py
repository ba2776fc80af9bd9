"""What comes from the wire and is no decent request, by sockets."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import pytest
import uvicorn

from anaphora.server.wire import BoundedProtocol
from tests.server.served import PATIENCE, until

Kind: TypeAlias = type[BoundedProtocol]

HEAD = b"POST / HTTP/1.1\r\nHost: shop\r\n"
WHOLE = b"GET / HTTP/1.1\r\nHost: shop\r\n\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"


async def echo(scope: Any, receive: Any, send: Any) -> None:
    """Answers /slow when it is told to, /big with 131 MB, all else with its body."""
    body, more = b"", scope["method"] == "POST"
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        body += message["body"]
        more = message["more_body"]
    while scope["path"] == "/slow" and not GO_ON.is_set():
        await asyncio.sleep(0.01)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    for _ in range(2_000 if scope["path"] == "/big" else 0):
        await send({"type": "http.response.body", "body": b"x" * 65_536, "more_body": True})
    await send({"type": "http.response.body", "body": body})


GO_ON = threading.Event()


class Narrow(BoundedProtocol):
    most_around = 4_096


class Hasty(BoundedProtocol):
    patience = reader_patience = 0.5


@pytest.fixture(scope="module")
def servers() -> Iterator[dict[Kind, uvicorn.Server]]:
    started: dict[Kind, uvicorn.Server] = {}
    for kind in (BoundedProtocol, Narrow, Hasty):
        config = uvicorn.Config(
            echo, port=0, http=kind, lifespan="off", ws="none", log_config=None, access_log=False
        )
        started[kind] = uvicorn.Server(config)
    threads = [threading.Thread(target=server.run) for server in started.values()]
    for thread in threads:
        thread.start()
    until(lambda: all(server.started for server in started.values()), "the servers")
    yield started
    GO_ON.set()
    for server in started.values():
        server.should_exit = True
    for thread in threads:
        thread.join(PATIENCE)


@pytest.fixture
def connect(servers: dict[Kind, uvicorn.Server]) -> Iterator[Callable[..., socket.socket]]:
    opened: list[socket.socket] = []

    def connect(kind: Kind = Hasty) -> socket.socket:
        [listener] = servers[kind].servers[0].sockets
        opened.append(socket.create_connection(listener.getsockname(), timeout=PATIENCE))
        return opened[-1]

    yield connect
    for one in opened:
        one.close()


def rest(connection: socket.socket) -> bytes:
    """All that comes until the server ends the connection."""
    found = b""
    try:
        while more := connection.recv(65_536):
            found += more
    except ConnectionResetError:
        pass
    return found


def status(answer: bytes) -> int:
    return int(answer.split(b" ")[1])


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 20_000, id="many headers"),
        pytest.param(b"GET / HTTP/1.1\r\nX: " + b"y" * 100_000, id="a long one"),
        pytest.param(b"GET /" + b"y" * 50_000, id="a long address"),
        pytest.param(CHUNKED + b"0\r\n" + b"X: y\r\n" * 20_000, id="many trailers"),
        pytest.param(CHUNKED + b"1;" + b"y" * 100_000, id="a long extension of a chunk"),
    ],
)
def test_nobody_fills_the_memory_around_a_body(
    connect: Callable[..., socket.socket], sent: bytes
) -> None:
    connection = connect(BoundedProtocol)
    sent_in = 0
    try:
        for sent_in in range(0, 1_000_000_000, 1_000):
            connection.sendall(sent[sent_in : sent_in + 1_000] or sent[-6:] * 1_000)
    except OSError:
        pass
    assert sent_in < 500_000_000


def test_who_sends_too_many_headers_is_told_so(connect: Callable[..., socket.socket]) -> None:
    connection, other = connect(Narrow), connect(Narrow)
    connection.sendall(b"GET / HTTP/1.1\r\n")
    other.sendall(WHOLE)
    assert other.recv(15) == b"HTTP/1.1 200 OK"  # so the first piece has been read
    connection.sendall(b"X: " + b"y" * 4_100)
    answer = rest(connection)
    assert status(answer) == 431
    assert json.loads(answer.partition(b"\r\n\r\n")[2]) == {
        "type": "about:blank",
        "title": "Request Header Fields Too Large",
        "status": 431,
        "detail": "The headers of a request may have 4,096 bytes.",
    }


def test_what_is_no_request_is_answered_with_a_problem(
    connect: Callable[..., socket.socket],
) -> None:
    connection = connect()
    connection.sendall(HEAD + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc")
    answer = rest(connection)
    assert status(answer) == 400
    assert b"application/problem+json" in answer


@pytest.mark.parametrize(
    ("sent", "answered"),
    [
        (b"", b""),
        (b"\r\n", b""),
        (b"GET / HT", b"HTTP/1.1 408 "),
        (b"GET / HTTP/1.1\r\nX: y", b"HTTP/1.1 408 "),
        (WHOLE + b"\r\n", b"HTTP/1.1 200 "),
        (WHOLE.replace(b"\r\n\r\n", b"\r\nContent-Length: 9\r\n\r\n"), b"HTTP/1.1 200 "),
    ],
)
def test_a_connection_does_not_wait_for_a_request_for_ever(
    connect: Callable[..., socket.socket], sent: bytes, answered: bytes
) -> None:
    connection = connect()
    connection.sendall(sent)
    if answered.endswith(b"200 "):
        assert connection.recv(15).startswith(answered)
        connection.sendall(b"G")  # and then nothing
        rest(connection)
    else:
        assert rest(connection)[:13] == answered


def test_an_answer_that_nobody_reads_is_given_up(
    connect: Callable[..., socket.socket], servers: dict[Kind, uvicorn.Server]
) -> None:
    connection = connect()
    connection.sendall(WHOLE.replace(b"/ ", b"/big "))
    assert connection.recv(15) == b"HTTP/1.1 200 OK"
    until(lambda: not servers[Hasty].server_state.connections, "the end")
    assert len(rest(connection)) < 100_000_000


def test_requests_come_side_by_side_in_pieces_and_in_chunks(
    connect: Callable[..., socket.socket],
) -> None:
    connection = connect(BoundedProtocol)
    body = b"".join(b"1\r\n%c\r\n" % (97 + number % 26) for number in range(20_000))
    connection.sendall(WHOLE + CHUNKED + body + b"0\r\n\r\n" + WHOLE)
    for byte in WHOLE[:-1]:
        connection.sendall(bytes([byte]))
    connection.sendall(WHOLE[-1:] + WHOLE.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
    answer = rest(connection)
    assert answer.count(b"HTTP/1.1 200 OK") == 5
    assert answer.count(b"abcdefghijklmnopqrstuvwxyz") == 769


def test_a_slow_answer_is_not_taken_for_a_slow_request(
    connect: Callable[..., socket.socket],
) -> None:
    connection, other = connect(), connect()
    connection.sendall(WHOLE.replace(b"/ ", b"/slow ") + b"GET / HT")
    assert rest(other) == b""  # the patience is over
    GO_ON.set()
    assert connection.recv(15) == b"HTTP/1.1 200 OK"
    assert b"HTTP/1.1 408" in rest(connection)
