"""A Redis connection with retries and actionable errors."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from random import uniform
from typing import Any, TypeVar
from urllib.parse import urlsplit

import redis
from redis.backoff import NoBackoff
from redis.exceptions import (
    AuthenticationError,
    AuthorizationError,
    BusyLoadingError,
    NoPermissionError,
    NoScriptError,
    RedisError,
)
from redis.retry import Retry

from anaphora.errors import StoreError
from anaphora.stm.stores.redis.scripts import Script
from anaphora.storage.forks import ForkAware, register_fork_aware

__all__ = ["AccessDeniedError", "RedisConnection"]

_ANSWER_TIMEOUT = 5.0
_CONNECT_TIMEOUT = 2.0
_CONNECTIONS = 64  # a command takes one for less than a millisecond
_FIRST_PAUSE = 0.005
_LONGEST_PAUSE = 0.25
_SCAN_BATCH = 500

_CODES = re.compile(r"\b(OOM|MISCONF|READONLY|WRONGTYPE|NOPERM|MOVED|CLUSTERDOWN)\b")
_HINTS = {
    "OOM": "it is out of memory: raise its maxmemory",
    "MISCONF": "it cannot write to its disk: make room there",
    "READONLY": "it is a replica: name the primary in the URL",
    "WRONGTYPE": "a key belongs to another program: delete it, or use another prefix",
    "NOPERM": "its user may not do this: grant the keys of the prefix, and @read @write @scripting",
    "MOVED": "it is one node of a cluster: name a proxy for the cluster, or a standalone server",
    "CLUSTERDOWN": "its cluster is not complete",
}
_HINTS_BY_TYPE: tuple[tuple[type[RedisError] | tuple[type[RedisError], ...], str], ...] = (
    (BusyLoadingError, "it is still reading its data: try again later"),
    (
        (AuthenticationError, AuthorizationError),
        "check user and password in the URL: redis://user:password@host",
    ),
    (redis.ReadOnlyError, _HINTS["READONLY"]),
    (redis.OutOfMemoryError, _HINTS["OOM"]),
    (NoPermissionError, _HINTS["NOPERM"]),
    (redis.exceptions.MovedError, _HINTS["MOVED"]),
    (redis.TimeoutError, "it does not answer in time: is it overloaded, or the network down?"),
    (redis.ConnectionError, "it cannot be reached: is it running, and is the URL correct?"),
)
_OTHER_HINT = "it refuses a command"
_Answer = TypeVar("_Answer")


class RedisConnection(ForkAware):
    """Sends commands to the server at ``url``, from any thread and also after a fork.

    If the connection is lost or the server restarts, it retries for ``patience`` seconds (unless
    it has never connected), so commands may be sent twice. Raises :class:`StoreError` for an
    invalid URL and for every command that fails.
    """

    def __init__(self, url: str, *, patience: float) -> None:
        self._patience = patience
        self._has_connected = False
        self._display_url = _without_password(url)
        try:
            self._connect(url)
        except ValueError:  # its message may contain a part of the password
            raise StoreError(
                f"'{self._display_url}' is not the URL of a Redis server: write "
                "redis://host:6379/0, "
                "rediss://… or unix:///path, and / @ : % in a password as %2F %40 %3A %25"
            ) from None
        self._url = url
        self._closed = False
        self._parent_pools: list[redis.ConnectionPool] = []
        register_fork_aware(self)

    def run_script(
        self,
        script: Script,
        keys: Sequence[bytes],
        *arguments: str | bytes | int,
        patience: float | None = None,
    ) -> Any:
        """Run a script and return its result."""

        def attempt() -> Any:
            rest = (len(keys), *keys, *arguments)
            try:
                return self._client.execute_command("EVALSHA", script.digest, *rest)
            except NoScriptError:  # a server that has just started
                return self._client.execute_command("EVAL", script.text, *rest)

        return self._retry(attempt, patience)

    def execute(self, *words: str | bytes | int, patience: float | None = None) -> Any:
        """Send one command and return its result."""
        return self._retry(lambda: self._client.execute_command(*words), patience)

    def scan(self, pattern: bytes, *, within: bytes | None = None) -> Iterator[bytes]:
        """Iterate over the keys, or the members of the sorted set ``within``, that match a
        pattern; one may occur twice."""
        command = ("SCAN",) if within is None else ("ZSCAN", within)
        cursor: int | None = None
        while cursor != 0:
            words = (cursor or 0, "MATCH", pattern, "COUNT", _SCAN_BATCH)
            cursor, found = self.execute(*command, *words)
            yield from found if within is None else (member for member, _ in found)

    def close(self) -> None:
        self._closed = True
        self._pool.disconnect()

    def after_fork_in_child(self) -> None:
        """Open new connections."""
        self._parent_pools.append(self._pool)  # not to be closed: the parent uses them
        self._connect(self._url)

    def _connect(self, url: str) -> None:
        # Only `_retry` retries. Nothing of the newer protocol is needed.
        self._pool = redis.BlockingConnectionPool.from_url(
            url,
            max_connections=_CONNECTIONS,
            timeout=_ANSWER_TIMEOUT,
            socket_timeout=_ANSWER_TIMEOUT,
            socket_connect_timeout=_CONNECT_TIMEOUT,
            retry=Retry(NoBackoff(), 0),
            protocol=2,
        )
        # Typed as Any: the library types results as possibly awaitable.
        self._client: Any = redis.Redis(connection_pool=self._pool)

    def _retry(self, attempt: Callable[[], _Answer], patience: float | None) -> _Answer:
        end = time.monotonic() + (self._patience if patience is None else patience)
        pause = 0.0  # the first failure may just be a connection that was idle for too long
        while True:
            if self._closed:
                raise StoreError(f"the store {self._display_url} is closed")
            try:
                answer = attempt()
            except RedisError as error:
                self._has_connected = self._has_connected or isinstance(error, BusyLoadingError)
                if not self._is_retryable(error) or time.monotonic() + pause >= end:
                    raise self._to_store_error(error) from error
            else:
                self._has_connected = True
                return answer
            time.sleep(uniform(pause / 2, pause))
            pause = min(max(pause * 2, _FIRST_PAUSE), _LONGEST_PAUSE)

    def _is_retryable(self, error: RedisError) -> bool:
        lost = isinstance(error, redis.ConnectionError | redis.TimeoutError)
        refused = isinstance(error, AuthenticationError | AuthorizationError)
        return lost and not refused and self._has_connected

    def _to_store_error(self, error: RedisError) -> StoreError:
        code = _CODES.search(str(error))
        hint = _HINTS[code[0]] if code else _hint(error)
        kind = AccessDeniedError if hint == _HINTS["NOPERM"] else StoreError
        return kind(f"{self._display_url}: {hint} ({error})")


class AccessDeniedError(StoreError):
    """The user of the URL has no permission for a command or a key."""


def _hint(error: RedisError) -> str:
    if "user executing the script can't" in str(error):  # NOPERM inside a script
        return _HINTS["NOPERM"]
    return next((hint for kind, hint in _HINTS_BY_TYPE if isinstance(error, kind)), _OTHER_HINT)


def _without_password(url: str) -> str:
    try:
        parts = urlsplit(url)
        host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname or ""
        host = f"{host}:{parts.port}" if parts.port else host
    except ValueError:
        return "redis://…"
    user = f"{parts.username}@" if parts.username else ""
    return f"{parts.scheme}://{user}{host}{parts.path}"
