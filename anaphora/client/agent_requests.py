"""The requests to an agent, one function each, as :mod:`anaphora.client.requests` has them.

The methods of ``client.agent(…)`` take their signatures and docstrings from these functions,
without the first parameter.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeAlias, TypeVar
from urllib.parse import quote
from uuid import uuid4

import httpx

from anaphora.api.agents import (
    AgentAnswer,
    AgentAnswers,
    AgentArchivePage,
    AgentCore,
    AgentGraph,
    AgentInfo,
    AgentList,
    AgentQueue,
    AgentStep,
    AgentUsage,
    ArchiveChange,
)
from anaphora.api.long_term_memory import RecallPage
from anaphora.api.values import decode
from anaphora.client.errors import InvalidResponse, ProblemDetails, build_error
from anaphora.client.request_flow import ApiRequest

__all__ = [
    "AgentEvent",
    "AgentRef",
    "TextEvent",
    "add_document",
    "agents",
    "archive",
    "core",
    "decode_agent_event",
    "edit_block",
    "edit_memory",
    "graph",
    "notify",
    "queue",
    "recall",
    "remove_document",
    "send",
    "steps",
    "stream",
    "usage",
]

_T = TypeVar("_T")
_PATIENCE = 600.0  # seconds: a language model may take minutes


@dataclass(frozen=True, slots=True)
class AgentRef:
    """An agent by its name, and the user who talks to it (None: the user of the key)."""

    name: str
    user: str | None = None

    def path(self, part: str) -> str:
        return f"/v1/agents/{quote(self.name, safe='')}/{part}"


@dataclass(frozen=True, slots=True)
class TextEvent:
    """A piece of what the model writes, as it arrives."""

    text: str


AgentEvent: TypeAlias = AgentStep | TextEvent | AgentAnswer
"""Each step of the model, pieces of its text, and the answer, which is the last."""


def agents() -> ApiRequest[tuple[AgentInfo, ...]]:
    """Return the agents of the server."""

    def read(response: httpx.Response) -> tuple[AgentInfo, ...]:
        return decode(AgentList, response.json()).agents

    return ApiRequest("GET", "/v1/agents", read)


def send(agent: AgentRef, text: str, *, id: str | None = None) -> ApiRequest[AgentAnswer]:
    """Send a message and return the answer, which may take minutes.

    A message is answered once, also if the request is repeated: ``id`` identifies it (default: a
    new id). If no response arrives, send it again with the same id to get its answer.
    """
    body = _body(agent, text=text, id=id or uuid4().hex)
    path = agent.path("messages")
    return ApiRequest("POST", path, _decoder(AgentAnswer), body=body, patience=_PATIENCE)


def stream(agent: AgentRef, text: str, *, id: str | None = None) -> ApiRequest[httpx.Response]:
    """Send a message and receive what the agent does as it happens.

    Yields each step of the model (``AgentStep``), pieces of its text (``TextEvent``), and as the
    last the ``AgentAnswer``. A problem is raised where it occurs. ``id``: see :meth:`send`. If you
    leave the loop of an ``AsyncClient`` early, close the stream with ``contextlib.aclosing``.
    """

    def read(response: httpx.Response) -> httpx.Response:
        if not call.is_stream(response):
            raise ValueError("expected a stream of events")
        return response

    body = _body(agent, text=text, id=id or uuid4().hex)
    call = ApiRequest("POST", agent.path("messages"), read, body=body, streams=True)
    return call


def notify(
    agent: AgentRef,
    kind: Literal["login", "heartbeat", "system_alert", "document"],
    text: str = "",
    *,
    id: str | None = None,
) -> ApiRequest[AgentAnswer]:
    """Tell the agent of another event than a message. It may stay silent."""
    body = _body(agent, kind=kind, text=text, id=id or uuid4().hex)
    path = agent.path("events")
    return ApiRequest("POST", path, _decoder(AgentAnswer), body=body, patience=_PATIENCE)


def core(agent: AgentRef) -> ApiRequest[AgentCore]:
    """Return the core memory: the blocks of every prompt, and the declared memories."""
    return _get(agent, "core", AgentCore)


def edit_block(agent: AgentRef, label: str, value: str) -> ApiRequest[AgentCore]:
    """Set the value of a block of the core memory; return the core memory."""
    path = agent.path(f"core/{quote(label, safe='')}")
    return ApiRequest("PUT", path, _decoder(AgentCore), body=_body(agent, value=value))


def edit_memory(
    agent: AgentRef, name: str, value: str | dict[str, Any] | None
) -> ApiRequest[AgentCore]:
    """Set the whole value of a declared memory (a text, or its fields; None resets it); return the
    core memory."""
    path = agent.path(f"memories/{quote(name, safe='')}")
    return ApiRequest("PUT", path, _decoder(AgentCore), body=_body(agent, value=value))


def queue(agent: AgentRef) -> ApiRequest[AgentQueue]:
    """Return the messages that the next prompt contains, and the sizes of its parts."""
    return _get(agent, "queue", AgentQueue)


def recall(agent: AgentRef, text: str = "", *, page: int | None = None) -> ApiRequest[RecallPage]:
    """Search everything that the user and the agent said; without a text, list it."""
    return _get(agent, "recall", RecallPage, q=text or None, page=page)


def archive(
    agent: AgentRef, text: str = "", *, page: int | None = None
) -> ApiRequest[AgentArchivePage]:
    """Search the documents of the agent and its notes; without a text, list their sources."""
    return _get(agent, "archive", AgentArchivePage, q=text or None, page=page)


def add_document(agent: AgentRef, source: str, text: str) -> ApiRequest[ArchiveChange]:
    """Add a text to the archive of the user, in place of what its source had before. Without a
    user, to the archive that all users share, which needs the scope ``admin``."""
    body = _body(agent, source=source, text=text)
    return ApiRequest("POST", agent.path("archive"), _decoder(ArchiveChange), body=body)


def remove_document(agent: AgentRef, source: str) -> ApiRequest[ArchiveChange]:
    """Remove a source from the archive of the user; without a user, from that of all users."""
    params = _params(user=agent.user, source=source)
    return ApiRequest("DELETE", agent.path("archive"), _decoder(ArchiveChange), params=params)


def steps(agent: AgentRef, *, limit: int | None = None) -> ApiRequest[AgentAnswers]:
    """Return what the agent did with the last events, oldest first."""
    return _get(agent, "steps", AgentAnswers, limit=limit)


def usage(agent: AgentRef) -> ApiRequest[AgentUsage]:
    """Return the calls and tokens of the language model."""
    return _get(agent, "usage", AgentUsage)


def graph(
    agent: AgentRef,
    entity: str | None = None,
    *,
    depth: Literal[1, 2] | None = None,
    at: datetime | None = None,
) -> ApiRequest[AgentGraph]:
    """Return the facts around an entity that hold at a time (default: now); without an entity, the
    entities that were mentioned most and last."""
    if at is not None and at.utcoffset() is None:
        raise ValueError(f"the time {at} has no time zone: write datetime(…, tzinfo=UTC)")
    time = None if at is None else at.isoformat()
    return _get(agent, "graph", AgentGraph, entity=entity, depth=depth, at=time)


def decode_agent_event(name: str, data: str) -> AgentEvent | None:
    """Decode the event ``name`` of a stream; None for an event of a newer server.

    Raises :class:`ApiError` for the problem that ends the stream.
    """
    try:
        plain = json.loads(data)
        match name:
            case "step":
                return decode(AgentStep, plain)
            case "text":
                return decode(TextEvent, plain)
            case "answer":
                return decode(AgentAnswer, plain)
    except (ValueError, RecursionError) as error:
        detail = f"the event {name!r} of the stream cannot be read: {error}"
        raise InvalidResponse(ProblemDetails(200, detail=detail)) from error
    if name == "error":
        status = plain.get("status") if isinstance(plain, dict) else None
        raise build_error(status if isinstance(status, int) else 500, plain)
    return None


def _get(agent: AgentRef, part: str, kind: type[_T], **params: Any) -> ApiRequest[_T]:
    return ApiRequest(
        "GET", agent.path(part), _decoder(kind), params=_params(user=agent.user, **params)
    )


def _body(agent: AgentRef, **fields: Any) -> dict[str, Any]:
    return fields if agent.user is None else {"user": agent.user, **fields}


def _params(**values: Any) -> dict[str, str]:
    return {name: str(value) for name, value in values.items() if value is not None}


def _decoder(kind: type[_T]) -> Any:
    def read(response: httpx.Response) -> _T:
        return decode(kind, response.json())

    return read
