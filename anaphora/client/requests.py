"""The requests of the service, one function each: from arguments to a :class:`Call`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, Literal, TypeAlias, TypedDict, TypeVar

import httpx

from anaphora.client.request_flow import ApiRequest
from anaphora.client.types.decoding import decode
from anaphora.client.types.explanations import Explanation
from anaphora.client.types.memory import Erasure, History, RecallPage
from anaphora.client.types.replies import Dialog, Reply, decode_dialog
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

ForgetTarget: TypeAlias = Literal["all", "entities", "flow"]
RecallMode: TypeAlias = Literal["text", "meaning", "hybrid", "rrf"]


class QuestionOptions(TypedDict, total=False):
    """What may be said of a question: whose it is (left out: the user of the key, else ``user``),
    the ``model`` that is asked (the user's active one), the time with its zone (now), the
    ``language`` (it is detected), where "today" is today (``Europe/Berlin``; in the zone of the
    time), and free ``data`` for predicates."""

    user: str | None
    model: str | None
    at: datetime | None
    language: str | None
    time_zone: str | None
    data: Mapping[str, Any] | None


class AskOptions(QuestionOptions, total=False):
    """As :class:`QuestionOptions`; ``explain`` asks for the explanation of every answer, too."""

    explain: bool


class RecallOptions(TypedDict, total=False):
    """Among what is looked: of which ``user`` (left out: the user of the key, else ``user``), said
    with which ``model`` (any), ``since`` a time and before another one (``until``), answered by
    which ``intent``, with which values of ``slots``. ``how``: by words, by meaning or by both (if
    the service can); ``language`` is that of the text, ``at`` and ``time_zone`` say when and where
    "yesterday" is looked for. A ``page`` (1 is the first) has ``size`` passages, each with so many
    ``neighbours`` on both sides."""

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


def ask(text: str, **options: Any) -> ApiRequest[Reply]:
    body = {"text": text, **_question_fields(**options)}
    return ApiRequest("POST", "/v1/ask", _json_decoder(Reply), body=body, changes=True)


def dialog(texts: Iterable[str], **options: Any) -> ApiRequest[Dialog]:
    def answered(response: httpx.Response) -> Dialog:
        return decode_dialog(response.json())

    body = {"texts": _text_list(texts), **_question_fields(**options)}
    return ApiRequest("POST", "/v1/dialog", answered, body=body, changes=True)


def events(texts: Iterable[str], **options: Any) -> ApiRequest[httpx.Response]:
    def opened(response: httpx.Response) -> httpx.Response:
        if not call.is_stream(response):
            raise ValueError("a stream of events should have come")
        return response

    body = {"texts": _text_list(texts), **_question_fields(**options)}
    call = ApiRequest("POST", "/v1/ask/events", opened, body=body, changes=True, streams=True)
    return call


def explain(text: str, **options: Any) -> ApiRequest[Explanation]:
    body = {"text": text, **_question_fields(**options)}
    return ApiRequest("POST", "/v1/explain", _json_decoder(Explanation), body=body)


def conversation(*, user: str | None = None, model: str | None = None) -> ApiRequest[Conversation]:
    params = _without_none(user=user, model=model)
    return ApiRequest("GET", "/v1/conversation", _json_decoder(Conversation), params=params)


def forget(
    *,
    user: str | None = None,
    model: str | None = None,
    what: ForgetTarget | None = None,
    group: str | None = None,
) -> ApiRequest[Conversation]:
    params = _without_none(user=user, model=model, what=what, group=group)
    return ApiRequest(
        "DELETE", "/v1/conversation", _json_decoder(Conversation), params=params, changes=True
    )


def active_model(*, user: str | None = None) -> ApiRequest[ActiveModel]:
    return ApiRequest(
        "GET", "/v1/active-model", _json_decoder(ActiveModel), params=_without_none(user=user)
    )


def switch(model: str | None, *, user: str | None = None) -> ApiRequest[ActiveModel]:
    path, answered = "/v1/active-model", _json_decoder(ActiveModel)
    if model is None:
        return ApiRequest("DELETE", path, answered, params=_without_none(user=user), changes=True)
    return ApiRequest(
        "PUT", path, answered, body=_without_none(user=user, model=model), changes=True
    )


def history(*, user: str | None = None, model: str | None = None) -> ApiRequest[History]:
    return ApiRequest(
        "GET", "/v1/history", _json_decoder(History), params=_without_none(user=user, model=model)
    )


def recall(
    text: str = "",
    *,
    user: str | None = None,
    model: str | None = None,
    how: RecallMode | None = None,
    language: str | None = None,
    at: datetime | None = None,
    time_zone: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    intent: str | None = None,
    slots: Mapping[str, str] | None = None,
    page: int | None = None,
    size: int | None = None,
    neighbours: int | None = None,
) -> ApiRequest[RecallPage]:
    params = _without_none(
        user=user,
        text=text or None,
        model=model,
        how=how,
        language=language,
        at=None if at is None else _require_time_zone(at).isoformat(),
        time_zone=time_zone,
        since=None if since is None else _require_time_zone(since).isoformat(),
        until=None if until is None else _require_time_zone(until).isoformat(),
        intent=intent,
        slots=None if slots is None else json.dumps(dict(slots), ensure_ascii=False),
        page=page,
        size=size,
        neighbours=neighbours,
    )
    return ApiRequest("GET", "/v1/recall", _json_decoder(RecallPage), params=params)


def erase(*, user: str | None = None) -> ApiRequest[Erasure]:
    return ApiRequest(
        "DELETE", "/v1/user", _json_decoder(Erasure), params=_without_none(user=user), changes=True
    )


def models() -> ApiRequest[tuple[ModelSummary, ...]]:
    def listed(response: httpx.Response) -> tuple[ModelSummary, ...]:
        plain = response.json()
        if not isinstance(plain, dict) or not isinstance(plain.get("models"), list):
            raise ValueError("a list of models should have come")
        return tuple(decode(ModelSummary, one) for one in plain["models"])

    return ApiRequest("GET", "/v1/models", listed)


def model(id: str) -> ApiRequest[ModelInfo]:
    return ApiRequest("GET", "/v1/model", _json_decoder(ModelInfo), params={"id": id})


def reload(id: str) -> ApiRequest[ModelInfo]:
    return ApiRequest(
        "POST", "/v1/model/reload", _json_decoder(ModelInfo), params={"id": id}, changes=True
    )


def check(id: str) -> ApiRequest[CheckReport]:
    return ApiRequest(
        "POST", "/v1/model/check", _json_decoder(CheckReport), params={"id": id}, changes=True
    )


def key() -> ApiRequest[KeyInfo]:
    return ApiRequest("GET", "/v1/key", _json_decoder(KeyInfo))


def health() -> ApiRequest[Health]:
    return ApiRequest("GET", "/health", _json_decoder(Health))


def ready() -> ApiRequest[Readiness]:
    def told(response: httpx.Response) -> Readiness:
        plain = response.json()
        status = plain.get("status") if isinstance(plain, dict) else None
        if not isinstance(status, str):  # one that is shutting down tells of a problem instead
            status = response.reason_phrase
        return decode(Readiness, plain, status=status, ready=response.status_code == 200)

    return ApiRequest("GET", "/ready", told, expected=(200, 503))


def _question_fields(
    *,
    user: str | None = None,
    model: str | None = None,
    at: datetime | None = None,
    language: str | None = None,
    time_zone: str | None = None,
    data: Mapping[str, Any] | None = None,
    explain: bool = False,
) -> dict[str, Any]:
    return _without_none(
        user=user,
        model=model,
        at=None if at is None else _require_time_zone(at).isoformat(),
        language=language,
        time_zone=time_zone,
        data=None if data is None else dict(data),
        explain=explain or None,
    )


def _require_time_zone(at: datetime) -> datetime:
    if at.utcoffset() is None:
        raise ValueError(f"the time {at} has no time zone: write datetime(…, tzinfo=UTC)")
    return at


def _without_none(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _text_list(texts: Iterable[str]) -> list[str]:
    if isinstance(texts, str):
        raise TypeError("texts are a list of questions; ask() takes a single one")
    return list(texts)


def _json_decoder(kind: type[_T]) -> Callable[[httpx.Response], _T]:
    def answered(response: httpx.Response) -> _T:
        return decode(kind, response.json())

    return answered
