"""HTTP as it comes from the wire, within bounds that the server does not set by itself: how large
the head of a request may be, how long it may take, and how long an answer may wait for its reader.
"""

from __future__ import annotations

import asyncio
import http
import json
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from anaphora.server.problems import MEDIA_TYPE

__all__ = ["BoundedProtocol"]

_AROUND_A_BYTE = 8  # of a body that comes in chunks of one byte


class BoundedProtocol(HttpToolsProtocol):
    """A connection. Whoever sends what is no request, too much around a body, or a request that
    does not get on, is told so as problem details (of no kind of ours: nothing that speaks to the
    API sends such things), and the connection ends.

    What stands around the body of a request (its headers, its trailers, the sizes of its chunks)
    may have ``most_around`` bytes, one piece of what is received more, and some more for each
    byte of the body.
    """

    most_around = 32_768
    patience = 20.0  # seconds in which a request that has begun must have its headers
    reader_patience = 60.0  # seconds in which an answer must get on

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._requests = 0  # that have begun
        self._is_in_head = False
        self._around = 0  # bytes of the last of them that are not of its body
        self._late: asyncio.TimerHandle | None = None
        self._stuck: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as theirs
        super().connection_made(transport)
        self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        _cancel(self._late)
        self._late = None
        _cancel(self._stuck)
        self._stuck = None
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        requests = self._requests
        super().data_received(data)
        if self.transport.is_closing():
            return
        if requests == self._requests:
            self._around += len(data)
        if self._around > self.most_around:
            self._refuse(431, f"The headers of a request may have {self.most_around:,} bytes.")
        elif self._is_in_head or not self._is_answering:
            self._wait_for_head()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._requests += 1
        self._is_in_head = True
        self._around = 0

    def on_headers_complete(self) -> None:
        self._is_in_head = False
        _cancel(self._late)
        self._late = None
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._around -= _AROUND_A_BYTE * len(body)
        super().on_body(body)

    def send_400_response(self, msg: str) -> None:
        self._refuse(400, "This is no HTTP request that can be read.")

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._stuck is None:
            self._stuck = self.loop.call_later(self.reader_patience, self.transport.abort)

    def resume_writing(self) -> None:
        _cancel(self._stuck)
        self._stuck = None
        super().resume_writing()

    @property
    def _is_answering(self) -> bool:
        # There is none before the first request, whatever its declaration says.
        return self.cycle is not None and not self.cycle.response_complete  # type: ignore[redundant-expr]

    def _wait_for_head(self) -> None:
        if self._late is None:
            self._late = self.loop.call_later(self.patience, self._head_is_late)

    def _head_is_late(self) -> None:
        self._late = None
        if self._is_answering:
            self._wait_for_head()  # until what came before is answered
        elif self._is_in_head:
            self._refuse(408, "The headers of the request did not come in time.")
        else:
            self.transport.close()

    def _refuse(self, status: int, detail: str) -> None:
        if not self._is_answering:  # else what is sent now would stand in the midst of an answer
            self.transport.write(_problem(status, detail))
        self.transport.close()


def _problem(status: int, detail: str) -> bytes:
    title = http.HTTPStatus(status).phrase
    body = json.dumps({"type": "about:blank", "title": title, "status": status, "detail": detail})
    return (
        f"HTTP/1.1 {status} {title}\r\nContent-Type: {MEDIA_TYPE}\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}"
    ).encode()


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
