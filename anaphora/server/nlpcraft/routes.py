"""The endpoints of NLPCraft 0.9's API, for existing clients of it.

Paths, fields, limits and errors are NLPCraft's; the access token is an API key. Its endpoints for
users, companies, probes and feedback are not implemented, and their responses say so.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar
from uuid import uuid4

from fastapi import APIRouter
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from anaphora.core import request as facts
from anaphora.server.auth.client_address import client_address
from anaphora.server.nlpcraft import schemas
from anaphora.server.nlpcraft.access import authenticate, resolve_user
from anaphora.server.nlpcraft.dispatcher import NlpcraftUser, QuestionDispatcher, SubmittedQuestion
from anaphora.server.nlpcraft.errors import (
    ERROR_RESPONSES,
    HANDLED_ERRORS,
    error_response,
    not_implemented_response,
)
from anaphora.server.problems import ProblemError
from anaphora.server.routes.common import json_response, read_body
from anaphora.server.settings.model import KeyScope

if TYPE_CHECKING:
    from anaphora.server.service.service import Service

__all__ = ["PREFIX", "router"]

PREFIX = "/nlpcraft/api/v1"

_UNSUPPORTED_PATHS = ("company/", "feedback/", "model/", "probe/", "user/")
_METHODS = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE"]

_UserBody = TypeVar("_UserBody", bound=schemas.UserBody)
_GetService: TypeAlias = Callable[[Request], "Service"]
_GetDispatcher: TypeAlias = Callable[[Request], QuestionDispatcher]


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


def _utc_now() -> datetime:
    return datetime.now(UTC)


def router(
    get_service: Callable[[Request], Service], *, clock: Callable[[], datetime] = _utc_now
) -> APIRouter:
    """Create the router of the endpoints under ``PREFIX`` for one app.

    ``get_service`` returns the service of a request; ``clock`` returns the current time. When the
    app shuts down, queued questions are answered first.
    """
    clerks: list[QuestionDispatcher] = []

    @asynccontextmanager
    async def lifespan(app: object) -> AsyncIterator[None]:
        yield
        while clerks:
            await clerks.pop().close()

    def clerk_of(request: Request) -> QuestionDispatcher:
        if not clerks:
            clerks.append(QuestionDispatcher(get_service(request), clock=clock))
        return clerks[0]

    made = APIRouter(prefix=PREFIX, tags=["nlpcraft"], route_class=_Route, lifespan=lifespan)
    _add_questions(made, get_service, clerk_of)
    _add_conversation(made, get_service, clerk_of)
    _add_session(made, get_service)
    _add_fallback(made)
    return made


def _add_questions(
    made: APIRouter, get_service: _GetService, get_dispatcher: _GetDispatcher
) -> None:
    @made.post("/ask", **_openapi_options(schemas.Ask, schemas.EnlistedAnswer, id="nlpcraftAsk"))
    async def ask(request: Request) -> Response:
        """Enlist a question. It is answered in the background: `check` tells what became of it,
        for ten minutes. Questions of one conversation are answered in their order."""
        asked = await _read_question(request, get_service(request))
        return _ok_response(srvReqId=await get_dispatcher(request).ask(asked))

    @made.post(
        "/ask/sync", **_openapi_options(schemas.Ask, schemas.StateAnswer, id="nlpcraftAskSync")
    )
    async def ask_sync(request: Request) -> Response:
        """Ask a question, and wait for what becomes of it. `check` does not speak of it."""
        asked = await _read_question(request, get_service(request))
        state = await get_dispatcher(request).ask_and_wait(asked)
        return _ok_response(state=state.to_plain())

    @made.post(
        "/check", **_openapi_options(schemas.Check, schemas.StatesAnswer, id="nlpcraftCheck")
    )
    async def check(request: Request) -> Response:
        """What became of enlisted questions."""
        body, who = await _read_user_body(request, get_service(request), schemas.Check, "ask")
        found = await get_dispatcher(request).states(who, body.srv_req_ids, most=body.max_rows)
        return _ok_response(states=[state.to_plain() for state in found])

    @made.post("/cancel", **_openapi_options(schemas.Cancel, schemas.OkAnswer, id="nlpcraftCancel"))
    async def cancel(request: Request) -> Response:
        """Forget enlisted questions. One that waits for its turn is not asked any more; one that
        is being answered is, and the answer is dropped."""
        body, who = await _read_user_body(request, get_service(request), schemas.Cancel, "ask")
        await get_dispatcher(request).cancel(who, body.srv_req_ids)
        return _ok_response()


def _add_conversation(
    made: APIRouter, get_service: _GetService, get_dispatcher: _GetDispatcher
) -> None:
    @made.post(
        "/clear/conversation",
        **_openapi_options(schemas.Clear, schemas.OkAnswer, id="nlpcraftClearConversation"),
    )
    async def clear_conversation(request: Request) -> Response:
        """Forget the entities that a conversation remembers."""
        body, who = await _read_user_body(request, get_service(request), schemas.Clear, "write")
        await get_dispatcher(request).clear(who, body.mdl_id, "entities")
        return _ok_response()

    @made.post(
        "/clear/dialog",
        **_openapi_options(schemas.Clear, schemas.OkAnswer, id="nlpcraftClearDialog"),
    )
    async def clear_dialog(request: Request) -> Response:
        """Forget which intents have answered in a conversation."""
        body, who = await _read_user_body(request, get_service(request), schemas.Clear, "write")
        await get_dispatcher(request).clear(who, body.mdl_id, "flow")
        return _ok_response()


def _add_session(made: APIRouter, get_service: _GetService) -> None:
    @made.post(
        "/signin", **_openapi_options(schemas.SignIn, schemas.SignedAnswer, id="nlpcraftSignin")
    )
    async def sign_in(request: Request) -> Response:
        """Have the key that is sent as the password checked and given back as the token."""
        body = await read_body(request, schemas.SignIn)
        try:
            await authenticate(request, get_service(request), body.passwd)
        except ProblemError as refusal:
            if refusal.slug != "unauthorized":
                raise
            return error_response(refusal, code="NC_SIGNIN_FAILURE")
        return _ok_response(acsTok=body.passwd)

    @made.post(
        "/signout", **_openapi_options(schemas.Token, schemas.OkAnswer, id="nlpcraftSignout")
    )
    async def sign_out(request: Request) -> Response:
        """Have the key checked. It can be used as before: only the settings end a key."""
        body = await read_body(request, schemas.Token)
        await authenticate(request, get_service(request), body.acs_tok)
        return _ok_response()

    @made.get("/health", **_openapi_options(None, schemas.OkAnswer, id="nlpcraftHealth"))
    async def health(request: Request) -> Response:
        """Whether the service is there. No key is needed."""
        return _ok_response()


def _add_fallback(made: APIRouter) -> None:
    methods = {
        route.path.removeprefix(PREFIX + "/"): ", ".join(sorted(route.methods or ()))
        for route in made.routes
        if isinstance(route, APIRoute)
    }

    @made.api_route("/{rest:path}", methods=_METHODS, include_in_schema=False)
    async def no_such(rest: str) -> Response:
        if rest in methods:
            raise ProblemError("method-not-allowed", headers={"Allow": methods[rest]})
        if rest.startswith(_UNSUPPORTED_PATHS):
            return not_implemented_response()
        raise ProblemError("not-found")


async def _read_question(request: Request, service: Service) -> SubmittedQuestion:
    body, who = await _read_user_body(request, service, schemas.Ask, "ask")
    address = client_address(request.scope, service.settings.trusted_proxies)
    request.scope["anaphora.text"] = body.txt
    return SubmittedQuestion(
        who,
        body.mdl_id,
        body.txt,
        facts.Request(
            id=str(uuid4()),
            address=address or None,
            agent=request.headers.get("user-agent"),
            data=body.data or {},
        ),
        explain=bool(body.enable_log),
    )


async def _read_user_body(
    request: Request, service: Service, kind: type[_UserBody], scope: KeyScope
) -> tuple[_UserBody, NlpcraftUser]:
    """Authenticate by the key in the body, which must have ``scope``; return the body and its
    user."""
    token = (await read_body(request, schemas.Token)).acs_tok
    caller = await authenticate(request, service, token, scope)
    body = await read_body(request, kind)
    return body, resolve_user(caller, body)


def _ok_response(**fields: Any) -> Response:
    return json_response({"status": "API_OK", **fields})


def _openapi_options(
    sent: type[BaseModel] | None, answered: type[BaseModel], *, id: str
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
    schema = sent.model_json_schema() | {"title": f"Nlpcraft{sent.__name__}"}
    content = {"application/json": {"schema": schema}}
    described["openapi_extra"]["requestBody"] = {"required": True, "content": content}
    described["responses"] |= ERROR_RESPONSES
    return described
