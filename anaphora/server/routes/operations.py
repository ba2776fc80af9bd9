"""Endpoints for operators: liveness, readiness, metrics, and the permissions of a key."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response

from anaphora.api.operations import Health, KeyInfo, Readiness
from anaphora.server.routes.agents import get_agents
from anaphora.server.routes.authentication import Caller, require_scope
from anaphora.server.routes.common import get_service, json_response
from anaphora.server.schemas.openapi import describe
from anaphora.server.schemas.serializers import serialize_key
from anaphora.version import __version__

__all__ = ["router"]

_AnyCaller = Annotated[Caller, Depends(require_scope())]
_Admin = Annotated[Caller, Depends(require_scope("admin"))]

router = APIRouter(tags=["operations"])

_ready = describe("ready", Readiness, is_open=True)
_ready["responses"][503] = {
    "description": "Not ready, or shutting down.",
    "content": {
        "application/json": {"schema": {"$ref": "#/components/schemas/Readiness"}},
        **_ready["responses"][503]["content"],
    },
}


@router.get("/v1/key", summary="Show the key in use", **describe("showKey", KeyInfo))
async def key(request: Request, caller: _AnyCaller) -> Response:
    """Return the permissions of the key in use. A service without keys permits everything."""
    return json_response(serialize_key(caller.key))


@router.get("/health", summary="Check liveness", **describe("health", Health, is_open=True))
async def health(request: Request) -> Response:
    """Return whether the process is alive. No store is queried: ``quarantined`` is the number of
    items that the long-term memory had set aside at its last count, ``quarantined_conversations``
    that of damaged conversations in the store."""
    service = get_service(request)
    quarantined = 0 if service.long_term is None else service.long_term.status().quarantined
    return json_response(Health("ok", __version__, quarantined, service.quarantined_conversations))


@router.get("/ready", summary="Check readiness", **_ready)
async def ready(request: Request) -> Response:
    """Return whether the store, the models and the stores of the agents are available; 503 if not.
    The long-term memory is listed, but not required: its exchanges wait until it is available."""
    service = get_service(request)
    found = {"store": await service.is_store_ready(), "models": bool(service.engine.models)}
    if any(agents := get_agents(request)):
        found["agents"] = await agents.is_ready()
    checks = {name: "ok" if is_there else "failed" for name, is_there in found.items()}
    is_ready = all(found.values())
    if service.long_term is not None:
        checks["memory"] = "ok" if await service.is_memory_ready() else "failed"
    readiness = Readiness("ok" if is_ready else "failed", checks=checks)
    return json_response(readiness, 200 if is_ready else 503)


@router.get(
    "/metrics",
    summary="Show metrics",
    **describe(
        "metrics",
        None,
        description="Metrics in the text format of Prometheus.",
        content={"text/plain": {"schema": {"type": "string"}}},
    ),
)
async def metrics(request: Request, caller: _Admin) -> Response:
    """Return the metrics of all workers in the format of Prometheus."""
    service = get_service(request)
    service.update_memory_metrics()
    text = await service.run(service.metrics.render)
    return Response(text, headers={"Content-Type": service.metrics.content_type})
