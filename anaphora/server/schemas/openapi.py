"""The OpenAPI descriptions of the endpoints: their bodies, their responses, and all their problems.
Requests run none of this."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel, TypeAdapter

from anaphora.api.problems import ProblemDetails
from anaphora.api.values import Value, adapter, to_plain
from anaphora.server.problems import MEDIA_TYPE, PROBLEM_TYPES, ProblemError, ProblemSlug
from anaphora.server.schemas.agent_requests import (
    AgentDocument,
    AgentEvent,
    AgentMessage,
    BlockValue,
    MemoryValue,
)
from anaphora.server.schemas.requests import Dialog, ModelChoice, Question

__all__ = ["DESCRIPTION", "TAGS", "build_openapi", "describe"]

DESCRIPTION = """\
Dialog bots that answer incomplete questions from a short-term memory.

Ask with `POST /v1/ask`; what a question omits is recalled from the user's conversation with the
model. Users and models are named by parameters and fields, never in a path, since their ids may
contain any character; the names of agents are words. Every error is `application/problem+json`
(RFC 9457); its `type` identifies it."""

TAGS = [
    {"name": "questions", "description": "Ask questions and explain the answers."},
    {"name": "conversations", "description": "The short-term memory of users."},
    {"name": "memory", "description": "The long-term memory of users."},
    {"name": "agents", "description": "Language models with a memory of their own."},
    {"name": "models", "description": "The models of the bots."},
    {"name": "operations", "description": "For operators of the service."},
    {"name": "nlpcraft", "description": "The API of NLPCraft 0.9, for its existing clients."},
]

_BODIES: tuple[type[BaseModel], ...] = (
    AgentDocument,
    AgentEvent,
    AgentMessage,
    BlockValue,
    Dialog,
    MemoryValue,
    ModelChoice,
    Question,
)
_SCHEMES = {
    "bearer": {
        "type": "http",
        "scheme": "bearer",
        "description": "`Authorization: Bearer KEY`, with a key from `anaphora key`.",
    },
    "apiKey": {
        "type": "apiKey",
        "in": "header",
        "name": "X-API-Key",
        "description": "The same key in a separate header.",
    },
}
_KEY_PROBLEMS: tuple[ProblemSlug, ...] = (
    "unauthorized",
    "forbidden",
    "too-many-requests",
    "store-unavailable",
)
_BODY_PROBLEMS: tuple[ProblemSlug, ...] = (
    "not-json",
    "request-timeout",
    "too-large",
    "unsupported-media-type",
    "invalid-request",
)
_COMMON_PROBLEMS: tuple[ProblemSlug, ...] = ("internal", "shutting-down")
_HEADERS = {
    "Retry-After": "The seconds to wait before the next request.",
    "WWW-Authenticate": "The expected authentication scheme.",
}


def describe(
    id: str,
    answer: type[Value] | None,
    *problems: ProblemSlug,
    body: type[BaseModel] | None = None,
    is_open: bool = False,
    **responses: Any,
) -> dict[str, Any]:
    """Return the route arguments that describe an endpoint: its operation id, its response, its
    ``problems`` besides the common ones, and its body. ``is_open``: it needs no key."""
    slugs = [
        *problems,
        *(() if is_open else _KEY_PROBLEMS),
        *(_BODY_PROBLEMS if body else ()),
        *_COMMON_PROBLEMS,
    ]
    extra: dict[str, Any] = {} if is_open else {"security": [{name: []} for name in _SCHEMES]}
    if body is not None:
        content = {"application/json": {"schema": _schema_ref(body)}}
        extra["requestBody"] = {"required": True, "content": content}
    model = {} if answer is None else {"model": answer}
    answered: dict[int | str, Any] = {200: {"description": "Done."} | model | responses}
    return {
        "operation_id": id,
        "response_model": None,
        "responses": answered | _problem_responses(slugs),
        "openapi_extra": extra,
    }


def build_openapi(app: FastAPI, *, needs_key: bool) -> dict[str, Any]:
    """Return the OpenAPI document of ``app``, which is built once."""
    if app.openapi_schema is None:
        app.openapi_schema = _build_document(app, needs_key=needs_key)
    return app.openapi_schema


def _build_document(app: FastAPI, *, needs_key: bool) -> dict[str, Any]:
    described = get_openapi(
        title=app.title,
        version=app.version,
        description=app.description,
        routes=app.routes,
        tags=app.openapi_tags,
    )
    kinds: tuple[type[object], ...] = (*_BODIES, ProblemDetails)
    _, schemas = TypeAdapter.json_schemas(
        [(kind.__name__, "serialization", adapter(kind)) for kind in kinds],
        ref_template="#/components/schemas/{model}",
    )
    components = described.setdefault("components", {})
    components["schemas"] = components.get("schemas", {}) | schemas["$defs"]
    components["securitySchemes"] = _SCHEMES
    for body in _inline_bodies(described):
        name = body["title"]
        components["schemas"][name] = dict(body)
        body.clear()
        body["$ref"] = f"#/components/schemas/{name}"
    if not needs_key:
        for operation in (one for path in described["paths"].values() for one in path.values()):
            if operation.get("security"):
                operation["security"].append({})
    return described


def _inline_bodies(described: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the body schemas that operations contain inline. Each becomes a named component, and
    generated clients use the name for its type."""
    for operation in (one for path in described["paths"].values() for one in path.values()):
        for content in operation.get("requestBody", {}).get("content", {}).values():
            if "$ref" not in content["schema"]:
                yield content["schema"]


def _problem_responses(slugs: list[ProblemSlug]) -> dict[int | str, Any]:
    by_status = defaultdict(list)
    for slug in dict.fromkeys(slugs):
        by_status[PROBLEM_TYPES[slug].status].append(slug)
    return {status: _problem_response(alike) for status, alike in sorted(by_status.items())}


def _problem_response(slugs: list[ProblemSlug]) -> Mapping[str, Any]:
    """Describe the response with one status: one of the problems that share it."""
    examples = {slug: {"value": to_plain(ProblemError(slug).details)} for slug in slugs}
    headers = {name for slug in slugs for name in ProblemError(slug).headers or {}}
    described = {
        "description": ", or ".join(PROBLEM_TYPES[slug].title for slug in slugs) + ".",
        "content": {MEDIA_TYPE: {"schema": _schema_ref(ProblemDetails), "examples": examples}},
    }
    if headers:
        described["headers"] = {
            name: {"description": _HEADERS[name], "schema": {"type": "string"}}
            for name in sorted(headers)
        }
    return described


def _schema_ref(kind: type[object]) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{kind.__name__}"}
