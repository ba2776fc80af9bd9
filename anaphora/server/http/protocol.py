"""HTTP/1.1 with limits.

The parser is llhttp, which rejects every ambiguous request. This module adds what llhttp and
uvicorn lack: one request of a connection at a time, limits on sizes, times and connections, a
response to every broken request, and plain HTTP for clients that ask for an upgrade.
"""

from __future__ import annotations

import asyncio
import contextvars
import http
import json
from collections.abc import Callable
from typing import Any

import httptools
from uvicorn.protocols.http.flow_control import HIGH_WATER_LIMIT, FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from anaphora.server.http.connection_pool import ConnectionPool
from anaphora.server.problems import MEDIA_TYPE

__all__ = ["BoundedProtocol"]

_END = b"\r\n\r\n"  # of every head and of every chunked body
_PARSE_QUANTUM = 16_384  # bytes that are parsed before other connections get their turn
_PIECE_COST = 256  # bytes that are parsed in the time that one piece takes, however small it is
_CHUNK_OVERHEAD = 8  # bytes around each byte of a body if every byte comes in its own chunk
_REJECT_CAPACITY = 16  # connections above the limit that get a response


class BoundedProtocol(HttpToolsProtocol):
    """A connection of a ``pool``.

    Received bytes are buffered until the parser may read them: it gets the next request when the
    previous one is answered and the client has read most of the response. Clients that send a
    broken, oversized or slow request get problem details, and the connection is closed.
    """

    def __init__(self, pool: ConnectionPool, **options: Any) -> None:
        super().__init__(**options)
        self._pool = pool
        self._limits = pool.limits
        self._context = contextvars.copy_context()  # else requests would share a context
        self._held = bytearray()  # received, not parsed
        self._tail = b""  # the last bytes that were parsed
        self._is_scheduled = False
        self._is_in_head = False
        self._is_in_body = False
        self._is_ended = False
        self._is_parser_done = False
        self._body_left = 0  # bytes of a body of known length
        self._overhead = 0  # bytes of the request outside of its body
        self._ignored = 0  # bytes of a request that came after the end
        self._unread = 0  # bytes of responses, when the read timer was set
        self._head_timer: asyncio.TimerHandle | None = None
        self._read_timer: asyncio.TimerHandle | None = None

    # The connection

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn does
        super().connection_made(transport)
        self.flow = self._flow = _Flow(transport, self._parse_soon)
        self._response_transport: Any = _ResponseTransport(self)
        excess = len(self.connections) - self._limits.max_connections
        if excess > _REJECT_CAPACITY:
            self._count("limit")
            transport.abort()
        elif excess > 0 and not self._pool.make_room():
            self._refuse(503, "Too many connections are open. Try again.", reason="limit")
        else:
            self._pool.idle[self] = None
            self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget_idle()
        self._forget_reader()
        self._pool.incomplete.pop(self, None)
        self._held.clear()
        super().connection_lost(exc)

    def give_way(self) -> None:
        self._count("limit")
        if self.transport.get_write_buffer_size():
            self.transport.abort()
            return
        if self._is_in_head or (self._is_in_body and not self.cycle.response_started):
            self.transport.write(_problem_bytes(503, "Too many connections are open. Try again."))
        self.transport.close()

    def abort_reader(self) -> None:
        self._count("slow reader")
        self.transport.abort()

    def data_received(self, data: bytes) -> None:
        if self.is_ended:
            self._ignore(data)
            return
        self._held += data
        self._parse()

    @property
    def is_ended(self) -> bool:
        return self._is_ended or self.transport.is_closing()

    # Parsing

    def _parse_soon(self) -> None:
        if not self._held:
            self._flow.resume_transport()
        elif not self._is_scheduled:
            self._is_scheduled = True
            self._pool.schedule_parse(self._context, self._parse)

    def _parse(self) -> None:
        self._is_scheduled = False
        left = _PARSE_QUANTUM
        while left > 0 and self._may_parse():
            piece = self._next_piece(left)
            left -= len(piece) + _PIECE_COST
            self._feed(piece)
        if self.is_ended:
            return
        if not self._is_answering:
            self._await_head()
        if self._held:
            self._flow.pause_reading()
            if self._may_parse():
                self._parse_soon()
        else:
            self._flow.resume_transport()

    def _may_parse(self) -> bool:
        if not self._held or self.is_ended:
            return False
        if self._is_answering:
            return self.cycle.more_body and len(self.cycle.body) <= HIGH_WATER_LIMIT
        return not self.flow.write_paused

    @property
    def _is_answering(self) -> bool:
        # There is none before the first request, although it is declared otherwise.
        return self.cycle is not None and not self.cycle.response_complete  # type: ignore[redundant-expr]

    def _next_piece(self, size: int) -> bytes:
        """Take at most ``size`` bytes for the parser, up to the end of the request: the parser
        cannot stop within a piece."""
        if self._body_left:
            size = min(size, self._body_left)
        else:
            found = (self._tail + self._held[:size]).find(_END)
            if found >= 0:
                size = found + len(_END) - len(self._tail)
        if size < len(self._held):
            piece = bytes(self._held[:size])
            del self._held[:size]
        else:
            piece = bytes(self._held)
            self._held.clear()
        self._tail = (self._tail + piece[1 - len(_END) :])[1 - len(_END) :]
        return piece

    def _feed(self, piece: bytes) -> None:
        self._unset_keepalive_if_required()
        if self._body_left:
            self._body_left -= len(piece)
        else:
            self._overhead += len(piece)
        if self._overhead > self._limits.max_head and not self._is_in_body:
            self._refuse_head()  # before the application receives it
            return
        self._run_parser(piece)
        if self._overhead > self._limits.max_head and not self.is_ended:
            self._refuse_head()

    def _run_parser(self, piece: bytes) -> None:
        try:
            self.parser.feed_data(piece)
            if self._is_parser_done:
                self._is_parser_done = False
                self.parser = httptools.HttpRequestParser(self)
        except httptools.HttpParserUpgrade:
            self._ignore_upgrade()
        except httptools.HttpParserError as error:
            rejection = error.__context__
            if isinstance(rejection, _RejectedError):
                self._refuse(*rejection.args)
            else:
                self._refuse(400, f"The request is not valid HTTP/1.1: {rejection or error}.")

    def _ignore_upgrade(self) -> None:
        """Treat the request as one without an upgrade, as RFC 9110 allows; llhttp would take its
        body for the other protocol."""
        method, version = self.parser.get_method(), self.parser.get_http_version().encode()
        lines = [b"%b: %b" % header for header in self.headers if header[0] != b"upgrade"]
        head = b"\r\n".join([b"%b %b HTTP/%b" % (method, self.url, version), *lines, b"", b""])
        self.parser = httptools.HttpRequestParser(self)
        self._run_parser(head)

    # Callbacks of the parser

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._is_in_head = True

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._is_in_head:  # a trailer is not a header
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        if self.parser.should_upgrade() and self.parser.get_method() != b"CONNECT":
            return
        length = self._check_head()
        super().on_headers_complete()
        self._is_in_head = False
        self._is_in_body = True
        self._body_left = length
        self.cycle.transport = self._response_transport
        self._forget_idle()
        self._pool.incomplete[self] = None

    def on_body(self, body: bytes) -> None:
        self._overhead -= _CHUNK_OVERHEAD * len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        if self._is_in_head:  # of a request that asks for an upgrade
            return
        self._is_in_body = False
        self._overhead = 0
        self._pool.incomplete.pop(self, None)
        # Else a trailer "Connection: close" makes the parser ignore the following input.
        self._is_parser_done = self.cycle.keep_alive and not self.parser.should_keep_alive()
        super().on_message_complete()

    def _check_head(self) -> int:
        """Reject a head that llhttp accepts and another server may read differently. Return the
        length of the body if the headers announce it, else 0."""
        version = self.parser.get_http_version()
        if version not in ("1.0", "1.1"):
            raise _RejectedError(505, "Send HTTP/1.1.")
        if self.parser.get_method() == b"CONNECT":
            raise _RejectedError(501, "This server is not a proxy.")
        length, hosts = 0, 0
        for name, value in self.headers:
            if name == b"host":
                hosts += 1
            elif name == b"content-length":
                length = int(value)
            elif name == b"transfer-encoding":
                if version == "1.0":
                    raise _RejectedError(400, "HTTP/1.0 has no Transfer-Encoding.")
                if value.strip().lower() != b"chunked":
                    raise _RejectedError(501, "The only supported Transfer-Encoding is chunked.")
        if hosts != 1 and (version == "1.1" or hosts):
            raise _RejectedError(400, "The request must have one Host header.")
        if version == "1.0":
            self.expect_100_continue = False
        return length

    # Responses

    def on_response_complete(self) -> None:
        if self.is_ended:
            self.server_state.total_requests += 1
            return
        self._pool.idle[self] = None
        super().on_response_complete()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._await_reader()
        self._pool.limit_unread()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._forget_reader()
        if not self.is_ended:
            self._parse_soon()

    def timeout_keep_alive_handler(self) -> None:
        if not self.is_ended:
            self.close()

    # Timeouts

    def _await_head(self) -> None:
        if self._head_timer is None:
            self._head_timer = self.loop.call_later(self._limits.head_timeout, self._head_is_late)

    def _head_is_late(self) -> None:
        self._head_timer = None
        if self._is_in_head:
            detail = "The headers of the request did not arrive in time."
            self._refuse(408, detail, reason="slow request")
        elif not self._is_answering:
            self.close()

    def _await_reader(self) -> None:
        self._unread = self.transport.get_write_buffer_size()
        if self._unread and self._read_timer is None:
            self._pool.stalled[self] = None
            self._read_timer = self.loop.call_later(self._limits.read_timeout, self._check_reader)

    def _check_reader(self) -> None:
        self._forget_reader()
        unread = self.transport.get_write_buffer_size()
        if unread and self._unread - unread < self._limits.min_read:
            self.abort_reader()
        else:
            self._await_reader()

    # Closing

    def _refuse_head(self) -> None:
        self._refuse(431, f"The headers of a request may have {self._limits.max_head:,} bytes.")

    def _refuse(self, status: int, detail: str, *, reason: str = "bad request") -> None:
        """Answer a request that cannot be served, unless it has a response already, and close."""
        self._count(reason)
        cycle = self.cycle if self._is_in_body else None
        if cycle is None or not cycle.response_started:
            self.transport.write(_problem_bytes(status, detail))
        if cycle is not None:
            cycle.disconnected = True
            cycle.message_event.set()
        self._end()

    def close(self) -> None:
        """Close when the client has read the response."""
        if self._held or self._is_in_body:
            self._end()
        else:
            self.transport.close()
            self._await_reader()

    def _end(self) -> None:
        """Close after the client, or a moment later. Closing a connection with unread input resets
        it, and its client may lose the response."""
        if self.is_ended:
            return
        self._is_ended = True
        self._held.clear()
        self._forget_idle()
        self._unset_keepalive_if_required()
        self._flow.resume_transport()
        self.transport.write_eof()
        self._head_timer = self.loop.call_later(self._limits.linger, self._close_now)

    def _ignore(self, data: bytes) -> None:
        self._ignored += len(data)
        if self._ignored > self._limits.max_ignored and not self.transport.is_closing():
            _cancel(self._head_timer)
            self._close_now()

    def _close_now(self) -> None:
        self.transport.close()
        self._await_reader()

    def _forget_idle(self) -> None:
        self._pool.idle.pop(self, None)
        _cancel(self._head_timer)
        self._head_timer = None

    def _forget_reader(self) -> None:
        self._pool.stalled.pop(self, None)
        _cancel(self._read_timer)
        self._read_timer = None

    def _count(self, reason: str) -> None:
        metrics = self.app_state.get("metrics")
        if metrics is not None:
            metrics.connection_ended(reason)


class _RejectedError(Exception):
    """A request that llhttp accepts and this server does not: the status and the detail of the
    response."""


class _Flow(FlowControl):
    """Flow control that hands buffered input to the parser before it resumes reading."""

    def __init__(self, transport: asyncio.Transport, parse: Callable[[], None]) -> None:
        super().__init__(transport)
        self._parse = parse

    def resume_reading(self) -> None:
        self._parse()

    def resume_transport(self) -> None:
        super().resume_reading()


class _ResponseTransport:
    """The transport for a response."""

    def __init__(self, protocol: BoundedProtocol) -> None:
        self._protocol = protocol
        self.write = protocol.transport.write

    def close(self) -> None:
        self._protocol.close()

    def is_closing(self) -> bool:
        return self._protocol.is_ended


def _problem_bytes(status: int, detail: str) -> bytes:
    title = http.HTTPStatus(status).phrase
    body = json.dumps({"type": "about:blank", "title": title, "status": status, "detail": detail})
    retry = "Retry-After: 1\r\n" if status == 503 else ""
    return (
        f"HTTP/1.1 {status} {title}\r\nContent-Type: {MEDIA_TYPE}\r\n"
        f"Content-Length: {len(body)}\r\n{retry}Connection: close\r\n\r\n{body}"
    ).encode()


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
