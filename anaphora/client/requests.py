"""The requests of the service, one function each: from arguments to a :class:`Call`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, Literal, TypeAlias, TypedDict, TypeVar

import httpx

from anaphora.client.descriptions import (
    ActiveModel,
    CheckReport,
    Conversation,
    Health,
    KeyInfo,
    ModelInfo,
    ModelSummary,
    Readiness,
)
from anaphora.client.exchange import Call
from anaphora.client.explanations import Explanation
from anaphora.client.memory import Erased, History, Recalled
from anaphora.client.reading import read
from anaphora.client.replies import Dialog, Reply, read_dialog

__all__ = [
    "AskOptions",
    "How",
    "QuestionOptions",
    "RecallOptions",
    "What",
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

What: TypeAlias = Literal["all", "entities", "flow"]
How: TypeAlias = Literal["text", "meaning", "hybrid", "rrf"]


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
    how: How | None
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


def ask(text: str, **options: Any) -> Call[Reply]:
    body = {"text": text, **_question(**options)}
    return Call("POST", "/v1/ask", _json_of(Reply), body=body, changes=True)


def dialog(texts: Iterable[str], **options: Any) -> Call[Dialog]:
    def answered(response: httpx.Response) -> Dialog:
        return read_dialog(response.json())

    body = {"texts": _listed(texts), **_question(**options)}
    return Call("POST", "/v1/dialog", answered, body=body, changes=True)


def events(texts: Iterable[str], **options: Any) -> Call[httpx.Response]:
    def opened(response: httpx.Response) -> httpx.Response:
        if not call.is_stream(response):
            raise ValueError("a stream of events should have come")
        return response

    body = {"texts": _listed(texts), **_question(**options)}
    call = Call("POST", "/v1/ask/events", opened, body=body, changes=True, streams=True)
    return call


def explain(text: str, **options: Any) -> Call[Explanation]:
    body = {"text": text, **_question(**options)}
    return Call("POST", "/v1/explain", _json_of(Explanation), body=body)


def conversation(*, user: str | None = None, model: str | None = None) -> Call[Conversation]:
    params = _given(user=user, model=model)
    return Call("GET", "/v1/conversation", _json_of(Conversation), params=params)


def forget(
    *,
    user: str | None = None,
    model: str | None = None,
    what: What | None = None,
    group: str | None = None,
) -> Call[Conversation]:
    params = _given(user=user, model=model, what=what, group=group)
    return Call("DELETE", "/v1/conversation", _json_of(Conversation), params=params, changes=True)


def active_model(*, user: str | None = None) -> Call[ActiveModel]:
    return Call("GET", "/v1/active-model", _json_of(ActiveModel), params=_given(user=user))


def switch(model: str | None, *, user: str | None = None) -> Call[ActiveModel]:
    path, answered = "/v1/active-model", _json_of(ActiveModel)
    if model is None:
        return Call("DELETE", path, answered, params=_given(user=user), changes=True)
    return Call("PUT", path, answered, body=_given(user=user, model=model), changes=True)


def history(*, user: str | None = None, model: str | None = None) -> Call[History]:
    return Call("GET", "/v1/history", _json_of(History), params=_given(user=user, model=model))


def recall(
    text: str = "",
    *,
    user: str | None = None,
    model: str | None = None,
    how: How | None = None,
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
) -> Call[Recalled]:
    params = _given(
        user=user,
        text=text or None,
        model=model,
        how=how,
        language=language,
        at=None if at is None else _zoned(at).isoformat(),
        time_zone=time_zone,
        since=None if since is None else _zoned(since).isoformat(),
        until=None if until is None else _zoned(until).isoformat(),
        intent=intent,
        slots=None if slots is None else json.dumps(dict(slots), ensure_ascii=False),
        page=page,
        size=size,
        neighbours=neighbours,
    )
    return Call("GET", "/v1/recall", _json_of(Recalled), params=params)


def erase(*, user: str | None = None) -> Call[Erased]:
    return Call("DELETE", "/v1/user", _json_of(Erased), params=_given(user=user), changes=True)


def models() -> Call[tuple[ModelSummary, ...]]:
    def listed(response: httpx.Response) -> tuple[ModelSummary, ...]:
        plain = response.json()
        if not isinstance(plain, dict) or not isinstance(plain.get("models"), list):
            raise ValueError("a list of models should have come")
        return tuple(read(ModelSummary, one) for one in plain["models"])

    return Call("GET", "/v1/models", listed)


def model(id: str) -> Call[ModelInfo]:
    return Call("GET", "/v1/model", _json_of(ModelInfo), params={"id": id})


def reload(id: str) -> Call[ModelInfo]:
    return Call("POST", "/v1/model/reload", _json_of(ModelInfo), params={"id": id}, changes=True)


def check(id: str) -> Call[CheckReport]:
    return Call("POST", "/v1/model/check", _json_of(CheckReport), params={"id": id}, changes=True)


def key() -> Call[KeyInfo]:
    return Call("GET", "/v1/key", _json_of(KeyInfo))


def health() -> Call[Health]:
    return Call("GET", "/health", _json_of(Health))


def ready() -> Call[Readiness]:
    def told(response: httpx.Response) -> Readiness:
        plain = response.json()
        status = plain.get("status") if isinstance(plain, dict) else None
        if not isinstance(status, str):  # one that is shutting down tells of a problem instead
            status = response.reason_phrase
        return read(Readiness, plain, status=status, ready=response.status_code == 200)

    return Call("GET", "/ready", told, expected=(200, 503))


def _question(
    *,
    user: str | None = None,
    model: str | None = None,
    at: datetime | None = None,
    language: str | None = None,
    time_zone: str | None = None,
    data: Mapping[str, Any] | None = None,
    explain: bool = False,
) -> dict[str, Any]:
    return _given(
        user=user,
        model=model,
        at=None if at is None else _zoned(at).isoformat(),
        language=language,
        time_zone=time_zone,
        data=None if data is None else dict(data),
        explain=explain or None,
    )


def _zoned(at: datetime) -> datetime:
    if at.utcoffset() is None:
        raise ValueError(f"the time {at} has no time zone: write datetime(…, tzinfo=UTC)")
    return at


def _given(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _listed(texts: Iterable[str]) -> list[str]:
    if isinstance(texts, str):
        raise TypeError("texts are a list of questions; ask() takes a single one")
    return list(texts)


def _json_of(kind: type[_T]) -> Callable[[httpx.Response], _T]:
    def answered(response: httpx.Response) -> _T:
        return read(kind, response.json())

    return answered
