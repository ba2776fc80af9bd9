"""Agents: list them, send them messages and other events."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from datetime import UTC, datetime, time, timedelta
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any
from uuid import uuid4

from fastapi import APIRouter, Depends, Path
from starlette.requests import Request
from starlette.responses import Response

from anaphora.api import agents as api
from anaphora.api.values import Value
from anaphora.core.request import User
from anaphora.engine.identity import tenant_id
from anaphora.errors import AnaphoraError
from anaphora.server.problems import ProblemError, to_problem
from anaphora.server.routes.authentication import Caller, require_scope
from anaphora.server.routes.common import get_header, get_service, json_response, read_body
from anaphora.server.routes.event_stream import KEEP_ALIVE, MEDIA_TYPE, event_stream, format_event
from anaphora.server.schemas.agent_requests import AgentEvent, AgentMessage
from anaphora.server.schemas.agent_serializers import (
    serialize_agent,
    serialize_answer,
    serialize_step,
)
from anaphora.server.schemas.openapi import describe

if TYPE_CHECKING:
    from anaphora.agents.agent import Agent
    from anaphora.agents.answer import AgentAnswer, AgentStep
    from anaphora.server.service.agents import AgentService

__all__ = ["AgentName", "get_agents", "router"]

AgentName = Annotated[str, Path(description="The name of the agent.", examples=["ada"])]

_AskCaller = Annotated[Caller, Depends(require_scope("ask"))]
_ReadCaller = Annotated[Caller, Depends(require_scope("read"))]
_WriteCaller = Annotated[Caller, Depends(require_scope("write"))]

_KEEP_ALIVE_COMMENT = b": the agent is still working\n\n"
_EVENT = {
    "type": "object",
    "required": ["event", "data"],
    "properties": {
        "event": {"enum": ["step", "text", "answer", "error"]},
        "data": {"type": "string", "contentMediaType": "application/json"},
    },
}

_log = logging.getLogger(__name__)

router = APIRouter(prefix="/v1/agents", tags=["agents"])


@router.get("", summary="List the agents", **describe("listAgents", api.AgentList))
async def list_agents(request: Request, caller: _ReadCaller) -> Response:
    """Return all agents of this service."""
    return json_response(api.AgentList(tuple(map(serialize_agent, get_agents(request)))))


@router.post(
    "/{agent}/messages",
    summary="Send a message to an agent",
    **describe(
        "sendMessage",
        api.AgentAnswer,
        "unknown-agent",
        "conflict",
        "agent-refused",
        "quota-exceeded",
        "chat-model-failed",
        "chat-model-unavailable",
        body=AgentMessage,
        description="The answer. With `Accept: text/event-stream`, a stream of events: `step` for "
        "each answer of the model, `text` {text} for pieces of what it writes, then `answer` or "
        "`error` (a problem).",
        content={MEDIA_TYPE: {"schema": _EVENT}},
    ),
)
async def send(request: Request, caller: _AskCaller, agent: AgentName) -> Response:
    """Send a message of a user, and return the answer. It may take minutes.

    The message is kept even if the client disconnects or the language model fails. Sent again with
    the same `id`, it is answered once: the answer is that of the first time."""
    body = await read_body(request, AgentMessage)
    user, found = caller.engine_user(body.user), get_agents(request).get(agent)
    request.scope["anaphora.text"] = body.text
    send = partial(
        found.send, body.text, user=user.id, tenant=tenant_id(user), id=body.id or uuid4().hex
    )
    event = _EventRequest(request, caller, found, user)
    if MEDIA_TYPE not in get_header(request, b"accept"):
        return json_response(await event.answer(send))
    stream = _StepStream()
    task = event.start(partial(send, on_step=stream.add_step, on_text=stream.add_text))
    return event_stream(stream.read(task))


@router.post(
    "/{agent}/events",
    summary="Tell an agent of another event",
    **describe(
        "notifyAgent",
        api.AgentAnswer,
        "unknown-agent",
        "conflict",
        "agent-refused",
        "quota-exceeded",
        "chat-model-failed",
        "chat-model-unavailable",
        body=AgentEvent,
    ),
)
async def notify(request: Request, caller: _WriteCaller, agent: AgentName) -> Response:
    """Tell an agent of a login of the user, a timed heartbeat, an alert of the system, or a loaded
    document. It may stay silent: then there are no `messages`."""
    body = await read_body(request, AgentEvent)
    user, found = caller.engine_user(body.user), get_agents(request).get(agent)
    request.scope["anaphora.text"] = body.text
    notify = partial(
        found.notify,
        body.kind,
        body.text,
        user=user.id,
        tenant=tenant_id(user),
        id=body.id or uuid4().hex,
    )
    answer = await _EventRequest(request, caller, found, user).answer(notify)
    return json_response(answer)


def get_agents(request: Request) -> AgentService:
    """Return the agents of the app."""
    agents: AgentService = request.app.state.agents
    return agents


class _EventRequest:
    """An event of a user that a request sends to an agent."""

    def __init__(self, request: Request, caller: Caller, agent: Agent, user: User) -> None:
        self._agents, self._clock = get_agents(request), get_service(request).clock
        self._agent, self._user = agent, user
        self._includes_details = caller.is_admin

    async def answer(self, work: Callable[[], AgentAnswer | None]) -> api.AgentAnswer:
        """Process the event and return the answer.

        Raises :class:`ProblemError` if nothing was done because the quota is used up, and whatever
        ``work`` raises.
        """
        answer = await self._agents.process(self._agent, self._user, work)
        if answer is None:
            return api.AgentAnswer(
                self._agent.name, self._user.id, kind="heartbeat", ended="ignored"
            )
        if answer.ended == "quota" and not answer.steps:
            raise ProblemError(
                "quota-exceeded",
                f"The user has used up {answer.detail}.",
                headers={"Retry-After": str(_seconds_to_midnight(self._clock()))},
            )
        return serialize_answer(answer, agent=self._agent.name, user=self._user.id)

    def start(
        self, work: Callable[[], AgentAnswer | None]
    ) -> asyncio.Task[api.AgentAnswer | ProblemError]:
        """Start to process the event in a task of its own, which returns the answer or a problem.
        It goes on if the client disconnects."""
        return self._agents.keep_task(asyncio.create_task(self._try_answer(work)))

    async def _try_answer(
        self, work: Callable[[], AgentAnswer | None]
    ) -> api.AgentAnswer | ProblemError:
        try:
            return await self.answer(work)
        except ProblemError as problem:
            return problem
        except AnaphoraError as error:
            return to_problem(error, include_details=self._includes_details)
        except Exception as error:
            _log.exception("an event of an agent failed", exc_info=error)
            return ProblemError("internal")


class _StepStream:
    """Passes what an agent does from its thread to the client, as encoded events."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._events: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._is_open = True

    def add_step(self, step: AgentStep) -> None:
        self._add("step", serialize_step(step))

    def add_text(self, text: str) -> None:
        self._add("text", {"text": text})

    async def read(
        self, task: asyncio.Task[api.AgentAnswer | ProblemError]
    ) -> AsyncIterator[bytes]:
        """Yield the events until ``task`` ends, and then its result."""
        task.add_done_callback(lambda _: self._events.put_nowait(None))
        try:
            while True:
                try:
                    async with asyncio.timeout(KEEP_ALIVE):
                        event = await self._events.get()
                except TimeoutError:
                    event = _KEEP_ALIVE_COMMENT
                if event is None:
                    break
                yield event
        finally:
            self._is_open = False
        result = task.result()
        if isinstance(result, ProblemError):
            yield format_event("error", result.details)
        else:
            yield format_event("answer", result)

    def _add(self, name: str, value: Value | dict[str, Any]) -> None:
        if self._is_open:
            with suppress(RuntimeError):  # the event loop has ended
                self._loop.call_soon_threadsafe(self._events.put_nowait, format_event(name, value))


def _seconds_to_midnight(now: datetime) -> int:
    """Return the seconds until the next day begins in UTC."""
    now = now.astimezone(UTC)
    midnight = datetime.combine(now.date() + timedelta(days=1), time(), UTC)
    return max(1, round((midnight - now).total_seconds()))
