"""Endpoints for operators: liveness, readiness, metrics, and the permissions of a key."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response

from anaphora.api.operations import Health, KeyInfo, Readiness
from anaphora.server.routes.authentication import Caller, require_scope
from anaphora.server.routes.common import get_service, json_response
from anaphora.server.schemas.openapi import describe
from anaphora.server.schemas.serializers import serialize_key
from anaphora.version import __version__

__all__ = ["router"]

_Anyone = Annotated[Caller, Depends(require_scope())]
_Admin = Annotated[Caller, Depends(require_scope("admin"))]

router = APIRouter(tags=["operations"])

_ready = describe("ready", Readiness, is_open=True)
_ready["responses"][503] = {
    "description": "Not now, or: shutting down.",
    "content": {
        "application/json": {"schema": {"$ref": "#/components/schemas/Readiness"}},
        **_ready["responses"][503]["content"],
    },
}


@router.get("/v1/key", summary="Show the key in use", **describe("showKey", KeyInfo))
async def key(request: Request, caller: _Anyone) -> Response:
    """What the key in use may do. Where the service has no keys, anyone may do everything."""
    return json_response(serialize_key(caller.key))


@router.get(
    "/health",
    summary="Tell whether the process lives",
    **describe("health", Health, is_open=True),
)
async def health(request: Request) -> Response:
    """The process is there and answers. It asks no store: ``quarantined`` is how many items the
    long-term memory had put aside when it last looked, ``quarantined_conversations`` how many
    damaged conversations the store had."""
    service = get_service(request)
    quarantined = 0 if service.memory is None else service.memory.status().quarantined
    return json_response(Health("ok", __version__, quarantined, service.quarantined_conversations))


@router.get("/ready", summary="Tell whether questions can be answered", **_ready)
async def ready(request: Request) -> Response:
    """Whether the store and the models are there; 503 if not. The long-term memory is told of, and
    needs not be there: what it is given waits."""
    service = get_service(request)
    found = {
        "store": await service.is_store_ready(),
        "models": bool(service.engine.models),
    }
    checks = {name: "ok" if is_there else "failed" for name, is_there in found.items()}
    is_ready = all(found.values())
    if service.memory is not None:
        checks["memory"] = "ok" if await service.is_memory_ready() else "failed"
    readiness = Readiness("ok" if is_ready else "failed", checks=checks)
    return json_response(readiness, 200 if is_ready else 503)


@router.get(
    "/metrics",
    summary="Show what was counted and measured",
    **describe(
        "metrics",
        None,
        description="Metrics in the text format of Prometheus.",
        content={"text/plain": {"schema": {"type": "string"}}},
    ),
)
async def metrics(request: Request, caller: _Admin) -> Response:
    """The metrics of all workers, in the form that Prometheus reads."""
    service = get_service(request)
    service.update_memory_metrics()
    text = await service.run(service.metrics.render)
    return Response(text, headers={"Content-Type": service.metrics.content_type})
