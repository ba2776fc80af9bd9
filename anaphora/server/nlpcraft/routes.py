"""The endpoints of NLPCraft 0.9's API, for existing clients of it.

Paths, fields, limits and errors are NLPCraft's; the access token is an API key. Its endpoints for
users, companies, probes and feedback are not implemented, and their responses say so.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar
from uuid import uuid4

from fastapi import APIRouter, FastAPI
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from anaphora.core import request as facts
from anaphora.server.nlpcraft import schemas
from anaphora.server.nlpcraft.access import authenticate_token, resolve_user
from anaphora.server.nlpcraft.dispatcher import NlpcraftUser, QuestionDispatcher, SubmittedQuestion
from anaphora.server.nlpcraft.errors import (
    ERROR_RESPONSES,
    HANDLED_ERRORS,
    error_response,
    not_implemented_response,
)
from anaphora.server.problems import ProblemError
from anaphora.server.routes.authentication import Caller
from anaphora.server.routes.common import get_header, get_service, json_response, read_body
from anaphora.server.settings.model import KeyScope

__all__ = ["PREFIX", "router"]

PREFIX = "/nlpcraft/api/v1"

_UNSUPPORTED_PATHS = ("company/", "feedback/", "model/", "probe/", "user/")
_METHODS = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE"]

_UserBody = TypeVar("_UserBody", bound=schemas.UserBody)


class _Route(APIRoute):
    """A route that reports errors as NLPCraft does."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handler = super().get_route_handler()

        async def handle(request: Request) -> Response:
            try:
                return await handler(request)
            except HANDLED_ERRORS as error:
                return error_response(error)

        return handle


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Answer the queued questions before the app shuts down."""
    yield
    if dispatcher := getattr(app.state, "nlpcraft_dispatcher", None):
        await dispatcher.close()


def _get_dispatcher(request: Request) -> QuestionDispatcher:
    state = request.app.state
    if not hasattr(state, "nlpcraft_dispatcher"):
        state.nlpcraft_dispatcher = QuestionDispatcher(state.service)
    dispatcher: QuestionDispatcher = state.nlpcraft_dispatcher
    return dispatcher


def _openapi_options(
    id: str, answered: type[BaseModel], sent: type[BaseModel] | None = None
) -> dict[str, Any]:
    """Return the OpenAPI options of an endpoint. The framework neither parses its body nor
    validates its response."""
    described: dict[str, Any] = {
        "operation_id": id,
        "response_model": None,
        "responses": {200: {"model": answered, "description": "Done."}},
        "openapi_extra": {"security": []},
    }
    if sent is None:
        return described
    schema = sent.model_json_schema()
    schema["title"] = f"Nlpcraft{sent.__name__.removesuffix('Body')}"
    content = {"application/json": {"schema": schema}}
    described["openapi_extra"]["requestBody"] = {"required": True, "content": content}
    described["responses"] |= ERROR_RESPONSES
    return described


router = APIRouter(prefix=PREFIX, tags=["nlpcraft"], route_class=_Route, lifespan=_lifespan)


@router.post("/ask", **_openapi_options("nlpcraftAsk", schemas.EnlistedAnswer, schemas.AskBody))
async def ask(request: Request) -> Response:
    """Enqueue a question. It is answered in the background; `check` returns its state for ten
    minutes. Questions of one conversation are answered in their order."""
    question = await _read_question(request)
    return _ok_response(srvReqId=await _get_dispatcher(request).ask(question))


@router.post(
    "/ask/sync", **_openapi_options("nlpcraftAskSync", schemas.StateAnswer, schemas.AskBody)
)
async def ask_sync(request: Request) -> Response:
    """Ask a question and wait for its result. `check` does not list it."""
    state = await _get_dispatcher(request).ask_and_wait(await _read_question(request))
    return _ok_response(state=state.to_plain())


@router.post("/check", **_openapi_options("nlpcraftCheck", schemas.StatesAnswer, schemas.CheckBody))
async def check(request: Request) -> Response:
    """Return the states of enqueued questions."""
    body, user, _ = await _read_user_body(request, schemas.CheckBody, "ask")
    found = await _get_dispatcher(request).states(user, body.srv_req_ids, limit=body.max_rows)
    return _ok_response(states=[state.to_plain() for state in found])


@router.post("/cancel", **_openapi_options("nlpcraftCancel", schemas.OkAnswer, schemas.CancelBody))
async def cancel(request: Request) -> Response:
    """Cancel enqueued questions. Waiting questions are not asked; the answer to one in progress is
    dropped."""
    body, user, _ = await _read_user_body(request, schemas.CancelBody, "ask")
    await _get_dispatcher(request).cancel(user, body.srv_req_ids)
    return _ok_response()


@router.post(
    "/clear/conversation",
    **_openapi_options("nlpcraftClearConversation", schemas.OkAnswer, schemas.ClearBody),
)
async def clear_conversation(request: Request) -> Response:
    """Forget the entities that a conversation remembers."""
    body, user, _ = await _read_user_body(request, schemas.ClearBody, "write")
    await get_service(request).forget(user=user.user, model=body.mdl_id, what="entities")
    return _ok_response()


@router.post(
    "/clear/dialog", **_openapi_options("nlpcraftClearDialog", schemas.OkAnswer, schemas.ClearBody)
)
async def clear_dialog(request: Request) -> Response:
    """Forget which intents have answered in a conversation."""
    body, user, _ = await _read_user_body(request, schemas.ClearBody, "write")
    await get_service(request).forget(user=user.user, model=body.mdl_id, what="flow")
    return _ok_response()


@router.post(
    "/signin", **_openapi_options("nlpcraftSignin", schemas.SignedAnswer, schemas.SignInBody)
)
async def sign_in(request: Request) -> Response:
    """Check the key that is sent as the password, and return it as the token."""
    body = await read_body(request, schemas.SignInBody)
    try:
        await authenticate_token(request, body.passwd)
    except ProblemError as refusal:
        if refusal.slug != "unauthorized":
            raise
        return error_response(refusal, code="NC_SIGNIN_FAILURE")
    return _ok_response(acsTok=body.passwd)


@router.post("/signout", **_openapi_options("nlpcraftSignout", schemas.OkAnswer, schemas.TokenBody))
async def sign_out(request: Request) -> Response:
    """Check the key. It stays valid: only the settings revoke a key."""
    body = await read_body(request, schemas.TokenBody)
    await authenticate_token(request, body.acs_tok)
    return _ok_response()


@router.get("/health", **_openapi_options("nlpcraftHealth", schemas.OkAnswer))
async def health(request: Request) -> Response:
    """Return whether the service is alive. No key is needed."""
    return _ok_response()


_ALLOWED_METHODS = {
    route.path.removeprefix(PREFIX + "/"): ", ".join(sorted(route.methods or ()))
    for route in router.routes
    if isinstance(route, APIRoute)
}


@router.api_route("/{path:path}", methods=_METHODS, include_in_schema=False)
async def handle_other(path: str) -> Response:
    if path in _ALLOWED_METHODS:
        raise ProblemError("method-not-allowed", headers={"Allow": _ALLOWED_METHODS[path]})
    if path.startswith(_UNSUPPORTED_PATHS):
        return not_implemented_response()
    raise ProblemError("not-found")


async def _read_question(request: Request) -> SubmittedQuestion:
    body, user, caller = await _read_user_body(request, schemas.AskBody, "ask")
    request.scope["anaphora.text"] = body.txt
    return SubmittedQuestion(
        user,
        body.mdl_id,
        body.txt,
        facts.Request(
            id=str(uuid4()),
            address=caller.address or None,
            agent=get_header(request, b"user-agent") or None,
            data=body.data or {},
        ),
        explain=bool(body.enable_log),
    )


async def _read_user_body(
    request: Request, kind: type[_UserBody], scope: KeyScope
) -> tuple[_UserBody, NlpcraftUser, Caller]:
    """Authenticate by the key in the body, which must have ``scope``; return the body, its user and
    the caller."""
    token = (await read_body(request, schemas.TokenBody)).acs_tok
    caller = await authenticate_token(request, token, scope)
    body = await read_body(request, kind)
    return body, resolve_user(caller, body), caller


def _ok_response(**fields: Any) -> Response:
    return json_response({"status": "API_OK", **fields})
