"""The errors of the client, with hints on what to do about them."""

# ruff: noqa: N818 - the names say what has happened, as those of anaphora.errors

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from anaphora.api.problems import FieldError
from anaphora.errors import AnaphoraError

__all__ = [
    "ApiError",
    "Busy",
    "FieldError",
    "Forbidden",
    "Invalid",
    "InvalidResponse",
    "NotFound",
    "ProblemDetails",
    "ServerError",
    "TooManyRequests",
    "Unauthorized",
    "Unreachable",
    "build_error",
    "parse_slug",
]

_TYPE = "urn:anaphora:problem:"
_MAX_EXCERPT = 200


@dataclass(frozen=True, slots=True)
class ProblemDetails:
    """The details of a problem (RFC 9457).

    ``slug`` is the short name of its type ('' if the type is not one of the service's: a proxy may
    have responded). ``raw`` is the whole body.
    """

    status: int
    slug: str = ""
    title: str = ""
    detail: str = ""
    errors: tuple[FieldError, ...] = ()
    retry_after: float | None = None
    request_id: str = ""
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


class ApiError(AnaphoraError):
    """The service refused a request, or failed to answer it.

    ``details`` are those of the problem; its most important fields are attributes, too.
    """

    advice = ""

    def __init__(self, details: ProblemDetails) -> None:
        super().__init__(details)
        self.details = details
        self.status = details.status
        self.slug = details.slug
        self.title = details.title
        self.detail = details.detail
        self.errors = details.errors
        self.retry_after = details.retry_after

    def __str__(self) -> str:
        reason = self.detail or self.title or "the server gives no reason"
        lines = [f"{reason} ({' '.join(filter(None, (str(self.status), self.slug)))})"]
        lines += (f"  {one.where}: {one.message}" for one in self.errors)
        if self.retry_after is not None:
            lines.append(f"  hint: try again in {self.retry_after:g} s")
        elif advice := _ADVICE.get(self.slug, self.advice):
            lines.append(f"  hint: {advice}")
        if self.details.request_id:
            lines.append(f"  request: {self.details.request_id}")
        return "\n".join(lines)


class Invalid(ApiError):
    """An invalid request, or a model that cannot be loaded."""

    advice = "correct the request"


class Unauthorized(ApiError):
    """A missing, wrong or expired key."""

    advice = "give the client a key that the server knows: Client(url, key='ana_…')"


class Forbidden(ApiError):
    """A key that lacks the permission, or may not act for this user."""

    advice = "use a key with the required scope; key() shows the permissions of this one"


class NotFound(ApiError):
    """A model that the server doesn't have, or a URL that it doesn't serve."""

    advice = "check the address, and that the server is as new as the client"


class Busy(ApiError):
    """A conversation that is busy with another question."""

    advice = "ask again when that question has been answered"


class TooManyRequests(ApiError):
    """More requests than the rate of the key allows."""

    advice = "send fewer requests, or have the rate of the key raised"


class ServerError(ApiError):
    """The server, or the handler of an intent, failed."""

    advice = "see the log of the server"


class InvalidResponse(ApiError):
    """A response that is not from the service, or not from a compatible version."""

    advice = "check the address of the server; a proxy may have responded instead"


class Unreachable(AnaphoraError):
    """No response arrived. ``maybe_done`` is True if the server may have received and executed the
    request, False if it certainly has not."""

    def __init__(self, message: str, *, maybe_done: bool = False) -> None:
        super().__init__(message)
        self.maybe_done = maybe_done


def build_error(
    status: int,
    body: object,
    *,
    reason: str = "",
    retry_after: float | None = None,
    request_id: str = "",
) -> ApiError:
    """Build the error for a response with this status and body. The body is a problem of the
    service, or any text that a proxy has sent."""
    plain = body if isinstance(body, dict) else {}
    excerpt = " ".join(body.split())[:_MAX_EXCERPT] if isinstance(body, str) else ""
    kind = _ERROR_CLASSES.get(status) or (ServerError if status >= 500 else ApiError)
    return kind(
        ProblemDetails(
            status=status,
            slug=parse_slug(plain),
            title=_text_or_empty(plain.get("title")) or reason,
            detail=_text_or_empty(plain.get("detail")) or excerpt,
            errors=tuple(_parse_errors(plain.get("errors"))),
            retry_after=retry_after,
            request_id=request_id,
            raw=plain,
        )
    )


def parse_slug(plain: object) -> str:
    """Return the short name of a problem ('' if it is not one of the service's)."""
    type = _text_or_empty(plain.get("type")) if isinstance(plain, dict) else ""
    return type.removeprefix(_TYPE) if type.startswith(_TYPE) else ""


def _parse_errors(listed: object) -> Sequence[FieldError]:
    found = listed if isinstance(listed, list) else ()
    return [
        FieldError(_text_or_empty(one.get("where")), _text_or_empty(one.get("message")))
        for one in found
        if isinstance(one, dict)
    ]


def _text_or_empty(value: object) -> str:
    return value if isinstance(value, str) else ""


_ERROR_CLASSES: Mapping[int, type[ApiError]] = {
    400: Invalid,
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    409: Busy,
    413: Invalid,
    415: Invalid,
    422: Invalid,
    429: TooManyRequests,
}

_ADVICE = {
    "unknown-model": "models() lists the models",
    "unknown-agent": "agents() lists the agents",
    "no-memory": "have the server started with --memory sqlite:///memory.db",
    "too-large": "send less at once",
    "handler-failed": "the memory is unchanged; see the log of the server for the cause",
    "quota-exceeded": "have the limit tokens_per_day of the agent raised, or wait for tomorrow",
    "chat-model-failed": "see the log of the server for what the language model answered",
    "chat-model-unavailable": "check that the language model of the agent runs",
    "model-invalid": "correct the file and reload it; the old model stays in use",
    "store-unavailable": "the server cannot reach its store; conversation() shows later whether "
    "the question was answered",
    "shutting-down": "ask again: another worker will answer, or the server will restart soon",
}
