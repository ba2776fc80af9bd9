"""The outermost middleware: request ids, request logs, metrics, spans, security headers, and the
gate that closes when the server shuts down."""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING, TypeAlias

import structlog
from structlog.contextvars import bound_contextvars

from anaphora.server.observability.metrics import Metrics
from anaphora.server.observability.tracing import NO_TRACING, Span, Tracing
from anaphora.server.problems import ProblemError, problem_response
from anaphora.server.service.deadline import Deadline

if TYPE_CHECKING:
    from fastapi import FastAPI
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    Cors: TypeAlias = Callable[[ASGIApp], ASGIApp]

__all__ = ["ObservabilityMiddleware", "ShutdownGate", "add_observability"]

_log = structlog.get_logger("anaphora.access")

_REQUEST_ID = re.compile(rb"[A-Za-z0-9._-]{1,128}")
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"})
_HEALTH_PATH = "/health"  # health checks must not kill the process while it finishes
_OTHER = "other"
_CLIENT_CLOSED_REQUEST = 499  # nginx's status for a client that has disconnected
_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"cache-control", b"no-store"),
)


def add_observability(
    app: FastAPI,
    *,
    metrics: Metrics,
    tracing: Tracing = NO_TRACING,
    texts: bool = False,
    deadline: Deadline | None = None,
    cors: Cors | None = None,
) -> ShutdownGate:
    """Add an :class:`ObservabilityMiddleware` to ``app`` and return its gate, which is also in
    ``app.state.gate``. Call this last: a middleware added later runs outside of it."""
    gate = ShutdownGate(deadline)
    app.state.gate = gate
    app.add_middleware(
        ObservabilityMiddleware, metrics=metrics, tracing=tracing, gate=gate, texts=texts, cors=cors
    )
    return gate


class ShutdownGate:
    """Whether new requests are accepted. Requests already accepted have until the ``deadline``."""

    __slots__ = ("deadline", "is_open")

    def __init__(self, deadline: Deadline | None = None) -> None:
        self.is_open = True
        self.deadline = deadline or Deadline()

    def close(self, grace: float | None = None) -> None:
        """Stop accepting requests. Those under way have ``grace`` seconds (None: no limit). A
        signal handler may call this."""
        self.is_open = False
        if grace is not None:
            self.deadline.start(grace)


class ObservabilityMiddleware:
    """An ASGI middleware for all of these tasks: each middleware costs every request a call and a
    closure.

    Inner code may put the id of the key and the text of the question into the scope for the log
    (``anaphora.key``, ``anaphora.text``), and finds ``anaphora.request_id`` there. A header that
    inner code sets is kept. An exception from inner code is logged and answered. ``cors`` adds the
    headers for other origins to the responses of this middleware.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        metrics: Metrics,
        gate: ShutdownGate,
        tracing: Tracing = NO_TRACING,
        texts: bool = False,
        cors: Cors | None = None,
    ) -> None:
        self._app = app
        self._metrics = metrics
        self._gate = gate
        self._tracing = tracing
        self._texts = texts
        self._cors = cors

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begin = perf_counter()
        request_id = _request_id(scope)
        scope["anaphora.request_id"] = request_id
        method = scope["method"] if scope["method"] in _METHODS else _OTHER
        answer = _ResponseSender(send, request_id)
        open_span = self._tracing.request(method, scope["headers"])
        with bound_contextvars(request_id=request_id), open_span as span:
            try:
                await self._dispatch(scope, receive, answer)
            finally:
                self._record_request(scope, method, answer.code, perf_counter() - begin, span)

    async def _dispatch(self, scope: Scope, receive: Receive, answer: _ResponseSender) -> None:
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        if not self._gate.is_open and path != _HEALTH_PATH:
            await self._send_problem(_shutting_down(), scope, receive, answer)
            return
        try:
            await self._app(scope, receive, answer)
        except asyncio.CancelledError:
            if self._gate.is_open or answer.code:
                raise
            # The server abandons a request that has not reached the engine by the deadline.
            if task := asyncio.current_task():
                task.uncancel()
            await self._send_problem(_shutting_down(), scope, receive, answer)
        except Exception:
            self._log_error(_route_template(scope))
            if answer.code:
                raise  # part of the response is sent: only closing the connection signals the error
            await self._send_problem(ProblemError("internal"), scope, receive, answer)

    async def _send_problem(
        self, refusal: ProblemError, scope: Scope, receive: Receive, answer: _ResponseSender
    ) -> None:
        """Send a problem instead of the app's response, with the headers for other origins."""
        response: ASGIApp = problem_response(refusal)
        await (self._cors(response) if self._cors else response)(scope, receive, answer)

    def _record_request(
        self, scope: Scope, method: str, code: int, seconds: float, span: Span
    ) -> None:
        route, code = _route_template(scope), code or _CLIENT_CLOSED_REQUEST
        self._metrics.observe_request(route, method, code, seconds)
        if self._tracing.is_on:
            span.set_attribute("http.route", route)
            span.set_attribute("http.request.method", method)
            span.set_attribute("http.response.status_code", code)
        if not structlog.is_configured():  # only the serving command configures logs
            return
        text = {"text": scope.get("anaphora.text")} if self._texts else {}
        _log.info(
            "request",
            method=method,
            route=route,
            status=code,
            seconds=round(seconds, 6),
            key=scope.get("anaphora.key"),
            **text,
        )

    def _log_error(self, route: str) -> None:
        """Log the current exception."""
        if structlog.is_configured():
            _log.exception("failed", route=route)
        else:
            logging.getLogger(__name__).exception("a request to %s failed", route)


class _ResponseSender:
    """Sends a response with the common headers, and records its status."""

    __slots__ = ("_request_id", "_send", "code")

    def __init__(self, send: Send, request_id: str) -> None:
        self._send = send
        self._request_id = request_id
        self.code = 0

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.code = message["status"]
            headers = list(message.get("headers", ()))
            present = {name.lower() for name, _ in headers}
            headers += [header for header in _HEADERS if header[0] not in present]
            headers.append((b"x-request-id", self._request_id.encode()))
            message = {**message, "headers": headers}
        await self._send(message)


def _shutting_down() -> ProblemError:
    return ProblemError("shutting-down", headers={"Connection": "close"})


def _request_id(scope: Scope) -> str:
    """Return the id that a client or a proxy gave the request if it is valid; else a new one."""
    for name, value in scope["headers"]:
        if name == b"x-request-id" and _REQUEST_ID.fullmatch(value):
            return str(value, "ascii")
    return secrets.token_hex(8)


def _route_template(scope: Scope) -> str:
    """Return the declared path. The requested paths may contain anything, and their number is
    unlimited."""
    return getattr(scope.get("route"), "path", None) or _OTHER
