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
    """The service refused a request, or failed to answer it."""

    advice = ""

    def __init__(self, details: ProblemDetails) -> None:
        super().__init__(details)
        self.details = details

    def __str__(self) -> str:
        details = self.details
        said = details.detail or details.title or "the server gives no reason"
        lines = [f"{said} ({' '.join(filter(None, (str(details.status), details.slug)))})"]
        lines += (f"  {one.where}: {one.message}" for one in details.errors)
        if details.retry_after is not None:
            lines.append(f"  hint: try again in {details.retry_after:g} s")
        elif advice := _ADVICE.get(details.slug, self.advice):
            lines.append(f"  hint: {advice}")
        if details.request_id:
            lines.append(f"  request: {details.request_id}")
        return "\n".join(lines)

    @property
    def status(self) -> int:
        """The HTTP status."""
        return self.details.status

    @property
    def slug(self) -> str:
        """The short name of the problem, such as ``unknown-model`` ('' if it has none)."""
        return self.details.slug

    @property
    def title(self) -> str:
        """The title of the type of problem."""
        return self.details.title

    @property
    def detail(self) -> str:
        """The description of this problem."""
        return self.details.detail

    @property
    def errors(self) -> tuple[FieldError, ...]:
        """The errors in the fields of the request."""
        return self.details.errors

    @property
    def retry_after(self) -> float | None:
        """The seconds to wait before a retry, if the service sent them."""
        return self.details.retry_after


class Invalid(ApiError):
    """An invalid request, or a model that cannot be loaded."""

    advice = "the request must be another one"


class Unauthorized(ApiError):
    """A missing, wrong or expired key."""

    advice = "give the client a key that the server knows: Client(url, key='ana_…')"


class Forbidden(ApiError):
    """A key that lacks the permission, or may not act for this user."""

    advice = "use a key with the scope for this; key() tells what the present one may do"


class NotFound(ApiError):
    """A model that the server doesn't have, or a URL that it doesn't serve."""

    advice = "is this the address of an Anaphora server, and is it as new as the client?"


class Busy(ApiError):
    """A conversation that is busy with another question."""

    advice = "ask again when that question has been answered"


class TooManyRequests(ApiError):
    """More requests than the rate of the key allows."""

    advice = "ask less often, or have the rate of the key raised"


class ServerError(ApiError):
    """The server, or the handler of an intent, failed."""

    advice = "the log of the server tells more"


class InvalidResponse(ApiError):
    """A response that is not from the service, or not from a compatible version."""

    advice = "is this the address of an Anaphora server? A proxy may have answered for it"


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
    "unknown-model": "models() lists those that there are",
    "no-memory": "have the server started with --memory sqlite:///memory.db",
    "too-large": "send less at once",
    "handler-failed": "the memory is as it was before the question; the log of the server tells "
    "the cause",
    "model-invalid": "mend the file and reload it; the model as it was goes on answering",
    "store-unavailable": "the server cannot reach its store: conversation() tells later whether "
    "the question was answered",
    "shutting-down": "ask again: another worker will answer, or the server is about to return",
}
