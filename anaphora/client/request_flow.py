"""The life of one request without I/O, shared by both clients.

:func:`request_flow` is a generator that a client drives: it yields what to do (send the request, or
wait), receives the outcome, and finally returns the result or raises an error.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any, Generic, TypeAlias, TypeVar

import httpx

from anaphora.client.errors import (
    ApiError,
    InvalidResponse,
    ProblemDetails,
    Unreachable,
    build_error,
    parse_slug,
)

__all__ = ["ApiRequest", "RetryPolicy", "TransportResult", "request_flow", "transport_error"]

_T = TypeVar("_T")

TransportResult: TypeAlias = httpx.Response | httpx.HTTPError

_INITIAL_DELAY = 0.1  # seconds; each further delay is twice as long
_STREAM_READ_TIMEOUT = 30.0  # seconds; the service sends a keep-alive every 15
_NOT_SENT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
)


@dataclass(frozen=True, slots=True)
class ApiRequest(Generic[_T]):
    """A request, and how to read its response.

    ``changes`` marks a request that must not run twice: an answer is remembered, a handler runs.
    ``expected`` are the statuses of a successful response. ``streams`` marks a request with a
    streamed response. The response may take at least ``patience`` seconds.
    """

    method: str
    path: str
    read: Callable[[httpx.Response], _T]
    params: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    changes: bool = False
    expected: tuple[int, ...] = (200,)
    streams: bool = False
    patience: float = 0.0

    def build(self, http: httpx.Client | httpx.AsyncClient) -> httpx.Request:
        """Build the HTTP request. Raises ``TypeError`` or ``ValueError`` for values that JSON does
        not support."""
        content, headers = None, {}
        if self.body is not None:
            content = json.dumps(self.body, allow_nan=False).encode()
            headers["Content-Type"] = "application/json"
        if self.streams:
            headers["Accept"] = "text/event-stream"
        return http.build_request(
            self.method,
            self.path,
            params=self.params,
            content=content,
            headers=headers,
            timeout=self._timeout(http.timeout),
        )

    def is_stream(self, response: httpx.Response) -> bool:
        """Whether the response is streamed; all others are read as a whole."""
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        return (
            self.streams and response.status_code in self.expected and kind == "text/event-stream"
        )

    def _timeout(self, usual: httpx.Timeout) -> httpx.Timeout:
        """Return the timeout of the request: an answer may take longer than usual."""
        if usual.read is None:
            return usual
        read = max(usual.read, self.patience, _STREAM_READ_TIMEOUT if self.streams else 0.0)
        return httpx.Timeout(connect=usual.connect, write=usual.write, pool=usual.pool, read=read)


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Whether and when to retry a request.

    A request is retried at most ``times``, and only if it cannot run twice: the connection failed,
    the server has not started it (too many requests, or a shutdown), or it changes nothing. Delays
    above ``longest_wait`` seconds are not waited for.
    """

    times: int = 2
    longest_wait: float = 10.0
    clock: Callable[[], float] = time.time

    def delay(self, call: ApiRequest[Any], outcome: TransportResult, attempt: int) -> float | None:
        """Return the seconds until the next attempt, None if there must be none."""
        if attempt >= self.times:
            return None
        usual = _INITIAL_DELAY * 2**attempt
        if isinstance(outcome, httpx.HTTPError):
            return usual if _is_retryable(call, outcome) else None
        if outcome.status_code in call.expected:
            return None
        asked = self.parse_retry_after(outcome)
        if outcome.status_code == 503 and parse_slug(_parse_json(outcome)) == "shutting-down":
            asked = usual if asked is None else asked
        elif outcome.status_code == 503 and call.changes:
            return None  # the store may have failed after the handler ran
        elif outcome.status_code not in (429, 503):
            return None
        return asked if asked is not None and asked <= self.longest_wait else None

    def parse_retry_after(self, response: httpx.Response) -> float | None:
        """Return the seconds of ``Retry-After``, None if it is missing or invalid."""
        written = response.headers.get("retry-after", "").strip()
        if written.isdecimal():
            return float(written)
        try:
            until = parsedate_to_datetime(written)
        except ValueError:
            return None
        if until.tzinfo is None:
            until = until.replace(tzinfo=UTC)
        return max(0.0, until.timestamp() - self.clock())


def request_flow(
    call: ApiRequest[_T], retries: RetryPolicy
) -> Generator[float | None, TransportResult | None, _T]:
    """Generate the steps of a request. Yield None to send the request (and receive the outcome), or
    a number of seconds to wait; return the result.

    Raises :class:`ApiError` or :class:`Unreachable` without a result.
    """
    attempt = 0
    while True:
        outcome = yield None
        assert outcome is not None
        pause = retries.delay(call, outcome, attempt)
        if pause is None:
            return _read_or_raise(call, outcome, retries)
        yield pause
        attempt += 1


def transport_error(call: ApiRequest[Any], error: httpx.HTTPError) -> Unreachable:
    """Create the error for a request with an incomplete response, or with none."""
    reason = str(error) or type(error).__name__
    address = _server_address(error)
    if isinstance(error, _NOT_SENT):
        return Unreachable(
            f"{address} cannot be reached: {reason}\n"
            "  hint: check that the server is running, and that this is its address"
        )
    if isinstance(error, httpx.TimeoutException):
        lines = [
            f"{address} has not answered in time",
            "  hint: Client(…, timeout=60) waits longer",
        ]
    else:
        lines = [f"the connection to {address} broke before the response was complete: {reason}"]
    if call.changes:
        lines.append(
            "  hint: the server may have executed the request; before you send it again, check "
            "conversation()"
        )
    return Unreachable("\n".join(lines), maybe_done=call.changes)


def _is_retryable(call: ApiRequest[Any], error: httpx.HTTPError) -> bool:
    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
        return True
    broken = isinstance(error, httpx.NetworkError | httpx.RemoteProtocolError)
    return broken and not call.changes


def _read_or_raise(call: ApiRequest[_T], outcome: TransportResult, retries: RetryPolicy) -> _T:
    if isinstance(outcome, httpx.HTTPError):
        raise transport_error(call, outcome) from outcome
    if outcome.status_code not in call.expected:
        raise _response_error(outcome, retries)
    try:
        return call.read(outcome)
    except (ValueError, RecursionError) as error:
        detail = f"the response is not from the service: {error}"
        raise _invalid_response(outcome, detail) from error


def _response_error(response: httpx.Response, retries: RetryPolicy) -> ApiError:
    if 200 <= response.status_code < 400:
        target = response.headers.get("location")
        detail = f"the response redirects to {target}" if target else "unexpected response"
        return _invalid_response(response, detail)
    plain = _parse_json(response)
    return build_error(
        response.status_code,
        response.text if plain is None else plain,
        reason=response.reason_phrase,
        retry_after=retries.parse_retry_after(response),
        request_id=response.headers.get("x-request-id", ""),
    )


def _invalid_response(response: httpx.Response, detail: str) -> InvalidResponse:
    return InvalidResponse(
        ProblemDetails(
            status=response.status_code,
            title=response.reason_phrase,
            detail=detail,
            request_id=response.headers.get("x-request-id", ""),
        )
    )


def _parse_json(response: httpx.Response) -> Any:
    """Return the JSON of a response, None if it is not JSON."""
    try:
        return response.json()
    except (ValueError, RecursionError):
        return None


def _server_address(error: httpx.HTTPError) -> str:
    try:
        url = error.request.url
    except RuntimeError:  # httpx could not build the request
        return "the server"
    return f"{url.scheme}://{url.netloc.decode('ascii', 'replace')}"
