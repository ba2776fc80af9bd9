"""Conversations: their state, resetting them, and the active model."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from starlette.requests import Request
from starlette.responses import Response

from anaphora.api.conversations import ActiveModel, Conversation
from anaphora.server.routes.authentication import Caller, require_scope
from anaphora.server.routes.common import get_service, json_response, read_body
from anaphora.server.schemas.openapi import describe
from anaphora.server.schemas.requests import ConversationQuery, ForgetQuery, ModelChoice, UserQuery
from anaphora.server.schemas.serializers import serialize_conversation

__all__ = ["router"]

_AskCaller = Annotated[Caller, Depends(require_scope("ask"))]
_PollCaller = Annotated[Caller, Depends(require_scope("read", bucket="poll"))]
_WriteCaller = Annotated[Caller, Depends(require_scope("write"))]

router = APIRouter(prefix="/v1", tags=["conversations"])


@router.get(
    "/conversation",
    summary="Show a conversation",
    **describe("showConversation", Conversation, "unknown-model", "invalid-request"),
)
async def show(
    request: Request, caller: _PollCaller, query: Annotated[ConversationQuery, Query()]
) -> Response:
    """Return what a conversation remembers, its dialog flow, and a pending question. A new
    conversation is empty. These requests are counted separately and allowed ten times as often as
    the rate of the key, so that a page may poll a conversation without using up its questions."""
    user = caller.engine_user(query.user)
    found = await get_service(request).conversation(user=user, model=query.model)
    return json_response(serialize_conversation(*found))


@router.delete(
    "/conversation",
    summary="Forget a conversation or a part of it",
    **describe("forget", Conversation, "unknown-model", "invalid-request", "conflict"),
)
async def forget(
    request: Request, caller: _WriteCaller, query: Annotated[ForgetQuery, Query()]
) -> Response:
    """Forget a whole conversation, its remembered entities, its dialog flow or one group of
    entities, after the question in progress. Returns what remains."""
    left = await get_service(request).forget(
        user=caller.engine_user(query.user), model=query.model, what=query.what, group=query.group
    )
    return json_response(serialize_conversation(*left))


@router.get(
    "/active-model",
    summary="Show the active model of a user",
    **describe("showActiveModel", ActiveModel, "invalid-request"),
)
async def show_active_model(
    request: Request, caller: _AskCaller, query: Annotated[UserQuery, Query()]
) -> Response:
    """Return the model for questions of the user that name none."""
    user = caller.engine_user(query.user)
    model = await get_service(request).active_model(user=user)
    return json_response(ActiveModel(user.id, model))


@router.put(
    "/active-model",
    summary="Switch a user to another model",
    **describe("switchModel", ActiveModel, "unknown-model", body=ModelChoice),
)
async def switch_model(request: Request, caller: _AskCaller) -> Response:
    """Set the model for questions of the user that name none. Each model has its own memory of the
    user, which it keeps until its own timeout."""
    body = await read_body(request, ModelChoice)
    user = caller.engine_user(body.user)
    model = await get_service(request).switch(body.model, user=user)
    return json_response(ActiveModel(user.id, model))


@router.delete(
    "/active-model",
    summary="Switch a user back to the default model",
    **describe("resetActiveModel", ActiveModel, "invalid-request"),
)
async def reset_active_model(
    request: Request, caller: _AskCaller, query: Annotated[UserQuery, Query()]
) -> Response:
    """Use the default model again for questions of the user that name none."""
    user = caller.engine_user(query.user)
    model = await get_service(request).switch(None, user=user)
    return json_response(ActiveModel(user.id, model))
