"""Raw bytes from clients that are broken, slow, greedy or hostile, over real sockets."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn

from anaphora.server.http.connection_pool import ConnectionPool, HttpLimits
from anaphora.server.http.protocol import BoundedProtocol
from tests.server.server_process import WAIT_LIMIT, ServerProcess, wait_until

HEAD = b"POST / HTTP/1.1\r\nHost: shop\r\n"
WHOLE = b"GET / HTTP/1.1\r\nHost: shop\r\n\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
LAST = WHOLE.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")

USUAL = HttpLimits()
NARROW = HttpLimits(max_head=4_096)
HASTY = HttpLimits(head_timeout=0.5, read_timeout=0.5)
FEW = HttpLimits(max_connections=3)
SPARING = HttpLimits(max_unread=40_000_000)

GO_ON = threading.Event()
HOLD = threading.Event()


async def echo(scope: Any, receive: Any, send: Any) -> None:
    """Answers /slow and /hold when it is told to, /big with 131 MB, /block with 16 MB at once,
    /headers with the headers when the body has come, /early without reading the body, all else
    with its body."""
    body, path = b"", scope["path"]
    more = scope["method"] == "POST" and path != "/early"
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        body += message["body"]
        more = message["more_body"]
    while (path == "/slow" and not GO_ON.is_set()) or (path == "/hold" and not HOLD.is_set()):
        await asyncio.sleep(0.01)
    if path == "/headers":
        body = json.dumps([name.decode() for name, _ in scope["headers"]]).encode()
    if path == "/block":
        body = b"x" * 16_000_000
    headers = [(b"connection", b"close")] if path == "/early" else []
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    for _ in range(2_000 if path == "/big" else 0):
        await send({"type": "http.response.body", "body": b"x" * 65_536, "more_body": True})
    await send({"type": "http.response.body", "body": body})


@pytest.fixture(scope="module")
def servers() -> Iterator[dict[HttpLimits, uvicorn.Server]]:
    started: dict[HttpLimits, uvicorn.Server] = {}
    for limits in (USUAL, NARROW, HASTY, FEW, SPARING):
        protocol: Any = partial(BoundedProtocol, ConnectionPool(limits))
        config = uvicorn.Config(
            echo,
            port=0,
            http=protocol,
            lifespan="off",
            ws="none",
            log_config=None,
            access_log=False,
        )
        started[limits] = uvicorn.Server(config)
    threads = [threading.Thread(target=server.run) for server in started.values()]
    for thread in threads:
        thread.start()
    wait_until(lambda: all(server.started for server in started.values()), "the servers")
    yield started
    GO_ON.set()
    HOLD.set()
    for server in started.values():
        server.should_exit = True
    for thread in threads:
        thread.join(WAIT_LIMIT)


@pytest.fixture
def connect(servers: dict[HttpLimits, uvicorn.Server]) -> Iterator[Callable[..., socket.socket]]:
    opened: list[socket.socket] = []

    def connect(limits: HttpLimits = HASTY) -> socket.socket:
        [listener] = servers[limits].servers[0].sockets
        opened.append(socket.create_connection(listener.getsockname(), timeout=WAIT_LIMIT))
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


def reply(connection: socket.socket) -> bytes:
    """One answer, whose body is no other answer."""
    found = b""
    while not found.endswith(b"\r\n0\r\n\r\n"):
        more = connection.recv(65_536)
        assert more, found
        found += more
    return found


def status(answer: bytes) -> int:
    return int(answer.split(b" ")[1])


def statuses(answers: bytes) -> list[int]:
    return [int(code) for code in re.findall(rb"HTTP/1\.1 (\d{3}) ", answers)]


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
    connection = connect(USUAL)
    sent_in = 0
    try:
        for sent_in in range(0, 1_000_000_000, 1_000):
            connection.sendall(sent[sent_in : sent_in + 1_000] or sent[-6:] * 1_000)
    except OSError:
        pass
    assert sent_in < 500_000_000


def test_who_sends_too_many_headers_is_told_so(connect: Callable[..., socket.socket]) -> None:
    connection, other = connect(NARROW), connect(NARROW)
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
    connect: Callable[..., socket.socket], servers: dict[HttpLimits, uvicorn.Server]
) -> None:
    connection = connect()
    connection.sendall(WHOLE.replace(b"/ ", b"/big "))
    assert connection.recv(15) == b"HTTP/1.1 200 OK"
    wait_until(lambda: not servers[HASTY].server_state.connections, "the end")
    assert len(rest(connection)) < 100_000_000


def test_requests_come_side_by_side_in_pieces_and_in_chunks(
    connect: Callable[..., socket.socket],
) -> None:
    connection = connect(USUAL)
    body = b"".join(b"1\r\n%c\r\n" % (97 + number % 26) for number in range(20_000))
    connection.sendall(WHOLE + CHUNKED + body + b"0\r\n\r\n" + WHOLE)
    for byte in WHOLE[:-1]:
        connection.sendall(bytes([byte]))
    connection.sendall(WHOLE[-1:] + LAST)
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


# Requests that could be read in two ways

UPGRADES = ("h2c", "websocket", "TLS/1.0", "no/such, thing")
SECOND = b"GET /second HTTP/1.1\r\nHost: shop\r\n\r\n"


@pytest.mark.parametrize("upgrade", UPGRADES)
@pytest.mark.parametrize("pieces", [1, 2])
@pytest.mark.parametrize(
    ("framing", "body"),
    [
        pytest.param(f"Content-Length: {len(SECOND)}", SECOND, id="length"),
        pytest.param(
            "Transfer-Encoding: chunked",
            b"%x\r\n%b\r\n0\r\n\r\n" % (len(SECOND), SECOND),
            id="chunked",
        ),
        pytest.param("X: y", b"", id="none"),
    ],
)
def test_a_request_for_an_upgrade_is_answered_as_plain_http(
    connect: Callable[..., socket.socket],
    upgrade: str,
    pieces: int,
    framing: str,
    body: bytes,
) -> None:
    connection, other = connect(USUAL), connect(USUAL)
    asked = f"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: {upgrade}\r\n{framing}\r\n\r\n"
    method = b"POST" if body else b"GET"
    head = HEAD.replace(b"POST", method) + asked.encode()
    connection.sendall(head if pieces == 2 else head + body)
    if pieces == 2:
        other.sendall(WHOLE)
        assert status(reply(other)) == 200  # so the head has been read
        connection.sendall(body)
    connection.sendall(LAST)
    answer = rest(connection)
    assert statuses(answer) == [200, 200]
    assert answer.count(SECOND) == (1 if body else 0)


def test_a_body_is_kept_when_curl_asks_for_http_2(
    servers: dict[HttpLimits, uvicorn.Server], connect: Callable[..., socket.socket]
) -> None:
    """What ``curl --http2 --data hello`` sends."""
    connection = connect(USUAL)
    connection.sendall(
        b"POST / HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nUser-Agent: curl/7.88.1\r\nAccept: */*\r\n"
        b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
        b"HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\nContent-Length: 5\r\n"
        b"Content-Type: application/x-www-form-urlencoded\r\n\r\nhello" + LAST
    )
    answer = rest(connection)
    assert statuses(answer) == [200, 200]
    assert b"5\r\nhello\r\n" in answer


def chunks(text: bytes) -> bytes:
    return CHUNKED + text


def fields(text: bytes, body: bytes = b"") -> bytes:
    return HEAD + text + b"\r\n\r\n" + body


@pytest.mark.parametrize(
    ("code", "sent"),
    [
        # Sizes and ends of chunks
        (400, chunks(b"zz\r\nabc\r\n0\r\n\r\n")),
        (400, chunks(b"0xd\r\nabcdefghijklm\r\n0\r\n\r\n")),
        (400, chunks(b"+3\r\nabc\r\n0\r\n\r\n")),
        (400, chunks(b"-3\r\nabc\r\n0\r\n\r\n")),
        (400, chunks(b"3 \r\nabc\r\n0\r\n\r\n")),
        (400, chunks(b"\r\nabc\r\n0\r\n\r\n")),
        (400, chunks(b"ffffffffffffffffff\r\nabc\r\n0\r\n\r\n")),
        (400, chunks(b"3\nabc\n0\n\n")),
        (400, chunks(b"3\rabc\r0\r\r")),
        (400, chunks(b"3\r\nabc\n0\r\n\r\n")),
        (400, chunks(b"3\r\nabcd\r\n0\r\n\r\n")),
        (400, chunks(b"3;a\nabc\r\n0\r\n\r\n")),
        (400, chunks(b"3;a\0b\r\nabc\r\n0\r\n\r\n")),
        (400, chunks(b"3\r\nabc\r\n0\r\nX y\r\n\r\n")),
        (400, chunks(b"3\r\nabc\r\n0\r\nX: y\n\n")),
        # Transfer codings
        (501, fields(b"Transfer-Encoding: gzip", b"abc")),
        (501, fields(b"Transfer-Encoding: gzip, chunked", b"3\r\nabc\r\n0\r\n\r\n")),
        (501, fields(b"Transfer-Encoding: identity")),
        (501, fields(b"Transfer-Encoding: xchunked", b"0\r\n\r\n")),
        (501, fields(b'Transfer-Encoding: "chunked"', b"0\r\n\r\n")),
        (400, fields(b"Transfer-Encoding: chunked, chunked", b"0\r\n\r\n")),
        (400, fields(b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked")),
        (400, fields(b"Transfer-Encoding: chunked, gzip", b"0\r\n\r\n")),
        (400, fields(b"Transfer-Encoding: \x0bchunked", b"0\r\n\r\n")),
        (400, b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        # Lengths
        (400, fields(b"Transfer-Encoding: chunked\r\nContent-Length: 5", b"0\r\n\r\n")),
        (400, fields(b"Content-Length: 5\r\nTransfer-Encoding: chunked", b"0\r\n\r\n")),
        (400, fields(b"Content-Length: 0\r\nTransfer-Encoding: chunked", b"0\r\n\r\n")),
        (400, fields(b"Transfer-Encoding: gzip\r\nContent-Length: 3", b"abc")),
        (400, fields(b"Content-Length: 3\r\nContent-Length: 3", b"abc")),
        (400, fields(b"Content-Length: 0\r\nContent-Length: 3", b"abc")),
        (400, fields(b"Content-Length: 3, 3", b"abc")),
        (400, fields(b"Content-Length: +3", b"abc")),
        (400, fields(b"Content-Length: -3", b"abc")),
        (400, fields(b"Content-Length: 0x3", b"abc")),
        (400, fields(b"Content-Length: 3 4", b"abc")),
        (400, fields(b"Content-Length:")),
        (400, fields(b"Content-Length: 99999999999999999999999", b"abc")),
        # Header lines
        (400, fields(b"Content-Length : 3", b"abc")),
        (400, fields(b"X: y\r\n folded")),
        (400, fields(b"Transfer-Encoding:\r\n chunked", b"0\r\n\r\n")),
        (400, fields(b"Content-Length:\r\n 3", b"abc")),
        (400, fields(b"X: y\0z")),
        (400, fields(b"X\0: y")),
        (400, fields(b"X: y\rz: x")),
        (400, fields(b"X: y\nZ: x")),
        (400, HEAD + b"X: y\r\n\n"),
        (400, b"GET / HTTP/1.1\nHost: shop\n\n"),
        (400, fields(b"Xy")),
        (400, fields(b": y")),
        (400, fields(b"X(y): z")),
        (400, fields("É: y".encode())),
        (400, b"GET / HTTP/1.1\r\n Host: shop\r\n\r\n"),
        (400, b"GET / HTTP/1.1\r\n\r\n"),
        (400, b"GET / HTTP/1.1\r\nHost: shop\r\nHost: bank\r\n\r\n"),
        # Request lines
        (505, b"GET /\r\n\r\n"),
        (505, b"GET / HTTP/2.0\r\nHost: shop\r\n\r\n"),
        (400, b"GET / HTTP/1.2\r\nHost: shop\r\n\r\n"),
        (400, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        (400, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"),
        (400, b"GET / x HTTP/1.1\r\nHost: shop\r\n\r\n"),
        (400, b"GET /\0 HTTP/1.1\r\nHost: shop\r\n\r\n"),
        (400, b"GET http://shop:port/ HTTP/1.1\r\nHost: shop\r\n\r\n"),
        (501, b"CONNECT shop:1 HTTP/1.1\r\nHost: shop\r\n\r\n"),
        (501, b"CONNECT / HTTP/1.1\r\nHost: shop\r\n\r\n"),
    ],
)
@pytest.mark.parametrize("before", [b"", WHOLE])
def test_a_broken_request_gets_one_clear_answer_and_nothing_behind_it_is_read(
    connect: Callable[..., socket.socket], code: int, sent: bytes, before: bytes
) -> None:
    connection = connect(USUAL)
    connection.sendall(before + sent + SECOND)
    answer = rest(connection)
    assert statuses(answer) == ([200, code] if before else [code])
    problem = json.loads(answer.rpartition(b"\r\n\r\n")[2])
    assert problem["status"] == code
    assert len(problem["detail"]) > 10


def test_a_request_that_breaks_after_its_answer_gets_no_second_one(
    connect: Callable[..., socket.socket],
) -> None:
    connection = connect(USUAL)
    connection.sendall(CHUNKED.replace(b"POST", b"GET") + b"3\r\nabc\r\n")
    assert status(reply(connection)) == 200
    connection.sendall(b"zz\r\n" + SECOND)
    assert statuses(rest(connection)) == []


@pytest.mark.parametrize("named", [b"Connection: Upgrade\r\nUpgrade: h2c", b"Connection: close"])
def test_trailers_are_headers_of_no_request(
    named: bytes, connect: Callable[..., socket.socket]
) -> None:
    connection = connect(USUAL)
    ours = b"/headers HTTP/1.1\r\nHost: shop\r\n"
    trailers = b"X-Forwarded-For: 1.2.3.4\r\n" + named + b"\r\n\r\n"
    connection.sendall(
        b"POST " + ours + b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n" + trailers
    )
    connection.sendall(b"GET " + ours + b"Connection: close\r\n\r\n")
    answer = rest(connection)
    assert b'["host", "transfer-encoding"]' in answer
    assert b'["host", "connection"]' in answer


# Clients that take more than their share


def test_requests_are_read_when_the_ones_before_them_are_answered(
    connect: Callable[..., socket.socket],
) -> None:
    connection = connect(USUAL)
    connection.settimeout(2.0)
    sent = 0
    try:
        while sent < 200_000_000:
            connection.sendall(WHOLE * 2_000)
            sent += len(WHOLE) * 2_000
    except TimeoutError:
        pass
    assert sent < 50_000_000  # what the kernel holds of requests and of answers


def test_a_connection_with_many_requests_lets_others_have_their_turn(
    connect: Callable[..., socket.socket], servers: dict[HttpLimits, uvicorn.Server]
) -> None:
    greedy, modest = connect(USUAL), connect(USUAL)
    before = servers[USUAL].server_state.total_requests
    answers = threading.Thread(target=rest, args=(greedy,))
    answers.start()
    greedy.sendall(WHOLE * 20_000)
    modest.sendall(WHOLE)
    assert status(reply(modest)) == 200
    assert servers[USUAL].server_state.total_requests - before < 20_000
    greedy.sendall(LAST)
    answers.join(WAIT_LIMIT)
    assert servers[USUAL].server_state.total_requests - before >= 20_002


def test_unread_answers_take_only_so_much_memory(
    connect: Callable[..., socket.socket], servers: dict[HttpLimits, uvicorn.Server]
) -> None:
    state = servers[SPARING].server_state
    before = state.total_requests
    for _ in range(10):
        connect(SPARING).sendall(WHOLE.replace(b"/ ", b"/block ") * 5)
    wait_until(lambda: state.total_requests - before >= 10, "the answers")
    good = connect(SPARING)
    good.sendall(LAST.replace(b"/ ", b"/block "))
    assert rest(good).count(b"x") == 16_000_000
    held = [one.transport.get_write_buffer_size() for one in list(state.connections)]
    assert sum(held) <= SPARING.max_unread
    assert len(held) < 10  # those that waited for longest have gone


def test_a_connection_that_ends_does_not_wait_for_its_reader_for_ever(
    connect: Callable[..., socket.socket], servers: dict[HttpLimits, uvicorn.Server]
) -> None:
    connection = connect(HASTY)
    connection.sendall(LAST.replace(b"/ ", b"/block "))
    assert connection.recv(15) == b"HTTP/1.1 200 OK"
    wait_until(lambda: not servers[HASTY].server_state.connections, "the end")
    assert len(rest(connection)) < 16_000_000


def test_who_sends_a_body_that_nobody_reads_gets_the_answer(
    connect: Callable[..., socket.socket],
) -> None:
    connection = connect(USUAL)
    head = HEAD.replace(b"/ ", b"/early ") + b"Content-Length: 9000000\r\n\r\n"
    connection.sendall(head + b"x" * 1_000_000)
    wait_until(lambda: connection.recv(15, socket.MSG_PEEK), "the answer")
    connection.sendall(b"x" * 1_000_000)
    assert connection.recv(15) == b"HTTP/1.1 200 OK"


def test_idle_connections_give_way_to_new_ones(connect: Callable[..., socket.socket]) -> None:
    first, second, third = (connect(FEW) for _ in range(3))
    second.sendall(b"GET / HT")
    for used in (first, third):
        used.sendall(WHOLE)
        assert status(reply(used)) == 200
    fourth, fifth = connect(FEW), connect(FEW)
    assert status(rest(second)) == 503  # the one that waits for longest
    assert rest(first) == b""
    for used in (third, fourth, fifth):
        used.sendall(LAST)
        assert status(rest(used)) == 200


def test_so_do_connections_whose_bodies_never_come(connect: Callable[..., socket.socket]) -> None:
    slow = [connect(FEW) for _ in range(3)]
    for one in slow:
        one.sendall(HEAD + b"Content-Length: 9\r\n\r\nx")
    new = connect(FEW)
    new.sendall(LAST)
    assert status(rest(new)) == 200
    slow[2].sendall(b"x" * 8)
    assert status(reply(slow[2])) == 200
    assert status(rest(slow[0])) == 503  # the one that waits for longest


def test_if_all_connections_are_busy_new_ones_are_told_so(
    connect: Callable[..., socket.socket],
) -> None:
    busy = [connect(FEW) for _ in range(3)]
    HOLD.clear()
    for one in busy:
        one.sendall(LAST.replace(b"/ ", b"/hold "))
        one.sendall(b"G")
    # Their requests are under way as soon as a new connection is refused.
    wait_until(lambda: status(rest(connect(FEW))) == 503, "the refusal")
    HOLD.set()
    assert [status(rest(one)) for one in busy] == [200] * 3


def test_a_crowd_of_idle_connections_shuts_nobody_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limited = tmp_path / "python"
    limited.write_text(f'#!/bin/sh\nulimit -n 256\nexec {sys.executable} "$@"\n')
    limited.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(limited))
    with ServerProcess(tmp_path, "cafe") as server, ExitStack() as crowd:
        for _ in range(400):
            address = ("127.0.0.1", server.port)
            crowd.enter_context(socket.create_connection(address, timeout=WAIT_LIMIT))
        assert server.get("/health").status_code == 200
        assert server.ask("How much is a tea at Costa?")["text"]
        assert server.errors.count("connection limit reached") == 1
        assert "the limit on open files is too low" in server.errors
        metrics = httpx.get(f"{server.url}/metrics").text
        assert 'anaphora_connections_ended_total{reason="limit"}' in metrics
