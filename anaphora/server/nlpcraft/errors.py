"""The errors of NLPCraft's API: ``{code, msg}``, with NLPCraft's statuses where it defines them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from pydantic_core import to_json
from starlette.exceptions import HTTPException
from starlette.responses import Response

from anaphora.api.problems import ProblemDetails
from anaphora.errors import AnaphoraError
from anaphora.server.nlpcraft.schemas import NlpcraftFailure
from anaphora.server.nlpcraft.state_store import QueueFullError
from anaphora.server.problems import MEDIA_TYPE, ProblemError, ProblemSlug, to_problem

__all__ = ["ERROR_RESPONSES", "HANDLED_ERRORS", "error_response", "not_implemented_response"]

HANDLED_ERRORS = (HTTPException, AnaphoraError, QueueFullError)
"""The errors that become failure responses."""

_ERROR = "NC_ERROR"
_INVALID_FIELD = (400, "NC_INVALID_FIELD")

_CODES: Mapping[ProblemSlug, tuple[int, str]] = MappingProxyType(
    {
        "not-json": _INVALID_FIELD,
        "invalid-request": _INVALID_FIELD,
        "unknown-model": _INVALID_FIELD,
        "unauthorized": (401, "NC_INVALID_ACCESS_TOKEN"),
        "forbidden": (403, "NC_ADMIN_REQUIRED"),
        "too-many-requests": (429, "NC_TOO_MANY_REQUESTS"),
        "handler-failed": (500, _ERROR),
        "internal": (500, _ERROR),
        # NLPCraft defines no status for the others: they keep their own.
    }
)

_MEANINGS = {
    400: "The body is invalid.",
    401: "The key is missing, wrong or expired.",
    403: "The key lacks the permission, or belongs to another user.",
    408: "The body did not arrive in time.",
    409: "The conversation is busy.",
    413: "The body is too large.",
    415: "The body was not sent as JSON.",
    429: "Too many requests, or too many waiting questions.",
    500: "Something went wrong.",
    503: "The store is unavailable, or the service is shutting down.",
}
# The middlewares also send these, as problems of Anaphora's own API.
_MIDDLEWARE_STATUSES = {413, 500, 503}
_PROBLEM = {MEDIA_TYPE: {"schema": {"$ref": f"#/components/schemas/{ProblemDetails.__name__}"}}}

ERROR_RESPONSES: Mapping[int, dict[str, Any]] = MappingProxyType(
    {
        status: {
            "model": NlpcraftFailure,
            "description": meaning,
            **({"content": _PROBLEM} if status in _MIDDLEWARE_STATUSES else {}),
        }
        for status, meaning in _MEANINGS.items()
    }
)
"""The failures in OpenAPI."""


def error_response(error: Exception, *, code: str | None = None) -> Response:
    """Build the response for one of ``HANDLED_ERRORS``."""
    if isinstance(error, QueueFullError):
        error = ProblemError("too-many-requests", f"{error}.")
    elif isinstance(error, AnaphoraError):
        error = to_problem(error)
    assert isinstance(error, HTTPException)
    status, usual = error.status_code, _ERROR
    if isinstance(error, ProblemError):
        status, usual = _CODES.get(error.slug, (status, usual))
    return _json_error(status, code or usual, error.detail, error.headers)


def not_implemented_response() -> Response:
    """Build the response to a request for a part of NLPCraft's API that is not implemented."""
    return _json_error(501, "NC_NOT_IMPLEMENTED", "This part of NLPCraft's API is not implemented.")


def _json_error(
    status: int, code: str, message: str, headers: Mapping[str, str] | None = None
) -> Response:
    body = to_json({"code": code, "msg": message})
    return Response(body, status, media_type="application/json", headers=headers)
