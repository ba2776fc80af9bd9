"""The synchronous client."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, TypeVar

import httpx
from httpx_sse import EventSource

from anaphora.api.agents import AgentAnswer
from anaphora.client import agent_requests, requests
from anaphora.client.agent_client import AgentClient
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

__all__ = ["Client"]

_T = TypeVar("_T")
_Event = TypeVar("_Event")
_P = ParamSpec("_P")


def _method(build: Callable[_P, ApiRequest[_T]]) -> Callable[Concatenate[Client, _P], _T]:
    """Create a method that sends the request from ``build``."""

    def method(self: Client, /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        return self._do(build(*args, **kwargs))

    return requests.copy_signature(method, build)


def _stream_method(
    build: Callable[_P, ApiRequest[httpx.Response]],
) -> Callable[Concatenate[Client, _P], Iterator[Event]]:
    """Create a method that iterates over the events of the response."""

    def method(self: Client, /, *args: _P.args, **kwargs: _P.kwargs) -> Iterator[Event]:
        return self._stream(build(*args, **kwargs), decode_event, EndEvent)

    return requests.copy_signature(method, build)


class Client:
    """A client of the service at ``url``, with an API ``key`` if the service has keys. Several
    threads may share it. Close it with :meth:`close`, or use it in a ``with``.

    ``timeout`` is the number of seconds to wait for a connection and for each part of a response. A
    request is retried at most ``retries`` times if the server has certainly not started it: the
    connection failed, the server is shutting down, or it asks to retry after too many requests
    (within ``longest_wait`` seconds). A request that the server may have started is retried only if
    it changes nothing: a question is never asked twice. ``transport`` is an httpx transport;
    ``sleep`` and ``clock`` (in seconds since 1970) are for tests.

    Every method raises :class:`ApiError` if the service refuses the request, and
    :class:`Unreachable` if there is no response.
    """

    def __init__(
        self,
        url: str,
        key: str | None = None,
        *,
        timeout: float | None = 10.0,
        retries: int = 2,
        longest_wait: float = 10.0,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._http = httpx.Client(**http_client_options(url, key, timeout), transport=transport)
        self._retries = RetryPolicy(retries, longest_wait, clock)
        self._sleep = sleep

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Client({str(self._http.base_url)!r})"

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

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

    def agent(self, name: str, *, user: str | None = None) -> AgentClient:
        """Return an agent of the service, to talk to as ``user`` (default: the user of the
        key)."""

        def stream(call: ApiRequest[httpx.Response]) -> Iterator[AgentEvent]:
            return self._stream(call, decode_agent_event, AgentAnswer)

        return AgentClient(AgentRef(name, user), self._do, stream)

    def _do(self, call: ApiRequest[_T]) -> _T:
        flow = request_flow(call, self._retries)
        outcome: TransportResult | None = None
        try:
            while True:
                pause = flow.send(outcome)
                if pause is None:
                    outcome = self._send(call)
                else:
                    self._sleep(pause)
                    outcome = None
        except StopIteration as done:
            answer: _T = done.value
            return answer

    def _send(self, call: ApiRequest[_T]) -> TransportResult:
        request = call.build(self._http)
        try:
            response = self._http.send(request, stream=call.streams)
            if call.streams and not call.is_stream(response):
                response.read()
        except httpx.HTTPError as error:
            return error
        return response

    def _stream(
        self,
        call: ApiRequest[httpx.Response],
        decode: Callable[[str, str], _Event | None],
        last: type[Any],
    ) -> Iterator[_Event]:
        """Yield the decoded events of a stream, which ends with one of the type ``last``."""
        with closing(self._do(call)) as response:
            try:
                for sent in EventSource(response).iter_sse():
                    event = decode(sent.event, sent.data)
                    if event is not None:
                        yield event
                    if isinstance(event, last):
                        return
            except httpx.HTTPError as error:
                raise transport_error(call, error) from error
        raise truncated_stream_error()
