"""The long-term memory: history, search, and erasing a user."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from starlette.requests import Request
from starlette.responses import Response

from anaphora.api.long_term_memory import Erasure, History, RecallPage
from anaphora.server.routes.agents import get_agents
from anaphora.server.routes.authentication import Caller, require_scope
from anaphora.server.routes.common import get_service, json_response
from anaphora.server.schemas.memory_serializers import serialize_history, serialize_recall_page
from anaphora.server.schemas.openapi import describe
from anaphora.server.schemas.requests import ConversationQuery, RecallQuery, UserQuery

__all__ = ["router"]

_ReadCaller = Annotated[Caller, Depends(require_scope("read"))]
_WriteCaller = Annotated[Caller, Depends(require_scope("write"))]

router = APIRouter(prefix="/v1", tags=["memory"])


@router.get(
    "/history",
    summary="Show the history of a conversation",
    **describe("showHistory", History, "unknown-model", "no-memory", "invalid-request"),
)
async def history(
    request: Request, caller: _ReadCaller, query: Annotated[ConversationQuery, Query()]
) -> Response:
    """Return the working history of a conversation: summaries of older exchanges, and the latest
    exchanges in full."""
    user = caller.engine_user(query.user)
    found = await get_service(request).history(user=user, model=query.model)
    return json_response(serialize_history(*found))


@router.get(
    "/recall",
    summary="Search earlier exchanges",
    **describe("recall", RecallPage, "no-memory", "invalid-request"),
)
async def recall(
    request: Request, caller: _ReadCaller, query: Annotated[RecallQuery, Query()]
) -> Response:
    """Search the exchanges of a user with all models: by words, by meaning, by time, by intent and
    by slot values."""
    user = caller.engine_user(query.user)
    page = await get_service(request).recall(query, user=user)
    return json_response(serialize_recall_page(page, user.id))


@router.delete(
    "/user", summary="Erase a user", **describe("eraseUser", Erasure, "invalid-request", "conflict")
)
async def erase(
    request: Request, caller: _WriteCaller, query: Annotated[UserQuery, Query()]
) -> Response:
    """Erase all data of a user, for all models: the conversations, the active model, the
    long-term memory, and what the agents remember, after their answer in progress. This cannot be
    undone."""
    user = caller.engine_user(query.user)
    records = await get_agents(request).erase(user)
    exchanges = await get_service(request).erase(user=user)
    return json_response(Erasure(user.id, exchanges, records))
