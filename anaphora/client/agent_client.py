"""An agent of the service, as its clients see it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

import httpx

from anaphora.client import agent_requests as requests
from anaphora.client.agent_requests import AgentEvent, AgentRef
from anaphora.client.request_flow import ApiRequest
from anaphora.client.requests import copy_signature

__all__ = ["AgentClient", "AsyncAgentClient"]

_T = TypeVar("_T")
_P = ParamSpec("_P")


class _Do(Protocol):
    def __call__(self, call: ApiRequest[_T]) -> _T: ...


class _AsyncDo(Protocol):
    def __call__(self, call: ApiRequest[_T]) -> Coroutine[Any, Any, _T]: ...


def _method(
    build: Callable[Concatenate[AgentRef, _P], ApiRequest[_T]],
) -> Callable[Concatenate[AgentClient, _P], _T]:
    """Create a method that sends the request from ``build``."""

    def method(self: AgentClient, /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        return self._do(build(self.ref, *args, **kwargs))

    return copy_signature(method, build, skip=1)


def _async_method(
    build: Callable[Concatenate[AgentRef, _P], ApiRequest[_T]],
) -> Callable[Concatenate[AsyncAgentClient, _P], Coroutine[Any, Any, _T]]:
    async def method(self: AsyncAgentClient, /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        return await self._do(build(self.ref, *args, **kwargs))

    return copy_signature(method, build, skip=1)


class AgentClient:
    """An agent of a :class:`~anaphora.client.client.Client`, with one user: ``client.agent(name,
    user=…)``. Its methods raise the errors of the client."""

    def __init__(
        self,
        ref: AgentRef,
        do: _Do,
        stream: Callable[[ApiRequest[httpx.Response]], Iterator[AgentEvent]],
    ) -> None:
        self.ref, self._do, self._stream = ref, do, stream

    def __repr__(self) -> str:
        return f"AgentClient({self.ref.name!r}, user={self.ref.user!r})"

    def stream(self, text: str, *, id: str | None = None) -> Iterator[AgentEvent]:
        """Send a message and receive what the agent does as it happens.

        Yields each step of the model (``AgentStep``), pieces of its text (``TextEvent``), and as
        the last the ``AgentAnswer``. A problem is raised where it occurs. ``id``: see :meth:`send`.
        """
        return self._stream(requests.stream(self.ref, text, id=id))

    send = _method(requests.send)
    notify = _method(requests.notify)
    core = _method(requests.core)
    edit_block = _method(requests.edit_block)
    edit_memory = _method(requests.edit_memory)
    queue = _method(requests.queue)
    recall = _method(requests.recall)
    archive = _method(requests.archive)
    add_document = _method(requests.add_document)
    remove_document = _method(requests.remove_document)
    steps = _method(requests.steps)
    usage = _method(requests.usage)
    graph = _method(requests.graph)


class AsyncAgentClient:
    """An asynchronous :class:`AgentClient`, with the same methods."""

    def __init__(
        self,
        ref: AgentRef,
        do: _AsyncDo,
        stream: Callable[[ApiRequest[httpx.Response]], AsyncIterator[AgentEvent]],
    ) -> None:
        self.ref, self._do, self._stream = ref, do, stream

    def __repr__(self) -> str:
        return f"AsyncAgentClient({self.ref.name!r}, user={self.ref.user!r})"

    def stream(self, text: str, *, id: str | None = None) -> AsyncIterator[AgentEvent]:
        """Send a message and receive what the agent does as it happens.

        Yields each step of the model (``AgentStep``), pieces of its text (``TextEvent``), and as
        the last the ``AgentAnswer``. A problem is raised where it occurs. ``id``: see :meth:`send`.
        If you leave the loop early, close the stream with ``contextlib.aclosing``.
        """
        return self._stream(requests.stream(self.ref, text, id=id))

    send = _async_method(requests.send)
    notify = _async_method(requests.notify)
    core = _async_method(requests.core)
    edit_block = _async_method(requests.edit_block)
    edit_memory = _async_method(requests.edit_memory)
    queue = _async_method(requests.queue)
    recall = _async_method(requests.recall)
    archive = _async_method(requests.archive)
    add_document = _async_method(requests.add_document)
    remove_document = _async_method(requests.remove_document)
    steps = _async_method(requests.steps)
    usage = _async_method(requests.usage)
    graph = _async_method(requests.graph)
