"""Limit the size and the transfer time of request bodies, and answer HEAD as GET without a body."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from anaphora.server.problems import ProblemError, problem_response

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["BodyLimitMiddleware"]

_BODY_METHODS = ("POST", "PUT", "PATCH")
_LOG_SCOPE_KEYS = ("route", "anaphora.key", "anaphora.text")  # the request log reads these


class BodyLimitMiddleware:
    """An ASGI middleware that limits request bodies.

    A body may have ``max_body`` bytes and must arrive within ``timeout`` seconds, whatever its
    headers announce. Reading beyond a limit raises :class:`ProblemError`.
    """

    def __init__(self, app: ASGIApp, *, max_body: int, timeout: float = 60.0) -> None:
        self._app = app
        self._max_body = max_body
        self._timeout = timeout

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif scope["method"] == "HEAD":
            await self._handle_head(scope, receive, send)
        elif scope["method"] not in _BODY_METHODS:
            await self._app(scope, receive, send)
        elif _content_length(scope) > self._max_body:
            await problem_response(self._too_large())(scope, receive, send)
        else:
            await self._app(scope, self._limit_body(receive), send)

    async def _handle_head(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_head(message: Message) -> None:
            if message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        inner = {**scope, "method": "GET"}
        try:
            await self._app(inner, receive, send_head)
        finally:
            scope.update((name, inner[name]) for name in _LOG_SCOPE_KEYS if name in inner)

    def _limit_body(self, receive: Receive) -> Receive:
        left, is_read, end = self._max_body, False, 0.0

        async def receive_bounded() -> Message:
            nonlocal left, is_read, end
            if is_read:
                return await receive()
            end = end or asyncio.get_running_loop().time() + self._timeout
            try:
                async with asyncio.timeout_at(end):
                    message = await receive()
            except TimeoutError:
                raise ProblemError("request-timeout", headers={"Connection": "close"}) from None
            left -= len(message.get("body", b""))
            if left < 0:
                raise self._too_large()
            is_read = not message.get("more_body", False)
            return message

        return receive_bounded

    def _too_large(self) -> ProblemError:
        detail = f"A body may have {self._max_body:,} bytes."
        return ProblemError("too-large", detail, headers={"Connection": "close"})


def _content_length(scope: Scope) -> int:
    """Return the size that the headers announce, 0 without one."""
    for name, value in scope["headers"]:
        if name == b"content-length":
            return int(value) if value.isdigit() else 0
    return 0
