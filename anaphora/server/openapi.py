"""What OpenAPI tells of the endpoints: which body they take, what they answer, and every problem
that they can answer with. Nothing of it runs when they are called."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from anaphora.server.answers import ProblemDetails
from anaphora.server.problems import KINDS, MEDIA_TYPE, Refusal, Slug
from anaphora.server.schemas import ActiveModel, Dialog, Question

__all__ = ["DESCRIPTION", "TAGS", "describe", "description_of"]

DESCRIPTION = """\
Dialog bots that answer incomplete questions from a short-term memory.

Ask with `POST /v1/ask`; what a question leaves out is recalled from the user's conversation with
the model. Users and models are named by parameters and fields, never in a path: their ids may hold
anything. Every error is `application/problem+json` (RFC 9457), and its `type` tells which one."""

TAGS = [
    {"name": "questions", "description": "Ask, and ask why."},
    {"name": "conversations", "description": "What is remembered, and what is to be forgotten."},
    {"name": "memory", "description": "What is kept of users for good."},
    {"name": "models", "description": "What the bots understand."},
    {"name": "operations", "description": "For those who run the service."},
    {"name": "nlpcraft", "description": "The API of NLPCraft 0.9, for clients that speak it."},
]

_BODIES: tuple[type[BaseModel], ...] = (ActiveModel, Dialog, Question)
_SCHEMES = {
    "bearer": {
        "type": "http",
        "scheme": "bearer",
        "description": "`Authorization: Bearer KEY`, with a key that `anaphora key` made.",
    },
    "apiKey": {
        "type": "apiKey",
        "in": "header",
        "name": "X-API-Key",
        "description": "The same key in a header of its own.",
    },
}
_WITH_KEY: tuple[Slug, ...] = (
    "unauthorized",
    "forbidden",
    "too-many-requests",
    "store-unavailable",
)
_WITH_BODY: tuple[Slug, ...] = (
    "not-json",
    "request-timeout",
    "too-large",
    "unsupported-media-type",
    "invalid-request",
)
_ALWAYS: tuple[Slug, ...] = ("internal", "shutting-down")
_HEADERS = {
    "Retry-After": "After how many seconds to ask again.",
    "WWW-Authenticate": "How to send a key.",
}


def describe(
    id: str,
    answer: type[BaseModel] | None,
    *problems: Slug,
    body: type[BaseModel] | None = None,
    is_open: bool = False,
    **responses: Any,
) -> dict[str, Any]:
    """The arguments of a route that tell of it: its operation id, the answer 200, the ``problems``
    that come of it beside those that all have, and its body. ``is_open``: no key is needed."""
    slugs = [*problems, *(() if is_open else _WITH_KEY), *(_WITH_BODY if body else ()), *_ALWAYS]
    extra: dict[str, Any] = {} if is_open else {"security": [{name: []} for name in _SCHEMES]}
    if body is not None:
        content = {"application/json": {"schema": _reference(body)}}
        extra["requestBody"] = {"required": True, "content": content}
    answered: dict[int | str, Any] = {200: {"description": "Done."}}
    if answer is not None:
        answered[200] |= {"model": answer}
    if responses:
        answered[200] |= responses
    return {
        "operation_id": id,
        "response_model": None,
        "responses": answered | _problems(slugs),
        "openapi_extra": extra,
    }


def description_of(app: FastAPI, *, needs_key: bool) -> Callable[[], dict[str, Any]]:
    """What ``app.openapi`` is to be."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _described(app, needs_key=needs_key)
        return app.openapi_schema

    return openapi


def _described(app: FastAPI, *, needs_key: bool) -> dict[str, Any]:
    described = get_openapi(
        title=app.title,
        version=app.version,
        description=app.description,
        routes=app.routes,
        tags=app.openapi_tags,
    )
    kinds: tuple[type[BaseModel], ...] = (*_BODIES, ProblemDetails)
    _, schemas = models_json_schema(
        [(kind, "validation") for kind in kinds], ref_template="#/components/schemas/{model}"
    )
    components = described.setdefault("components", {})
    components["schemas"] = components.get("schemas", {}) | schemas["$defs"]
    components["securitySchemes"] = _SCHEMES
    for body in _written_out_bodies(described):
        name = body["title"]
        components["schemas"][name] = dict(body)
        body.clear()
        body["$ref"] = f"#/components/schemas/{name}"
    if not needs_key:
        for operation in (one for path in described["paths"].values() for one in path.values()):
            if operation.get("security"):
                operation["security"].append({})
    return described


def _written_out_bodies(described: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The schemas of bodies that stand in their operations: each is to stand once and to have a
    name, by which generated clients call its type."""
    for operation in (one for path in described["paths"].values() for one in path.values()):
        for content in operation.get("requestBody", {}).get("content", {}).values():
            if "$ref" not in content["schema"]:
                yield content["schema"]


def _problems(slugs: list[Slug]) -> dict[int | str, Any]:
    by_status = defaultdict(list)
    for slug in dict.fromkeys(slugs):
        by_status[KINDS[slug].status].append(slug)
    return {status: _problem(alike) for status, alike in sorted(by_status.items())}


def _problem(slugs: list[Slug]) -> Mapping[str, Any]:
    """What is answered with one status: one of the kinds of problems that have it."""
    examples = {slug: {"value": Refusal(slug).to_plain()} for slug in slugs}
    headers = {name for slug in slugs for name in Refusal(slug).headers or {}}
    described = {
        "description": ", or ".join(KINDS[slug].title for slug in slugs) + ".",
        "content": {MEDIA_TYPE: {"schema": _reference(ProblemDetails), "examples": examples}},
    }
    if headers:
        described["headers"] = {
            name: {"description": _HEADERS[name], "schema": {"type": "string"}}
            for name in sorted(headers)
        }
    return described


def _reference(kind: type[BaseModel]) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{kind.__name__}"}
