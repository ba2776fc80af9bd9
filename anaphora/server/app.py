"""The FastAPI application: assemble the HTTP service from its parts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Match

from anaphora.engine.engine import Engine
from anaphora.errors import AnaphoraError
from anaphora.ltm.factory import build_memory
from anaphora.server.auth.keys import KeyRing
from anaphora.server.http.body_limit import BodyLimitMiddleware
from anaphora.server.http.middleware import add_observability
from anaphora.server.observability.metrics import Metrics
from anaphora.server.observability.tracing import create_tracing
from anaphora.server.problems import ProblemError, problem_response, to_problem
from anaphora.server.rate_limits.limiter import RateLimiter
from anaphora.server.routes import (
    agent_memory,
    ask,
    conversation,
    long_term_memory,
    models,
    operations,
)
from anaphora.server.routes import (
    agents as agent_routes,
)
from anaphora.server.routes.page import page_router
from anaphora.server.schemas.openapi import DESCRIPTION, TAGS, build_openapi
from anaphora.server.schemas.requests import to_validation_problem
from anaphora.server.service.agents import AgentService, close_agents, find_fallback, open_agents
from anaphora.server.service.deadline import Deadline
from anaphora.server.service.model_reloader import ModelReloader
from anaphora.server.service.service import Service
from anaphora.server.settings.model import Settings
from anaphora.version import __version__

if TYPE_CHECKING:
    from anaphora.agents.agent import Agent

__all__ = ["create_app"]

_METHODS = ("GET", "POST", "PUT", "DELETE", "PATCH")


def _utc_now() -> datetime:
    return datetime.now(UTC)


def create_app(
    settings: Settings,
    *,
    engine: Engine | None = None,
    agents: Iterable[Agent] = (),
    clock: Callable[[], datetime] = _utc_now,
) -> FastAPI:
    """Create the application that serves ``engine`` and ``agents``, of which
    ``settings.fallback`` answers what no intent fits.

    Without an engine, create one and the agents from the settings, and close them when the
    application shuts down.
    ``clock`` returns the current time (with a time zone).

    Raises :class:`AnaphoraError` for models or a store that cannot be used.
    """
    is_ours = engine is None
    if engine is None:
        config = settings.memory.to_config()
        long_term = build_memory(config, clock=clock) if config else None
        try:
            agents = open_agents(settings, long_term)
            engine = Engine(
                *settings.models,
                store=settings.store,
                long_term=long_term,
                clock=clock,
                cache=settings.cache,
            )
            engine.prepare()
        except BaseException:
            close_agents(agents)
            if long_term is not None:
                long_term.close()
            raise
    deadline, agents = Deadline(), tuple(agents)
    fallback = find_fallback(settings, agents)
    service = Service(
        engine if fallback is None else engine.with_fallback(fallback),
        settings,
        KeyRing(settings.keys, clock),
        RateLimiter(settings),
        Metrics(),
        create_tracing(settings.tracing),
        clock=clock,
        deadline=deadline,
    )
    agent_service = AgentService(service, agents)
    reloader = ModelReloader(engine, service.run)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        deadline.bind()
        tasks = [
            asyncio.create_task(task) for task in _background_tasks(settings, reloader, service)
        ]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await agent_service.close()
            await service.close()
            if is_ours:
                await asyncio.to_thread(close_agents, agents)
                await asyncio.to_thread(_close_engine, engine)

    app = FastAPI(
        title="Anaphora",
        version=__version__,
        description=DESCRIPTION,
        openapi_tags=TAGS,
        docs_url=None,  # these pages load scripts from other hosts
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
    )
    app.state.service, app.state.reloader = service, reloader
    app.state.agents = agent_service
    _add_routes(app, settings)
    _add_handlers(app)
    _add_middlewares(app, settings, service)
    openapi = partial(build_openapi, app, needs_key=bool(settings.keys))
    app.openapi = openapi  # type: ignore[method-assign]  # FastAPI's own way to change it
    return app


def _close_engine(engine: Engine) -> None:
    """Flush the long-term memory, then close the engine with it."""
    try:
        if engine.long_term is not None:
            engine.long_term.close()
    finally:
        engine.close()


def _background_tasks(
    settings: Settings, reloader: ModelReloader, service: Service
) -> Iterator[Any]:
    if service.long_term is not None:
        yield service.poll_memory_metrics()
    yield service.poll_quarantine()
    if not settings.store.startswith("memory:"):
        yield reloader.poll_requests()
    if settings.reload:
        yield reloader.poll_files()


def _add_routes(app: FastAPI, settings: Settings) -> None:
    app.routes.extend(_api_routes())
    if settings.nlpcraft:
        from anaphora.server.nlpcraft import router

        app.include_router(router)  # with its lifespan
    if settings.page:
        app.include_router(page_router(reload=settings.reload))


@cache
def _api_routes() -> list[BaseRoute]:
    """The routes of every application. FastAPI builds their schemas with the first request, which
    takes 70 ms: once in a process."""
    router = APIRouter()
    for module in (
        ask,
        conversation,
        long_term_memory,
        models,
        agent_routes,
        agent_memory,
        operations,
    ):
        router.include_router(module.router)
    return router.routes


def _add_middlewares(app: FastAPI, settings: Settings, service: Service) -> None:
    """Add the middlewares, innermost first."""
    app.add_middleware(BodyLimitMiddleware, max_body=settings.max_body)
    cors = None
    if settings.cors:
        cors = partial(
            CORSMiddleware,
            allow_origins=settings.cors,
            allow_methods=_METHODS,
            allow_headers=("Authorization", "Content-Type", "X-API-Key", "X-Request-ID"),
            expose_headers=("Retry-After", "X-Request-ID"),
        )
        app.add_middleware(cors)
    add_observability(
        app,
        metrics=service.metrics,
        tracing=service.tracing,
        texts=settings.log.texts,
        deadline=service.deadline,
        cors=cors,
    )


def _add_handlers(app: FastAPI) -> None:
    app.add_exception_handler(StarletteHTTPException, _handle_http_exception)
    app.add_exception_handler(RequestValidationError, _handle_validation_error)
    app.add_exception_handler(AnaphoraError, _handle_engine_error)
    app.add_exception_handler(ClientDisconnect, _handle_disconnect)


async def _handle_http_exception(request: Request, error: Exception) -> Response:
    assert isinstance(error, StarletteHTTPException)
    if error.status_code != 405:
        return problem_response(error)
    allowed = {"Allow": ", ".join(_allowed_methods(request))}
    if request.method == "OPTIONS":
        return Response(status_code=204, headers=allowed)
    return problem_response(ProblemError("method-not-allowed", headers=allowed))


async def _handle_validation_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    declared = request.scope["route"].dependant.query_params
    known = [name for one in declared for name in one.field_info.annotation.model_fields]
    return problem_response(to_validation_problem(error.errors(), known))


async def _handle_engine_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, AnaphoraError)
    caller = request.scope.get("anaphora.caller")
    return problem_response(
        to_problem(error, include_details=caller is not None and caller.is_admin)
    )


async def _handle_disconnect(request: Request, error: Exception) -> Response:
    return Response(status_code=400)  # the client has disconnected


def _allowed_methods(request: Request) -> list[str]:
    """Return the methods that the path of a request supports."""
    found = {
        method
        for method in _METHODS
        for route in request.app.routes
        if route.matches({**request.scope, "method": method})[0] is Match.FULL
    }
    return sorted(found | ({"HEAD"} if "GET" in found else set()) | {"OPTIONS"})
