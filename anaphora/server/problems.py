"""Every error of the API as problem details (RFC 9457): which kinds there are, which error of the
engine is which, and how one is answered. No text of a user is ever in one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from pydantic_core import to_json
from starlette.exceptions import HTTPException
from starlette.responses import Response

from anaphora.errors import (
    AnaphoraError,
    Conflict,
    HandlerError,
    ModelError,
    StoreError,
    UnknownModel,
)

__all__ = ["KINDS", "MEDIA_TYPE", "Kind", "Mistake", "Refusal", "Slug", "problem_of", "respond"]

MEDIA_TYPE = "application/problem+json"

Slug: TypeAlias = Literal[
    "not-json",
    "unauthorized",
    "forbidden",
    "unknown-model",
    "no-memory",
    "not-found",
    "method-not-allowed",
    "request-timeout",
    "conflict",
    "too-large",
    "unsupported-media-type",
    "invalid-request",
    "model-invalid",
    "too-many-requests",
    "handler-failed",
    "internal",
    "store-unavailable",
    "shutting-down",
]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of problem: its status, its title, and what is said if nothing more is known."""

    status: int
    title: str
    detail: str


KINDS: Mapping[Slug, Kind] = MappingProxyType(
    {
        "not-json": Kind(400, "Not JSON", "The body is no JSON text in UTF-8."),
        "unauthorized": Kind(401, "Key missing or wrong", "Send Authorization: Bearer KEY."),
        "forbidden": Kind(403, "Not allowed", "The key may not do this."),
        "unknown-model": Kind(404, "Unknown model", "There is no model of this id."),
        "no-memory": Kind(
            404, "No long-term memory", "Nothing is kept for good here; --memory URL keeps it."
        ),
        "not-found": Kind(404, "Not found", "There is nothing at this address."),
        "method-not-allowed": Kind(
            405, "Method not allowed", "The header Allow says which methods there are."
        ),
        "request-timeout": Kind(408, "Body too slow", "The body did not come in time."),
        "conflict": Kind(
            409, "Conversation busy", "An earlier question is still being answered; ask again."
        ),
        "too-large": Kind(413, "Body too large", "The body is larger than is allowed."),
        "unsupported-media-type": Kind(
            415, "Not sent as JSON", "Send Content-Type: application/json."
        ),
        "invalid-request": Kind(422, "Invalid request", "Something in the request is wrong."),
        "model-invalid": Kind(422, "Invalid model", "The model file has mistakes."),
        "too-many-requests": Kind(429, "Too many requests", "Wait before you ask again."),
        "handler-failed": Kind(
            500, "Handler failed", "The bot failed to answer; the memory is as it was."
        ),
        "internal": Kind(500, "Internal error", "Something went wrong; the log says what."),
        "store-unavailable": Kind(
            503, "Store unavailable", "The conversations cannot be reached now."
        ),
        "shutting-down": Kind(
            503,
            "Shutting down",
            "This server is shutting down. The request changed nothing; send it again.",
        ),
    }
)

_RETRY_AFTER: Mapping[Slug, str] = MappingProxyType(
    {"conflict": "1", "store-unavailable": "2", "shutting-down": "1", "too-many-requests": "1"}
)
_BY_STATUS: Mapping[int, Slug] = MappingProxyType(
    {
        400: "invalid-request",
        401: "unauthorized",
        403: "forbidden",
        404: "not-found",
        405: "method-not-allowed",
        408: "request-timeout",
        409: "conflict",
        413: "too-large",
        415: "unsupported-media-type",
        422: "invalid-request",
        429: "too-many-requests",
        503: "store-unavailable",
    }
)


@dataclass(frozen=True, slots=True)
class Mistake:
    """One mistake in a request or a model: where it stands, and what is wrong."""

    where: str
    message: str


class Refusal(HTTPException):
    """A request that is answered with a problem. Whatever of FastAPI or Starlette lets an
    ``HTTPException`` pass lets this pass."""

    def __init__(
        self,
        slug: Slug,
        detail: str = "",
        *,
        errors: Iterable[Mistake] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        kind = KINDS[slug]
        self.slug: Slug = slug
        self.errors = tuple(errors)
        usual = {"Retry-After": _RETRY_AFTER[slug]} if slug in _RETRY_AFTER else {}
        if slug == "unauthorized":
            usual["WWW-Authenticate"] = 'Bearer realm="anaphora"'
        super().__init__(kind.status, detail or kind.detail, {**usual, **(headers or {})})

    def to_plain(self) -> dict[str, Any]:
        """The problem details as JSON-able data."""
        plain: dict[str, Any] = {
            "type": f"urn:anaphora:problem:{self.slug}",
            "title": KINDS[self.slug].title,
            "status": self.status_code,
            "detail": self.detail,
        }
        if self.errors:
            plain["errors"] = [{"where": it.where, "message": it.message} for it in self.errors]
        return plain


def problem_of(error: AnaphoraError, *, inner_texts: bool = False) -> Refusal:
    """What an error of the engine is to the one who asked. ``inner_texts``: whether they may
    read what the code of the bot said of its own failure."""
    match error:
        case UnknownModel():
            hint = str(error).rpartition("; ")[2]  # what was asked for stands before it
            return Refusal("unknown-model", f"There is no model of this id; {hint}")
        case Conflict():
            return Refusal("conflict")
        case StoreError():
            return Refusal("store-unavailable")
        case HandlerError():
            return Refusal("handler-failed", str(error) if inner_texts else "")
        case ModelError():
            return _of_model(error)
        case _:
            return Refusal("internal")


def respond(refusal: HTTPException) -> Response:
    """The answer to a request that was refused, by us or by the framework."""
    if not isinstance(refusal, Refusal):
        slug = _BY_STATUS.get(refusal.status_code, "internal")
        refusal = Refusal(slug, headers=refusal.headers)
    return Response(
        to_json(refusal.to_plain()),
        refusal.status_code,
        media_type=MEDIA_TYPE,
        headers=refusal.headers,
    )


def _of_model(error: ModelError) -> Refusal:
    mistakes = [
        Mistake(
            ":".join(str(part) for part in (it.source, it.line, it.column) if part),
            f"{it.message}; {it.hint}" if it.hint else it.message,
        )
        for it in error.problems
    ]
    return Refusal("model-invalid", str(error), errors=mistakes)
