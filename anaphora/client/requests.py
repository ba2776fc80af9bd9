"""The requests of the service, one function each: from arguments to an :class:`ApiRequest`.

The clients' methods take their signatures and docstrings from these functions.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import update_wrapper
from inspect import Parameter, signature
from typing import Any, Literal, TypeAlias, TypedDict, TypeVar, Unpack

import httpx

from anaphora.api.conversations import ActiveModel, Conversation
from anaphora.api.explanations import Explanation
from anaphora.api.long_term_memory import Erasure, History, RecallPage
from anaphora.api.models import CheckReport, ModelInfo, ModelList, ModelSummary
from anaphora.api.operations import Health, KeyInfo, Readiness
from anaphora.api.replies import Reply
from anaphora.api.values import decode
from anaphora.client.dialog import Dialog, decode_dialog
from anaphora.client.request_flow import ApiRequest

__all__ = [
    "AskOptions",
    "ForgetTarget",
    "QuestionOptions",
    "RecallMode",
    "RecallOptions",
    "active_model",
    "ask",
    "check",
    "conversation",
    "copy_signature",
    "dialog",
    "erase",
    "events",
    "explain",
    "forget",
    "health",
    "history",
    "key",
    "model",
    "models",
    "ready",
    "recall",
    "reload",
    "switch",
]

_T = TypeVar("_T")
_Method = TypeVar("_Method", bound=Callable[..., Any])

ForgetTarget: TypeAlias = Literal["all", "entities", "flow"]
RecallMode: TypeAlias = Literal["text", "meaning", "hybrid", "rrf"]


class QuestionOptions(TypedDict, total=False):
    """Options of a question: the ``user`` (default: the user of the key, else ``user``), the
    ``model`` (default: the user's active one), the time ``at`` with its zone (default: now), the
    ``language`` (default: detected), the ``time_zone`` in which "today" is today
    (``Europe/Berlin``; default: the zone of ``at``), and ``data`` for predicates."""

    user: str | None
    model: str | None
    at: datetime | None
    language: str | None
    time_zone: str | None
    data: Mapping[str, Any] | None


class AskOptions(QuestionOptions, total=False):
    """:class:`QuestionOptions`; ``explain`` asks for the explanation of every reply."""

    explain: bool


class RecallOptions(TypedDict, total=False):
    """Options of a search: the ``user`` (default: the user of the key, else ``user``), and filters
    for the exchanges: the ``model``, the time from ``since`` to ``until`` (exclusive), the
    ``intent`` that answered, and the values of ``slots``. ``how``: by words, by meaning, or both;
    ``language`` is that of the text; ``at`` and ``time_zone`` define "yesterday". A ``page`` (from
    1) has ``size`` passages, each with ``neighbours`` exchanges on both sides."""

    user: str | None
    model: str | None
    how: RecallMode | None
    language: str | None
    at: datetime | None
    time_zone: str | None
    since: datetime | None
    until: datetime | None
    intent: str | None
    slots: Mapping[str, str] | None
    page: int | None
    size: int | None
    neighbours: int | None


def ask(text: str, **options: Unpack[AskOptions]) -> ApiRequest[Reply]:
    """Ask one question: ``ask("And in Kyoto?", user="ann", model="weather")``.

    See :class:`~anaphora.client.requests.AskOptions` for the options.
    """
    body = {"text": text, **_encode_options(AskOptions, options)}
    return ApiRequest("POST", "/v1/ask", _json_decoder(Reply), body=body, changes=True)


def dialog(texts: Iterable[str], **options: Unpack[AskOptions]) -> ApiRequest[Dialog]:
    """Ask several questions, one after the other.

    The first problem ends the dialog and becomes its ``problem``; earlier replies are kept.
    """

    def read(response: httpx.Response) -> Dialog:
        return decode_dialog(response.json())

    body = {"texts": _text_list(texts), **_encode_options(AskOptions, options)}
    return ApiRequest("POST", "/v1/dialog", read, body=body, changes=True)


def events(texts: Iterable[str], **options: Unpack[AskOptions]) -> ApiRequest[httpx.Response]:
    """Ask several questions and receive each reply as soon as it is ready.

    Yields ``QuestionEvent``, the ``Explanation`` if requested, and the ``Reply`` of each question;
    ``EndEvent`` comes last. A problem is raised where it occurs. If you leave the loop of an
    ``AsyncClient`` early, close the stream with ``contextlib.aclosing``.
    """

    def read(response: httpx.Response) -> httpx.Response:
        if not call.is_stream(response):
            raise ValueError("expected a stream of events")
        return response

    body = {"texts": _text_list(texts), **_encode_options(AskOptions, options)}
    call = ApiRequest("POST", "/v1/ask/events", read, body=body, changes=True, streams=True)
    return call


def explain(text: str, **options: Unpack[QuestionOptions]) -> ApiRequest[Explanation]:
    """Explain how a question would be answered now. Nothing is remembered."""
    body = {"text": text, **_encode_options(QuestionOptions, options)}
    return ApiRequest("POST", "/v1/explain", _json_decoder(Explanation), body=body)


def conversation(*, user: str | None = None, model: str | None = None) -> ApiRequest[Conversation]:
    """Return a user's conversation: its memory, its flow, and what is pending or offered."""
    return _with_params("GET", "/v1/conversation", Conversation, user=user, model=model)


def forget(
    *,
    user: str | None = None,
    model: str | None = None,
    what: ForgetTarget | None = None,
    group: str | None = None,
) -> ApiRequest[Conversation]:
    """Forget ``all`` of a conversation (the default), its ``entities`` or its ``flow``, or the
    entities of a ``group``. Returns the conversation afterwards."""
    path = "/v1/conversation"
    return _with_params(
        "DELETE", path, Conversation, user=user, model=model, what=what, group=group
    )


def active_model(*, user: str | None = None) -> ApiRequest[ActiveModel]:
    """Return the model for the user's questions that name none."""
    return _with_params("GET", "/v1/active-model", ActiveModel, user=user)


def switch(model: str | None, *, user: str | None = None) -> ApiRequest[ActiveModel]:
    """Switch the user to another model; None switches back to the default."""
    path = "/v1/active-model"
    if model is None:
        return _with_params("DELETE", path, ActiveModel, user=user)
    body = _without_none(user=user, model=model)
    return ApiRequest("PUT", path, _json_decoder(ActiveModel), body=body, changes=True)


def history(*, user: str | None = None, model: str | None = None) -> ApiRequest[History]:
    """Return the working history of a conversation in the long-term memory."""
    return _with_params("GET", "/v1/history", History, user=user, model=model)


def recall(text: str = "", **options: Unpack[RecallOptions]) -> ApiRequest[RecallPage]:
    """Search the long-term memory: ``recall("Tokyo", user="ann")``. Without a text, return all
    exchanges, newest first.

    See :class:`~anaphora.client.requests.RecallOptions` for the options.
    """
    params = {"user": None, "text": text or None, **_encode_options(RecallOptions, options)}
    if "slots" in params:
        params["slots"] = json.dumps(params["slots"], ensure_ascii=False)
    return _with_params("GET", "/v1/recall", RecallPage, **params)


def erase(*, user: str | None = None) -> ApiRequest[Erasure]:
    """Erase all that the service stores about a user. This can't be undone."""
    return _with_params("DELETE", "/v1/user", Erasure, user=user)


def models() -> ApiRequest[tuple[ModelSummary, ...]]:
    """Return the models of the server, the default one first."""

    def read(response: httpx.Response) -> tuple[ModelSummary, ...]:
        plain = response.json()
        decode(ModelList, plain)
        return tuple(decode(ModelSummary, one) for one in plain["models"])

    return ApiRequest("GET", "/v1/models", read)


def model(id: str) -> ApiRequest[ModelInfo]:
    """Return a model: its elements, intents and samples."""
    return _with_params("GET", "/v1/model", ModelInfo, id=id)


def reload(id: str) -> ApiRequest[ModelInfo]:
    """Reload a model's file. A file with errors raises :class:`Invalid`, and the old model keeps
    answering."""
    return _with_params("POST", "/v1/model/reload", ModelInfo, id=id)


def check(id: str) -> ApiRequest[CheckReport]:
    """Run the samples of a model."""
    return _with_params("POST", "/v1/model/check", CheckReport, id=id)


def key() -> ApiRequest[KeyInfo]:
    """Return the permissions of the key in use."""
    return _with_params("GET", "/v1/key", KeyInfo)


def health() -> ApiRequest[Health]:
    """Return whether the server runs, its version, and how many items are in quarantine."""
    return _with_params("GET", "/health", Health)


def ready() -> ApiRequest[Readiness]:
    """Return whether the server can answer questions now."""

    def read(response: httpx.Response) -> Readiness:
        plain = response.json()
        status = plain.get("status") if isinstance(plain, dict) else None
        if not isinstance(status, str):  # a server that is shutting down sends a problem instead
            status = response.reason_phrase
        return decode(Readiness, plain, status=status, ready=response.status_code == 200)

    return ApiRequest("GET", "/ready", read, expected=(200, 503))


def copy_signature(method: _Method, build: Callable[..., Any], *, skip: int = 0) -> _Method:
    """Copy the name, the docstring and the parameters of ``build`` to ``method``, after ``self``
    and without the first ``skip`` ones."""
    update_wrapper(method, build)
    built = signature(build)
    self = Parameter("self", Parameter.POSITIONAL_ONLY)
    parameters = [self, *list(built.parameters.values())[skip:]]
    method.__signature__ = built.replace(  # type: ignore[attr-defined]  # which inspect reads
        parameters=parameters, return_annotation=signature(method).empty
    )
    return method


def _with_params(method: str, path: str, kind: type[_T], **params: Any) -> ApiRequest[_T]:
    """Create a request with query parameters, those that are not None. All but GET change
    something."""
    given = _without_none(**params)
    return ApiRequest(method, path, _json_decoder(kind), params=given, changes=method != "GET")


def _encode_options(kind: type[Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Encode the options that are set as JSON-able data.

    Raises ``TypeError`` for an option that ``kind`` lacks, and ``ValueError`` for a time without a
    zone.
    """
    for name in options:
        if name not in kind.__annotations__:
            raise TypeError(f"unexpected keyword argument '{name}'")
    return {
        name: _encode(value)
        for name, value in options.items()
        if value is not None and value is not False
    }


def _encode(value: Any) -> Any:
    if isinstance(value, datetime):
        if value.utcoffset() is None:
            raise ValueError(f"the time {value} has no time zone: write datetime(…, tzinfo=UTC)")
        return value.isoformat()
    return dict(value) if isinstance(value, Mapping) else value


def _without_none(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _text_list(texts: Iterable[str]) -> list[str]:
    if isinstance(texts, str):
        raise TypeError("expected a list of questions; ask() takes a single one")
    return list(texts)


def _json_decoder(kind: type[_T]) -> Callable[[httpx.Response], _T]:
    def read(response: httpx.Response) -> _T:
        return decode(kind, response.json())

    return read
