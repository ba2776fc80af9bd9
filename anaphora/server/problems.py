"""The errors of the API as problem details (RFC 9457): the problem types, the mapping from engine
errors, and the responses. A problem never contains a user's text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

from starlette.exceptions import HTTPException
from starlette.responses import Response

from anaphora.api.problems import FieldError, ProblemDetails
from anaphora.api.values import encode
from anaphora.errors import (
    AgentError,
    AnaphoraError,
    ChatModelError,
    ChatModelUnavailable,
    Conflict,
    HandlerError,
    ModelError,
    StoreError,
    UnconfirmedError,
    UnknownModel,
)

__all__ = [
    "MEDIA_TYPE",
    "PROBLEM_TYPES",
    "FieldError",
    "ProblemError",
    "ProblemSlug",
    "ProblemType",
    "invalid_field",
    "problem_response",
    "to_problem",
]

MEDIA_TYPE = "application/problem+json"

ProblemSlug: TypeAlias = Literal[
    "not-json",
    "unauthorized",
    "forbidden",
    "unknown-model",
    "no-memory",
    "unknown-agent",
    "no-graph",
    "not-found",
    "method-not-allowed",
    "request-timeout",
    "conflict",
    "too-large",
    "unsupported-media-type",
    "invalid-request",
    "model-invalid",
    "agent-refused",
    "too-many-requests",
    "quota-exceeded",
    "handler-failed",
    "internal",
    "chat-model-failed",
    "chat-model-unavailable",
    "store-unavailable",
    "shutting-down",
]


@dataclass(frozen=True, slots=True)
class ProblemType:
    """A type of problem: its status, its title, and its default detail."""

    status: int
    title: str
    detail: str


PROBLEM_TYPES: Mapping[ProblemSlug, ProblemType] = MappingProxyType(
    {
        "not-json": ProblemType(400, "Not JSON", "The body is not JSON in UTF-8."),
        "unauthorized": ProblemType(401, "Key missing or wrong", "Send Authorization: Bearer KEY."),
        "forbidden": ProblemType(403, "Not allowed", "The key may not do this."),
        "unknown-model": ProblemType(404, "Unknown model", "There is no model with this id."),
        "no-memory": ProblemType(
            404, "No long-term memory", "The service was started without one (--memory URL)."
        ),
        "unknown-agent": ProblemType(404, "Unknown agent", "There is no agent with this name."),
        "no-graph": ProblemType(404, "No knowledge graph", "The agent has no knowledge graph."),
        "not-found": ProblemType(404, "Not found", "There is no resource at this address."),
        "method-not-allowed": ProblemType(
            405, "Method not allowed", "The header Allow lists the supported methods."
        ),
        "request-timeout": ProblemType(408, "Body too slow", "The body did not arrive in time."),
        "conflict": ProblemType(
            409, "Conversation busy", "An earlier question is still being answered; try again."
        ),
        "too-large": ProblemType(413, "Body too large", "The body exceeds the size limit."),
        "unsupported-media-type": ProblemType(
            415, "Unsupported media type", "Send Content-Type: application/json."
        ),
        "invalid-request": ProblemType(422, "Invalid request", "The request is invalid."),
        "model-invalid": ProblemType(422, "Invalid model", "The model file has mistakes."),
        "agent-refused": ProblemType(422, "Refused by the agent", "The agent cannot do this."),
        "too-many-requests": ProblemType(429, "Too many requests", "Wait before the next request."),
        "quota-exceeded": ProblemType(
            429, "Quota used up", "The user has used up the tokens of this day."
        ),
        "handler-failed": ProblemType(
            500, "Handler failed", "The bot failed to answer; the memory is unchanged."
        ),
        "internal": ProblemType(500, "Internal error", "An unexpected error; see the log."),
        "chat-model-failed": ProblemType(
            502,
            "Language model failed",
            "It refused the request, or gave no usable answer. The message is kept.",
        ),
        "chat-model-unavailable": ProblemType(
            503,
            "Language model unavailable",
            "It cannot be reached. The message is kept; send it again with its id.",
        ),
        "store-unavailable": ProblemType(
            503, "Store unavailable", "The store of conversations is unavailable."
        ),
        "shutting-down": ProblemType(
            503,
            "Shutting down",
            "This server is shutting down. The request changed nothing; send it again.",
        ),
    }
)

_RETRY_AFTER: Mapping[ProblemSlug, str] = MappingProxyType(
    {
        "conflict": "1",
        "store-unavailable": "2",
        "chat-model-unavailable": "5",
        "shutting-down": "1",
        "too-many-requests": "1",
        "quota-exceeded": "3600",
    }
)
_UNCONFIRMED = (
    "The store has not confirmed the change: look whether it is there before you send the request "
    "again."
)
_SLUG_BY_STATUS: Mapping[int, ProblemSlug] = MappingProxyType(
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


class ProblemError(HTTPException):
    """An error that the API reports as a problem. Code in FastAPI or Starlette that passes on an
    ``HTTPException`` passes this on too."""

    def __init__(
        self,
        slug: ProblemSlug,
        detail: str = "",
        *,
        errors: Iterable[FieldError] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        kind = PROBLEM_TYPES[slug]
        self.slug: ProblemSlug = slug
        self.errors = tuple(errors)
        usual = {"Retry-After": _RETRY_AFTER[slug]} if slug in _RETRY_AFTER else {}
        if slug == "unauthorized":
            usual["WWW-Authenticate"] = 'Bearer realm="anaphora"'
        super().__init__(kind.status, detail or kind.detail, {**usual, **(headers or {})})

    @property
    def details(self) -> ProblemDetails:
        """Return the problem as the API sends it."""
        return ProblemDetails(
            type=f"urn:anaphora:problem:{self.slug}",
            title=PROBLEM_TYPES[self.slug].title,
            status=self.status_code,
            detail=self.detail,
            errors=self.errors,
        )


def invalid_field(where: str, message: str) -> ProblemError:
    """Create the problem of a request with one invalid field."""
    mistake = FieldError(where, message)
    return ProblemError("invalid-request", f"{where}: {message}", errors=[mistake])


def to_problem(error: AnaphoraError, *, include_details: bool = False) -> ProblemError:
    """Convert an error of the engine to a problem. ``include_details``: include the message of an
    error that the bot's own code raised."""
    match error:
        case UnknownModel():
            # The message starts with the name that the request gave.
            hint = str(error).rpartition("; ")[2]
            return ProblemError("unknown-model", f"There is no model with this id; {hint}")
        case Conflict():
            return ProblemError("conflict")
        case UnconfirmedError():
            return ProblemError("store-unavailable", _UNCONFIRMED)
        case StoreError():
            return ProblemError("store-unavailable")
        case ChatModelUnavailable():
            return ProblemError("chat-model-unavailable", str(error) if include_details else "")
        case ChatModelError():
            return ProblemError("chat-model-failed", str(error) if include_details else "")
        case AgentError():
            message = str(error)
            return ProblemError("agent-refused", f"{message[:1].upper()}{message[1:]}.")
        case HandlerError():
            return ProblemError("handler-failed", str(error) if include_details else "")
        case ModelError():
            return _model_problem(error)
        case _:
            return ProblemError("internal")


def problem_response(error: HTTPException) -> Response:
    """Build the response to a request that the service or the framework refuses."""
    if not isinstance(error, ProblemError):
        slug = _SLUG_BY_STATUS.get(error.status_code, "internal")
        error = ProblemError(slug, headers=error.headers)
    body = encode(error.details)
    return Response(body, error.status_code, media_type=MEDIA_TYPE, headers=error.headers)


def _model_problem(error: ModelError) -> ProblemError:
    mistakes = [
        FieldError(
            ":".join(str(part) for part in (it.source, it.line, it.column) if part),
            f"{it.message}; {it.hint}" if it.hint else it.message,
        )
        for it in error.problems
    ]
    return ProblemError("model-invalid", str(error), errors=mistakes)
