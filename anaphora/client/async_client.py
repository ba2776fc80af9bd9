"""The client for programs that do other things while they wait for an answer."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import aclosing
from types import TracebackType
from typing import TypeVar, Unpack

import anyio
import httpx
from httpx_sse import EventSource

from anaphora.client import requests
from anaphora.client.events import EndEvent, Event, decode_event, truncated_stream_error
from anaphora.client.http_options import http_client_options
from anaphora.client.request_flow import (
    ApiRequest,
    RetryPolicy,
    TransportResult,
    request_flow,
    transport_error,
)
from anaphora.client.requests import AskOptions, ForgetTarget, QuestionOptions, RecallOptions
from anaphora.client.types.explanations import Explanation
from anaphora.client.types.memory import Erasure, History, RecallPage
from anaphora.client.types.replies import Dialog, Reply
from anaphora.client.types.resources import (
    ActiveModel,
    CheckReport,
    Conversation,
    Health,
    KeyInfo,
    ModelInfo,
    ModelSummary,
    Readiness,
)

__all__ = ["AsyncClient"]

_T = TypeVar("_T")


class AsyncClient:
    """The client with ``await``: everything is as in :class:`~anaphora.client.client.Client`.

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
        """Let go of the connections."""
        await self._http.aclose()

    async def ask(self, text: str, **options: Unpack[AskOptions]) -> Reply:
        """Ask one question: ``ask("And in Kyoto?", user="ann", model="weather")``.

        See :class:`~anaphora.client.requests.AskOptions` for the options.
        """
        return await self._do(requests.ask(text, **options))

    async def dialog(self, texts: Iterable[str], **options: Unpack[AskOptions]) -> Dialog:
        """Ask several questions, one after the other. The first problem ends it and is the
        dialog's ``problem``: what was answered stays."""
        return await self._do(requests.dialog(texts, **options))

    def events(self, texts: Iterable[str], **options: Unpack[AskOptions]) -> AsyncIterator[Event]:
        """Ask several questions and take what comes of each as it comes: ``Asked``, its
        ``Explanation`` if that is wanted, the ``Reply``; at the end ``EndEvent``.

        A problem is raised where it comes up. Whoever leaves the loop early closes the stream by
        ``contextlib.aclosing``.
        """
        return self._stream(requests.events(texts, **options))

    async def explain(self, text: str, **options: Unpack[QuestionOptions]) -> Explanation:
        """Tell how a question would be answered now, and why. Nothing is remembered."""
        return await self._do(requests.explain(text, **options))

    async def conversation(
        self, *, user: str | None = None, model: str | None = None
    ) -> Conversation:
        """What is remembered of a user's conversation, its flow, and what is pending or
        offered."""
        return await self._do(requests.conversation(user=user, model=model))

    async def forget(
        self,
        *,
        user: str | None = None,
        model: str | None = None,
        what: ForgetTarget | None = None,
        group: str | None = None,
    ) -> Conversation:
        """Forget ``all`` of a conversation (if nothing is said), its ``entities`` or its ``flow``,
        or the entities of a ``group``; the conversation after it."""
        return await self._do(requests.forget(user=user, model=model, what=what, group=group))

    async def active_model(self, *, user: str | None = None) -> ActiveModel:
        """The model that is asked when a question of the user names none."""
        return await self._do(requests.active_model(user=user))

    async def switch(self, model: str | None, *, user: str | None = None) -> ActiveModel:
        """Let the user's questions go to another model; None goes back to the default."""
        return await self._do(requests.switch(model, user=user))

    async def history(self, *, user: str | None = None, model: str | None = None) -> History:
        """The working history of a conversation in the long-term memory."""
        return await self._do(requests.history(user=user, model=model))

    async def recall(self, text: str = "", **options: Unpack[RecallOptions]) -> RecallPage:
        """Look for what was said: ``recall("Tokyo", user="ann")``; everything, newest first, if
        no text is given.

        See :class:`~anaphora.client.requests.RecallOptions` for the options.
        """
        return await self._do(requests.recall(text, **options))

    async def erase(self, *, user: str | None = None) -> Erasure:
        """Erase all that the service keeps of a user. It cannot be undone."""
        return await self._do(requests.erase(user=user))

    async def models(self) -> tuple[ModelSummary, ...]:
        """The models of the server, the default one first."""
        return await self._do(requests.models())

    async def model(self, id: str) -> ModelInfo:
        """What a model understands."""
        return await self._do(requests.model(id))

    async def reload(self, id: str) -> ModelInfo:
        """Load a model's file anew. One with mistakes raises :class:`Invalid`, and the model as it
        was goes on answering."""
        return await self._do(requests.reload(id))

    async def check(self, id: str) -> CheckReport:
        """Run the samples of a model."""
        return await self._do(requests.check(id))

    async def key(self) -> KeyInfo:
        """What the key in use may do."""
        return await self._do(requests.key())

    async def health(self) -> Health:
        """Whether the server runs, its version, and how many items are in quarantine."""
        return await self._do(requests.health())

    async def ready(self) -> Readiness:
        """Whether the server can answer questions now."""
        return await self._do(requests.ready())

    async def _do(self, call: ApiRequest[_T]) -> _T:
        script = request_flow(call, self._retries)
        outcome: TransportResult | None = None
        try:
            while True:
                pause = script.send(outcome)
                if pause is None:
                    outcome = await self._send(call)
                else:
                    await self._sleep(pause)
                    outcome = None
        except StopIteration as done:
            answer: _T = done.value
            return answer

    async def _send(self, call: ApiRequest[_T]) -> TransportResult:
        request = self._http.build_request(
            call.method,
            call.path,
            params=call.params,
            content=call.content,
            headers=call.headers,
            timeout=call.timeout_for(self._http.timeout),
        )
        try:
            response = await self._http.send(request, stream=call.streams)
            if call.streams and not call.is_stream(response):
                await response.aread()
        except httpx.HTTPError as error:
            return error
        return response

    async def _stream(self, call: ApiRequest[httpx.Response]) -> AsyncIterator[Event]:
        async with aclosing(await self._do(call)) as response:
            try:
                async with aclosing(EventSource(response).aiter_sse()) as stream:
                    async for sent in stream:
                        event = decode_event(sent.event, sent.data)
                        if event is not None:
                            yield event
                        if isinstance(event, EndEvent):
                            return
            except httpx.HTTPError as error:
                raise transport_error(call, error) from error
        raise truncated_stream_error()
