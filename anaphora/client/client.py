"""The client for programs that wait for an answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from types import TracebackType
from typing import TypeVar, Unpack

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

__all__ = ["Client"]

_T = TypeVar("_T")


class Client:
    """Talks to the service at ``url``, with an API ``key`` if it wants one. It may be used from
    many threads; :meth:`close` it, or use it in a ``with``.

    ``timeout`` is for how many seconds it waits for a connection and for each piece of an answer.
    What certainly has not been begun is sent again, at most ``retries`` times: no connection came
    about, the server is shutting down, or it says that there were too many requests and when to
    try again (if that is within ``longest_wait`` seconds). What may have been done is sent again
    only if it changes nothing: a question is never asked twice. ``transport`` is one of httpx, to
    reach the service in another way; ``sleep`` and ``clock`` (in seconds since 1970) are for tests.

    Every method raises :class:`ApiError` for what the service refuses and :class:`Unreachable` if
    no answer comes.
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
        """Let go of the connections."""
        self._http.close()

    def ask(self, text: str, **options: Unpack[AskOptions]) -> Reply:
        """Ask one question: ``ask("And in Kyoto?", user="ann", model="weather")``.

        See :class:`~anaphora.client.requests.AskOptions` for the options.
        """
        return self._do(requests.ask(text, **options))

    def dialog(self, texts: Iterable[str], **options: Unpack[AskOptions]) -> Dialog:
        """Ask several questions, one after the other. The first problem ends it and is the
        dialog's ``problem``: what was answered stays."""
        return self._do(requests.dialog(texts, **options))

    def events(self, texts: Iterable[str], **options: Unpack[AskOptions]) -> Iterator[Event]:
        """Ask several questions and take what comes of each as it comes: ``Asked``, its
        ``Explanation`` if that is wanted, the ``Reply``; at the end ``EndEvent``.

        A problem is raised where it comes up.
        """
        return self._stream(requests.events(texts, **options))

    def explain(self, text: str, **options: Unpack[QuestionOptions]) -> Explanation:
        """Tell how a question would be answered now, and why. Nothing is remembered."""
        return self._do(requests.explain(text, **options))

    def conversation(self, *, user: str | None = None, model: str | None = None) -> Conversation:
        """What is remembered of a user's conversation, its flow, and what is pending or
        offered."""
        return self._do(requests.conversation(user=user, model=model))

    def forget(
        self,
        *,
        user: str | None = None,
        model: str | None = None,
        what: ForgetTarget | None = None,
        group: str | None = None,
    ) -> Conversation:
        """Forget ``all`` of a conversation (if nothing is said), its ``entities`` or its ``flow``,
        or the entities of a ``group``; the conversation after it."""
        return self._do(requests.forget(user=user, model=model, what=what, group=group))

    def active_model(self, *, user: str | None = None) -> ActiveModel:
        """The model that is asked when a question of the user names none."""
        return self._do(requests.active_model(user=user))

    def switch(self, model: str | None, *, user: str | None = None) -> ActiveModel:
        """Let the user's questions go to another model; None goes back to the default."""
        return self._do(requests.switch(model, user=user))

    def history(self, *, user: str | None = None, model: str | None = None) -> History:
        """The working history of a conversation in the long-term memory."""
        return self._do(requests.history(user=user, model=model))

    def recall(self, text: str = "", **options: Unpack[RecallOptions]) -> RecallPage:
        """Look for what was said: ``recall("Tokyo", user="ann")``; everything, newest first, if
        no text is given.

        See :class:`~anaphora.client.requests.RecallOptions` for the options.
        """
        return self._do(requests.recall(text, **options))

    def erase(self, *, user: str | None = None) -> Erasure:
        """Erase all that the service keeps of a user. It cannot be undone."""
        return self._do(requests.erase(user=user))

    def models(self) -> tuple[ModelSummary, ...]:
        """The models of the server, the default one first."""
        return self._do(requests.models())

    def model(self, id: str) -> ModelInfo:
        """What a model understands."""
        return self._do(requests.model(id))

    def reload(self, id: str) -> ModelInfo:
        """Load a model's file anew. One with mistakes raises :class:`Invalid`, and the model as it
        was goes on answering."""
        return self._do(requests.reload(id))

    def check(self, id: str) -> CheckReport:
        """Run the samples of a model."""
        return self._do(requests.check(id))

    def key(self) -> KeyInfo:
        """What the key in use may do."""
        return self._do(requests.key())

    def health(self) -> Health:
        """Whether the server runs, its version, and how many items are in quarantine."""
        return self._do(requests.health())

    def ready(self) -> Readiness:
        """Whether the server can answer questions now."""
        return self._do(requests.ready())

    def _do(self, call: ApiRequest[_T]) -> _T:
        script = request_flow(call, self._retries)
        outcome: TransportResult | None = None
        try:
            while True:
                pause = script.send(outcome)
                if pause is None:
                    outcome = self._send(call)
                else:
                    self._sleep(pause)
                    outcome = None
        except StopIteration as done:
            answer: _T = done.value
            return answer

    def _send(self, call: ApiRequest[_T]) -> TransportResult:
        request = self._http.build_request(
            call.method,
            call.path,
            params=call.params,
            content=call.content,
            headers=call.headers,
            timeout=call.timeout_for(self._http.timeout),
        )
        try:
            response = self._http.send(request, stream=call.streams)
            if call.streams and not call.is_stream(response):
                response.read()
        except httpx.HTTPError as error:
            return error
        return response

    def _stream(self, call: ApiRequest[httpx.Response]) -> Iterator[Event]:
        with closing(self._do(call)) as response:
            try:
                for sent in EventSource(response).iter_sse():
                    event = decode_event(sent.event, sent.data)
                    if event is not None:
                        yield event
                    if isinstance(event, EndEvent):
                        return
            except httpx.HTTPError as error:
                raise transport_error(call, error) from error
        raise truncated_stream_error()
