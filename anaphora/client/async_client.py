"""The asynchronous client."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import aclosing
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, TypeVar

import anyio
import httpx
from httpx_sse import EventSource

from anaphora.api.agents import AgentAnswer
from anaphora.client import agent_requests, requests
from anaphora.client.agent_client import AsyncAgentClient
from anaphora.client.agent_requests import AgentEvent, AgentRef, decode_agent_event
from anaphora.client.events import EndEvent, Event, decode_event, truncated_stream_error
from anaphora.client.http_options import http_client_options
from anaphora.client.request_flow import (
    ApiRequest,
    RetryPolicy,
    TransportResult,
    request_flow,
    transport_error,
)

__all__ = ["AsyncClient"]

_T = TypeVar("_T")
_Event = TypeVar("_Event")
_P = ParamSpec("_P")


def _method(
    build: Callable[_P, ApiRequest[_T]],
) -> Callable[Concatenate[AsyncClient, _P], Coroutine[Any, Any, _T]]:
    """Create a method that sends the request from ``build``."""

    async def method(self: AsyncClient, /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        return await self._do(build(*args, **kwargs))

    return requests.copy_signature(method, build)


def _stream_method(
    build: Callable[_P, ApiRequest[httpx.Response]],
) -> Callable[Concatenate[AsyncClient, _P], AsyncIterator[Event]]:
    """Create a method that iterates over the events of the response."""

    def method(self: AsyncClient, /, *args: _P.args, **kwargs: _P.kwargs) -> AsyncIterator[Event]:
        return self._stream(build(*args, **kwargs), decode_event, EndEvent)

    return requests.copy_signature(method, build)


class AsyncClient:
    """An asynchronous :class:`~anaphora.client.client.Client`, with the same methods.

    It runs on asyncio and on trio, and many requests may be under way at the same time. Close it
    with :meth:`aclose`, or use it in an ``async with``.
    """

    def __init__(
        self,
        url: str,
        key: str | None = None,
        *,
        timeout: float | None = 10.0,
        retries: int = 2,
        longest_wait: float = 10.0,
        transport: httpx.AsyncBaseTransport | None = None,
        sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._http = httpx.AsyncClient(
            **http_client_options(url, key, timeout), transport=transport
        )
        self._retries = RetryPolicy(retries, longest_wait, clock)
        self._sleep = sleep

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        return f"AsyncClient({str(self._http.base_url)!r})"

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    ask = _method(requests.ask)
    dialog = _method(requests.dialog)
    explain = _method(requests.explain)
    conversation = _method(requests.conversation)
    forget = _method(requests.forget)
    active_model = _method(requests.active_model)
    switch = _method(requests.switch)
    history = _method(requests.history)
    recall = _method(requests.recall)
    erase = _method(requests.erase)
    models = _method(requests.models)
    model = _method(requests.model)
    reload = _method(requests.reload)
    check = _method(requests.check)
    key = _method(requests.key)
    health = _method(requests.health)
    ready = _method(requests.ready)
    events = _stream_method(requests.events)
    agents = _method(agent_requests.agents)

    def agent(self, name: str, *, user: str | None = None) -> AsyncAgentClient:
        """Return an agent of the service, to talk to as ``user`` (default: the user of the
        key)."""

        def stream(call: ApiRequest[httpx.Response]) -> AsyncIterator[AgentEvent]:
            return self._stream(call, decode_agent_event, AgentAnswer)

        return AsyncAgentClient(AgentRef(name, user), self._do, stream)

    async def _do(self, call: ApiRequest[_T]) -> _T:
        flow = request_flow(call, self._retries)
        outcome: TransportResult | None = None
        try:
            while True:
                pause = flow.send(outcome)
                if pause is None:
                    outcome = await self._send(call)
                else:
                    await self._sleep(pause)
                    outcome = None
        except StopIteration as done:
            answer: _T = done.value
            return answer

    async def _send(self, call: ApiRequest[_T]) -> TransportResult:
        request = call.build(self._http)
        try:
            response = await self._http.send(request, stream=call.streams)
            if call.streams and not call.is_stream(response):
                await response.aread()
        except httpx.HTTPError as error:
            return error
        return response

    async def _stream(
        self,
        call: ApiRequest[httpx.Response],
        decode: Callable[[str, str], _Event | None],
        last: type[Any],
    ) -> AsyncIterator[_Event]:
        """Yield the decoded events of a stream, which ends with one of the type ``last``."""
        async with aclosing(await self._do(call)) as response:
            try:
                async with aclosing(EventSource(response).aiter_sse()) as stream:
                    async for sent in stream:
                        event = decode(sent.event, sent.data)
                        if event is not None:
                            yield event
                        if isinstance(event, last):
                            return
            except httpx.HTTPError as error:
                raise transport_error(call, error) from error
        raise truncated_stream_error()
