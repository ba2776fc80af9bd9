"""Models: list, describe, reload and check them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from starlette.requests import Request
from starlette.responses import Response

from anaphora.api.models import CheckReport, ModelInfo, ModelList
from anaphora.server.routes.authentication import Caller, require_scope
from anaphora.server.routes.common import get_service, json_response
from anaphora.server.schemas.openapi import describe
from anaphora.server.schemas.requests import ModelQuery
from anaphora.server.schemas.serializers import (
    check_samples,
    serialize_model,
    serialize_model_summary,
)
from anaphora.server.service.service import Service

__all__ = ["router"]

_ReadCaller = Annotated[Caller, Depends(require_scope("read"))]
_Admin = Annotated[Caller, Depends(require_scope("admin"))]
_Query = Annotated[ModelQuery, Query()]

router = APIRouter(prefix="/v1", tags=["models"])


@router.get("/models", summary="List the models", **describe("listModels", ModelList))
async def list_models(request: Request, caller: _ReadCaller) -> Response:
    """Return all models of this service, the default one first."""
    models = get_service(request).engine.models
    found = (serialize_model_summary(model, default=model is models[0]) for model in models)
    return json_response(ModelList(tuple(found)))


@router.get(
    "/model",
    summary="Show a model",
    **describe("showModel", ModelInfo, "unknown-model", "invalid-request"),
)
async def show(request: Request, caller: _ReadCaller, query: _Query) -> Response:
    """Return the elements, intents and sample questions of a model."""
    service = get_service(request)
    return json_response(await service.run(_load_model_view, service, query.id))


@router.post(
    "/model/reload",
    summary="Reload the file of a model",
    **describe(
        "reloadModel", ModelInfo, "unknown-model", "invalid-request", "model-invalid", "too-large"
    ),
)
async def reload(request: Request, caller: _Admin, query: _Query) -> Response:
    """Reload the file of a model for all later questions. Other workers follow within seconds.
    Remembered entities that still fit the model are kept. A file with mistakes changes nothing:
    `errors` lists them."""
    service = get_service(request)
    service.engine.model(query.id)
    await service.run_to_completion(request.app.state.reloader.reload, query.id)
    return json_response(await service.run(_load_model_view, service, query.id))


@router.post(
    "/model/check",
    summary="Run the samples of a model",
    **describe(
        "checkModel", CheckReport, "unknown-model", "invalid-request", "model-invalid", "too-large"
    ),
)
async def check(request: Request, caller: _Admin, query: _Query) -> Response:
    """Run the sample dialogs of a model, each with a separate memory, and report differences from
    the expected answers. The handlers that its file names are called."""
    service = get_service(request)
    return json_response(await service.run(check_samples, service.engine.model(query.id)))


def _load_model_view(service: Service, id: str) -> ModelInfo:
    model = service.engine.model(id)
    return serialize_model(model, default=id == service.engine.models[0].id)
