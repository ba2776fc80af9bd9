"""The endpoints of NLPCraft 0.9's API, for clients that speak it already.

Paths, fields, limits and errors are NLPCraft's; the access token is a key of our API. What it has
of users, companies, probes and feedback is not there: such a request is told so.
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

from anaphora.grammar import request as facts
from anaphora.server.addresses import address_of
from anaphora.server.nlpcraft import bodies
from anaphora.server.nlpcraft.access import caller_of, who_of
from anaphora.server.nlpcraft.clerk import Asked, Clerk, Who
from anaphora.server.nlpcraft.failures import DESCRIBED, RAISED, failure, left_out
from anaphora.server.problems import Refusal
from anaphora.server.routes.common import answer, body_of
from anaphora.server.settings import Scope

if TYPE_CHECKING:
    from anaphora.server.service import Service

__all__ = ["PREFIX", "router"]

PREFIX = "/nlpcraft/api/v1"

_LEFT_OUT = ("company/", "feedback/", "model/", "probe/", "user/")
_METHODS = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE"]

_OfUser = TypeVar("_OfUser", bound=bodies.OfUser)
_ServiceOf: TypeAlias = Callable[[Request], "Service"]
_ClerkOf: TypeAlias = Callable[[Request], Clerk]


class _Route(APIRoute):
    """A route that fails as NLPCraft's do."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handler = super().get_route_handler()

        async def handle(request: Request) -> Response:
            try:
                return await handler(request)
            except RAISED as error:
                return failure(error)

        return handle


def _utc_now() -> datetime:
    return datetime.now(UTC)


def router(
    service_of: Callable[[Request], Service], *, clock: Callable[[], datetime] = _utc_now
) -> APIRouter:
    """The endpoints under ``PREFIX``, for one app. ``service_of`` gives the service of a request;
    ``clock`` tells the time. When the app ends, questions in line are answered first."""
    clerks: list[Clerk] = []

    @asynccontextmanager
    async def lifespan(app: object) -> AsyncIterator[None]:
        yield
        while clerks:
            await clerks.pop().close()

    def clerk_of(request: Request) -> Clerk:
        if not clerks:
            clerks.append(Clerk(service_of(request), clock=clock))
        return clerks[0]

    made = APIRouter(prefix=PREFIX, tags=["nlpcraft"], route_class=_Route, lifespan=lifespan)
    _add_questions(made, service_of, clerk_of)
    _add_conversation(made, service_of, clerk_of)
    _add_session(made, service_of)
    _add_rest(made)
    return made


def _add_questions(made: APIRouter, service_of: _ServiceOf, clerk_of: _ClerkOf) -> None:
    @made.post("/ask", **_told(bodies.Ask, bodies.EnlistedAnswer, id="nlpcraftAsk"))
    async def ask(request: Request) -> Response:
        """Enlist a question. It is answered in the background: `check` tells what became of it,
        for ten minutes. Questions of one conversation are answered in their order."""
        asked = await _asked(request, service_of(request))
        return _ok(srvReqId=await clerk_of(request).ask(asked))

    @made.post("/ask/sync", **_told(bodies.Ask, bodies.StateAnswer, id="nlpcraftAskSync"))
    async def ask_sync(request: Request) -> Response:
        """Ask a question, and wait for what becomes of it. `check` does not speak of it."""
        asked = await _asked(request, service_of(request))
        state = await clerk_of(request).ask_and_wait(asked)
        return _ok(state=state.to_plain())

    @made.post("/check", **_told(bodies.Check, bodies.StatesAnswer, id="nlpcraftCheck"))
    async def check(request: Request) -> Response:
        """What became of enlisted questions."""
        body, who = await _for_user(request, service_of(request), bodies.Check, "ask")
        found = await clerk_of(request).states(who, body.srv_req_ids, most=body.max_rows)
        return _ok(states=[state.to_plain() for state in found])

    @made.post("/cancel", **_told(bodies.Cancel, bodies.OkAnswer, id="nlpcraftCancel"))
    async def cancel(request: Request) -> Response:
        """Forget enlisted questions. One that waits for its turn is not asked any more; one that
        is being answered is, and the answer is dropped."""
        body, who = await _for_user(request, service_of(request), bodies.Cancel, "ask")
        await clerk_of(request).cancel(who, body.srv_req_ids)
        return _ok()


def _add_conversation(made: APIRouter, service_of: _ServiceOf, clerk_of: _ClerkOf) -> None:
    @made.post(
        "/clear/conversation",
        **_told(bodies.Clear, bodies.OkAnswer, id="nlpcraftClearConversation"),
    )
    async def clear_conversation(request: Request) -> Response:
        """Forget the entities that a conversation remembers."""
        body, who = await _for_user(request, service_of(request), bodies.Clear, "write")
        await clerk_of(request).clear(who, body.mdl_id, "entities")
        return _ok()

    @made.post("/clear/dialog", **_told(bodies.Clear, bodies.OkAnswer, id="nlpcraftClearDialog"))
    async def clear_dialog(request: Request) -> Response:
        """Forget which intents have answered in a conversation."""
        body, who = await _for_user(request, service_of(request), bodies.Clear, "write")
        await clerk_of(request).clear(who, body.mdl_id, "flow")
        return _ok()


def _add_session(made: APIRouter, service_of: _ServiceOf) -> None:
    @made.post("/signin", **_told(bodies.SignIn, bodies.SignedAnswer, id="nlpcraftSignin"))
    async def sign_in(request: Request) -> Response:
        """Have the key that is sent as the password checked and given back as the token."""
        body = await body_of(request, bodies.SignIn)
        try:
            await caller_of(request, service_of(request), body.passwd)
        except Refusal as refusal:
            if refusal.slug != "unauthorized":
                raise
            return failure(refusal, code="NC_SIGNIN_FAILURE")
        return _ok(acsTok=body.passwd)

    @made.post("/signout", **_told(bodies.Token, bodies.OkAnswer, id="nlpcraftSignout"))
    async def sign_out(request: Request) -> Response:
        """Have the key checked. It can be used as before: only the settings end a key."""
        body = await body_of(request, bodies.Token)
        await caller_of(request, service_of(request), body.acs_tok)
        return _ok()

    @made.get("/health", **_told(None, bodies.OkAnswer, id="nlpcraftHealth"))
    async def health(request: Request) -> Response:
        """Whether the service is there. No key is needed."""
        return _ok()


def _add_rest(made: APIRouter) -> None:
    methods = {
        route.path.removeprefix(PREFIX + "/"): ", ".join(sorted(route.methods or ()))
        for route in made.routes
        if isinstance(route, APIRoute)
    }

    @made.api_route("/{rest:path}", methods=_METHODS, include_in_schema=False)
    async def no_such(rest: str) -> Response:
        if rest in methods:
            raise Refusal("method-not-allowed", headers={"Allow": methods[rest]})
        if rest.startswith(_LEFT_OUT):
            return left_out()
        raise Refusal("not-found")


async def _asked(request: Request, service: Service) -> Asked:
    body, who = await _for_user(request, service, bodies.Ask, "ask")
    address = address_of(request.scope, service.settings.trusted_proxies)
    request.scope["anaphora.text"] = body.txt
    return Asked(
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


async def _for_user(
    request: Request, service: Service, kind: type[_OfUser], scope: Scope
) -> tuple[_OfUser, Who]:
    """The body, once the key in it has been seen to allow ``scope``, and for whom it is."""
    token = (await body_of(request, bodies.Token)).acs_tok
    caller = await caller_of(request, service, token, scope)
    body = await body_of(request, kind)
    return body, who_of(caller, body)


def _ok(**fields: Any) -> Response:
    return answer({"status": "API_OK", **fields})


def _told(sent: type[BaseModel] | None, answered: type[BaseModel], *, id: str) -> dict[str, Any]:
    """What OpenAPI tells of an endpoint: no framework reads its body or checks its answer."""
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
    described["responses"] |= DESCRIBED
    return described
