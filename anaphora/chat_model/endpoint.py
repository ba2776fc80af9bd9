"""HTTP client of a chat-completions endpoint: retries, deadlines, bounded answers, clear errors."""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from importlib.util import find_spec
from math import inf, isfinite
from random import uniform
from typing import TYPE_CHECKING, Any

from anaphora.chat_model.event_stream import StreamBrokenError, read_stream
from anaphora.chat_model.problems import RequestRefused, describe_status, find_context_error
from anaphora.chat_model.urls import API_KEY_VARIABLE, check_key, parse_endpoint
from anaphora.errors import ChatModelError, ChatModelUnavailable
from anaphora.storage.forks import fork_safe_lock

if TYPE_CHECKING:
    import httpx

__all__ = ["Endpoint"]

_MAX_ANSWER_BYTES = 1 << 20
_MAX_STREAM_BYTES = 1 << 24  # each piece of a streamed answer is wrapped in about 300 bytes
_RETRY_STATUSES = (408, 425, 429, 500, 502, 503, 504, 529)
_FIRST_DELAY = 0.5  # seconds, doubled each time
_MAX_DELAY = 10.0  # longer waits fail: the caller decides what to do meanwhile
_log = logging.getLogger(__name__)


class Endpoint:
    """The chat-completions endpoint at ``url`` ("https://api.openai.com/v1").

    ``model`` and ``label`` are shown in errors. ``api_key`` is sent as a bearer token; it defaults
    to ``$OPENAI_API_KEY``, and none is sent if it is empty or unset. Busy or unreachable services
    are asked again up to ``max_retries`` times, after the delay that they request
    (``Retry-After``; at most 10 seconds). ``hints`` are added to the errors of their status.
    One connection pool is kept for each process; a fork opens its own.

    Raises :class:`ChatModelError` if httpx is missing, and for an invalid URL or key.
    """

    def __init__(
        self,
        url: str,
        model: str = "",
        *,
        label: str = "the chat model",
        api_key: str | None = None,
        max_retries: int = 2,
        hints: Mapping[int, str] | None = None,
        sleep: Callable[[float], None] = time.sleep,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        if find_spec("httpx") is None:
            raise ChatModelError(f"{label} needs httpx: pip install 'anaphora[client]'")
        self._url, self.root, self.display_url = parse_endpoint(url)
        self._model, self._label, self._max_retries = model, label, max_retries
        self._api_key = check_key(
            os.environ.get(API_KEY_VARIABLE, "") if api_key is None else api_key
        )
        self._hints = hints or {}
        self._sleep, self._monotonic = sleep, monotonic
        self._lock = fork_safe_lock()
        self._client: tuple[int, httpx.Client] | None = None  # with the id of its process

    def complete(
        self,
        body: Mapping[str, Any],
        *,
        timeout: float,
        total: float = inf,
        on_text: Callable[[str], object] | None = None,
    ) -> dict[str, Any]:
        """Send a chat completion and return the decoded answer.

        Each attempt may take ``timeout`` seconds, and all of them ``total``. Pieces of a streamed
        answer are passed to ``on_text``; nothing is repeated after the first piece.

        Raises :class:`ChatModelUnavailable`, :class:`ContextLengthError`, :class:`RequestRefused`
        or another :class:`ChatModelError`; none of them shows the key.
        """
        data, pause, left = _encode(body), _FIRST_DELAY, self._max_retries
        end = self._monotonic() + total
        while True:
            try:
                limit = min(timeout, end - self._monotonic())
                return self._decode(self._attempt(data, limit, timeout, on_text))
            except _TransientError as error:
                wanted = uniform(pause / 2, pause) if error.wait is None else error.wait
                if left <= 0 or wanted > min(_MAX_DELAY, end - self._monotonic()):
                    raise ChatModelUnavailable(self.describe(str(error))) from error
                _log.info("%s: %s; retrying in %.1f s", self.display_url, error, wanted)
            self._sleep(wanted)
            pause, left = 2 * pause, left - 1

    def ask(self, path: str, body: Mapping[str, Any], *, timeout: float) -> Any:
        """Send a request to another path of the server, once, and return the decoded answer.

        ``None`` if the server does not know the path or answers nonsense. Raises
        :class:`ChatModelUnavailable` if there is no answer.
        """
        import httpx

        try:
            response = self._open_client().post(
                f"{self.root}{path}",
                content=_encode(body),
                headers=self._headers(),
                timeout=timeout,
            )
            if response.status_code in (429, 502, 503, 504):  # llama.cpp: 503 while it loads
                problem = f"it answered {response.status_code}"
                raise ChatModelUnavailable(self.describe(problem))
            return response.json() if response.is_success else None
        except httpx.TransportError as error:
            raise ChatModelUnavailable(self.describe(f"it cannot be reached ({error})")) from error
        except (httpx.HTTPError, ValueError, RecursionError):
            return None

    def describe(self, problem: str) -> str:
        """Return the text of an error, with the endpoint and the model, without the key."""
        model = f" ({self._model})" if self._model else ""
        text = f"{self._label} {self.display_url}{model}: {problem}"
        # A service may echo what it was sent.
        return text.replace(self._api_key, "…") if self._api_key else text

    def close(self) -> None:
        """Close the connections. A later request opens new ones."""
        with self._lock:
            opened, self._client = self._client, None
        if opened and opened[0] == os.getpid():
            opened[1].close()

    def _attempt(
        self, data: bytes, limit: float, shown_limit: float, on_text: Callable[[str], object] | None
    ) -> bytes | dict[str, Any]:
        """Send a request once; return the body, or the assembled answer of a stream."""
        import httpx

        shown: list[str] = []

        def show(text: str) -> None:
            shown.append(text)
            if on_text is not None:
                on_text(text)

        end = self._monotonic() + limit
        try:
            with self._open_client().stream(
                "POST",
                self._url,
                content=data,
                headers=self._headers(),
                timeout=max(0.001, limit),
            ) as response:
                pieces = self._bounded(response, end)
                kind = response.headers.get("Content-Type", "")
                if response.is_success and kind.startswith("text/event-stream"):
                    return read_stream(pieces, show)
                answer = b"".join(pieces)
        except httpx.TimeoutException as error:
            problem = f"no answer within {shown_limit:g} seconds"
            raise self._transient(problem, shown) from error
        except (httpx.TransportError, StreamBrokenError) as error:
            broken = isinstance(error, StreamBrokenError)
            problem = str(error) if broken else f"it cannot be reached ({error})"
            raise self._transient(problem, shown) from error
        except httpx.HTTPError as error:  # such as a decoding error
            raise ChatModelError(self.describe(f"its answer cannot be read ({error})")) from error
        if response.is_success:
            return answer
        raise self._refusal(response.status_code, answer, response.headers)

    def _transient(self, problem: str, shown: list[str]) -> Exception:
        """Return the error of a failure that a retry may resolve, if nothing was shown yet."""
        if not shown:
            return _TransientError(problem)
        return ChatModelError(self.describe(f"its answer broke off: {problem}"))

    def _bounded(self, response: httpx.Response, end: float) -> Iterator[bytes]:
        import httpx

        read, most = 0, _MAX_ANSWER_BYTES
        if response.headers.get("Content-Type", "").startswith("text/event-stream"):
            most = _MAX_STREAM_BYTES
        for piece in response.iter_bytes():
            read += len(piece)
            if read > most:
                raise ChatModelError(self.describe(f"its answer is longer than {most:,} bytes"))
            # httpx's own timeout applies to each chunk of a response.
            if self._monotonic() > end:
                raise httpx.ReadTimeout("the answer takes too long")
            yield piece

    def _decode(self, answer: bytes | dict[str, Any]) -> dict[str, Any]:
        """Decode a body. Raises :class:`ChatModelError` if it is no completion."""
        if isinstance(answer, bytes):
            try:
                decoded = json.loads(answer)
            except (ValueError, RecursionError) as error:
                raise ChatModelError(
                    self.describe(
                        "its answer is not a chat completion: check that the URL is complete "
                        "(it often ends in /v1)"
                    )
                ) from error
        else:
            decoded = answer
        if isinstance(decoded, dict) and decoded.get("error") and not decoded.get("choices"):
            raise self._refusal(0, json.dumps(decoded).encode(), {})
        if not isinstance(decoded, dict) or not isinstance(decoded.get("choices"), list):
            raise ChatModelError(self.describe("its answer is not a chat completion"))
        return decoded

    def _refusal(self, status: int, answer: bytes, headers: Mapping[str, str]) -> Exception:
        """Return the error of an answer that reports one."""
        problem, reason = describe_status(status, answer, self._hints)
        too_long = find_context_error(status, reason, answer, self.describe(problem))
        if too_long is not None:
            return too_long
        refusal = RequestRefused(self.describe(problem), status, reason)
        if status in _RETRY_STATUSES and not (status == 500 and refusal.names_a_feature()):
            return _TransientError(problem, _parse_retry_after(headers))
        return refusal

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json"}
        return headers | ({"Authorization": f"Bearer {self._api_key}"} if self._api_key else {})

    def _open_client(self) -> httpx.Client:
        import httpx

        with self._lock:
            if self._client is None or self._client[0] != os.getpid():
                # A forked process must not use the connections of its parent.
                self._client = os.getpid(), httpx.Client()
            return self._client[1]


class _TransientError(Exception):
    """A failure that a retry may resolve, after ``wait`` seconds if the service said so."""

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.wait = wait


def _encode(body: Mapping[str, Any]) -> bytes:
    """Encode JSON. Halves of surrogate pairs, which no server takes, become "?"."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def _parse_retry_after(headers: Mapping[str, str]) -> float | None:
    """Parse ``Retry-After``, a number or a date, into seconds."""
    wanted = headers.get("Retry-After", "")
    with suppress(ValueError):
        seconds = float(wanted)
        return max(0.0, seconds) if isfinite(seconds) else None
    with suppress(ValueError):
        at = parsedate_to_datetime(wanted)
        return max(0.0, (at.astimezone(UTC) - datetime.now(UTC)).total_seconds())
    return None
