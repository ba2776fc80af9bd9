"""Questions: single, several, streamed, and explained."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any, TypeVar

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from anaphora.api import explanations, replies
from anaphora.api.values import to_plain
from anaphora.core.request import Request as QuestionRequest
from anaphora.core.request import User
from anaphora.engine.reply import Reply
from anaphora.errors import AnaphoraError
from anaphora.server.problems import ProblemError, to_problem
from anaphora.server.routes.authentication import Caller, authenticate
from anaphora.server.routes.common import (
    DirectRoute,
    get_header,
    get_service,
    json_response,
    read_body,
)
from anaphora.server.routes.event_stream import KEEP_ALIVE, event_stream, format_event
from anaphora.server.schemas.openapi import describe
from anaphora.server.schemas.requests import Dialog, Question, QuestionFields
from anaphora.server.schemas.serializers import serialize_reply, to_json_bytes
from anaphora.server.service.service import AskOptions

__all__ = ["router"]

_KEEP_ALIVE_COMMENT = b": the question is still being answered\n\n"

_EVENT = {
    "type": "object",
    "required": ["event", "data"],
    "properties": {
        "event": {"enum": ["question", "explanation", "reply", "problem", "end"]},
        "data": {"type": "string", "contentMediaType": "application/json"},
    },
}
_log = logging.getLogger(__name__)
_Rendered = TypeVar("_Rendered")

router = APIRouter(prefix="/v1", tags=["questions"], route_class=DirectRoute)


@router.post(
    "/ask",
    summary="Ask a question",
    **describe("ask", replies.Reply, "unknown-model", "conflict", "handler-failed", body=Question),
)
async def ask(request: Request) -> Response:
    """Answer one question of a user's conversation with a model, and remember what it used.

    `status` is `matched`, `incomplete` (`prompt` asks for what is `missing`), `rejected` (`reason`
    explains why) or `reset`. A question that fails leaves the memory unchanged."""
    caller = await authenticate(request, "ask")
    question = await read_body(request, Question)
    user = caller.engine_user(question.user)
    request.scope["anaphora.text"] = question.text
    body = await get_service(request).ask_and_render(
        lambda reply, model: to_json_bytes(serialize_reply(reply, user=user.id, model=model)),
        question.text,
        user=user,
        model=question.model,
        options=_ask_options(request, caller, question),
        explain=question.explain,
    )
    return json_response(body)


@router.post(
    "/dialog",
    summary="Ask several questions",
    **describe("dialog", replies.DialogReplies, "unknown-model", body=Dialog),
)
async def dialog(request: Request) -> Response:
    """Answer several questions of one conversation in their order. The first failure ends the
    request and becomes its `problem`; earlier answers are kept."""
    asked = await _DialogRequest.read(request, await authenticate(request, "ask"))
    answered: list[dict[str, Any]] = []
    for text in asked.texts:
        reply = await asked.reply(text, lambda reply: reply, explain=asked.explains)
        if isinstance(reply, ProblemError):
            return json_response({"replies": answered, "problem": to_plain(reply.details)})
        answered.append(reply)
    return json_response({"replies": answered, "problem": None})


@router.post(
    "/ask/events",
    summary="Ask several questions and stream the answers",
    **describe(
        "askEvents",
        None,
        "unknown-model",
        body=Dialog,
        description="A stream of events: for each text `question` {index, text}, `explanation` "
        "and `reply`; `problem` ends it early; `end` {answered} is the last.",
        content={"text/event-stream": {"schema": _EVENT}},
    ),
)
async def ask_events(request: Request) -> Response:
    """Answer several questions of one conversation in their order, and send each answer as soon as
    it is ready. If the client disconnects, the question in progress is still answered, and the
    remaining ones are not asked."""
    asked = await _DialogRequest.read(request, await authenticate(request, "ask"))
    return event_stream(_stream_events(asked))


@router.post(
    "/explain",
    summary="Explain how a question would be answered",
    **describe(
        "explain", explanations.Explanation, "unknown-model", "handler-failed", body=Question
    ),
)
async def explain(request: Request) -> Response:
    """Explain how a question would be answered now. No handler is called, and nothing is
    remembered. (`explain` in the body has no effect.)"""
    caller = await authenticate(request, "ask")
    question = await read_body(request, Question)
    request.scope["anaphora.text"] = question.text
    explanation = await get_service(request).explain(
        question.text,
        user=caller.engine_user(question.user),
        model=question.model,
        options=_ask_options(request, caller, question),
    )
    return json_response(explanation.to_dict())


class _DialogRequest:
    """The questions of one request."""

    def __init__(self, request: Request, caller: Caller, body: Dialog, user: User) -> None:
        self.texts = body.texts
        self.explains = body.explain
        self._service = get_service(request)
        self._caller = caller
        self._user = user
        self._model = body.model
        self._options = _ask_options(request, caller, body)

    @classmethod
    async def read(cls, request: Request, caller: Caller) -> _DialogRequest:
        """Read the questions in the body and count each of them for the rate.

        Raises :class:`ProblemError` as :func:`read_body` does, and :class:`UnknownModel`.
        """
        body = await read_body(request, Dialog)
        asked = cls(request, caller, body, caller.engine_user(body.user))
        if body.model is not None:
            asked._service.engine.model(body.model)
        request.scope["anaphora.text"] = body.texts
        rate_limiter = asked._service.rate_limiter
        await rate_limiter.consume_dialog(caller.key, caller.address, len(body.texts))
        return asked

    async def reply(
        self, text: str, render: Callable[[dict[str, Any]], _Rendered], *, explain: bool
    ) -> _Rendered | ProblemError:
        """Answer one question and return ``render`` of the reply, or a problem. An unexpected error
        must not lose the earlier answers."""

        def show_reply(reply: Reply, model: str) -> _Rendered:
            return render(serialize_reply(reply, user=self._user.id, model=model))

        try:
            return await self._service.ask_and_render(
                show_reply,
                text,
                user=self._user,
                model=self._model,
                options=self._options,
                explain=explain,
            )
        except ProblemError as refusal:
            return refusal
        except AnaphoraError as error:
            return to_problem(error, include_details=self._caller.is_admin)
        except Exception as error:
            _log.exception("a question failed", exc_info=error)
            return ProblemError("internal")


async def _stream_events(asked: _DialogRequest) -> AsyncIterator[bytes]:
    answered = 0
    for index, text in enumerate(asked.texts):
        yield format_event("question", {"index": index, "text": text})
        # A separate task: it continues if the client disconnects.
        task = asyncio.ensure_future(
            asked.reply(text, partial(_reply_events, explains=asked.explains), explain=True)
        )
        while not (await asyncio.wait([task], timeout=KEEP_ALIVE))[0]:
            yield _KEEP_ALIVE_COMMENT
        result = task.result()
        if isinstance(result, ProblemError):
            yield format_event("problem", result.details)
            break
        yield result
        answered += 1
    yield format_event("end", {"answered": answered})


def _reply_events(reply: dict[str, Any], *, explains: bool) -> bytes:
    explanation = reply["explanation"] if explains else reply.pop("explanation")
    return format_event("explanation", explanation) + format_event("reply", reply)


def _ask_options(request: Request, caller: Caller, options: QuestionFields) -> AskOptions:
    return {
        "at": options.at,
        "language": options.language,
        "request": QuestionRequest(
            id=request.scope.get("anaphora.request_id"),
            address=caller.address or None,
            agent=get_header(request, b"user-agent") or None,
            data=options.data,
            time_zone=options.time_zone,
        ),
    }
