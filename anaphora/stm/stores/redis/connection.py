"""A Redis connection with retries and actionable errors."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from random import uniform
from typing import Any, TypeVar
from urllib.parse import urlsplit

import redis
from redis.exceptions import (
    AuthenticationError,
    AuthorizationError,
    BusyLoadingError,
    NoScriptError,
    RedisError,
)

from anaphora.errors import StoreError
from anaphora.stm.stores.redis.cluster import Cluster
from anaphora.stm.stores.redis.errors import find_code, to_store_error
from anaphora.stm.stores.redis.replication import NotReplicatedError, Replication
from anaphora.stm.stores.redis.scripts import Script
from anaphora.stm.stores.redis.sentinel import SentinelService
from anaphora.stm.stores.redis.topology import (
    ANSWER_TIMEOUT,
    SingleServer,
    TooFewReplicasError,
    Topology,
    Word,
)
from anaphora.stm.stores.redis.urls import (
    CLUSTER_SCHEMES,
    SENTINEL_SCHEMES,
    hide_password,
    parse_hosts,
)
from anaphora.storage.forks import ForkAware, register_fork_aware
from anaphora.storage.waiting import IN_THREAD

__all__ = ["Attempts", "RedisConnection"]

_FIRST_PAUSE = 0.005
_LONGEST_PAUSE = 0.25
_SCAN_BATCH = 500
# A key that moves while it is searched for is where it was in one pass, or where it is in the next.
_SCAN_PASSES = 3
_SCAN_ATTEMPTS = 10
# A command that waits for replicas is told so when its server stops being the primary.
_DEMOTED = ("UNBLOCKED", "WAIT cannot be used with replica instances")
_Answer = TypeVar("_Answer")


class RedisConnection(ForkAware):
    """Sends commands to the server, the cluster or the service of Sentinel at ``url``, from any
    thread and also after a fork.

    If the connection is lost or the server restarts, if a replica takes over or keys move to
    another node, it retries for ``patience`` seconds (unless it has never connected), so commands
    may be sent twice. With ``replication``, a command that is to be ``replicated`` waits for so
    many replicas, and raises :class:`NotReplicatedError` if they do not confirm in time. Raises
    :class:`StoreError` for an invalid URL and for every command that fails.
    """

    def __init__(
        self, url: str, *, patience: float, replication: Replication | None = None
    ) -> None:
        self._patience = patience
        self._replication = replication
        self._has_connected = False
        self._display_url = hide_password(url)
        waiting = replication.timeout if replication is not None else 0.0
        try:
            self._topology = _open_topology(url, ANSWER_TIMEOUT + waiting)
        except ValueError:  # its message may contain a part of the password
            raise StoreError(
                f"'{self._display_url}' is not the URL of a Redis server: write "
                "redis://host:6379/0, rediss://…, unix:///path, "
                "redis+cluster://host:6379,host:6379 or "
                "redis+sentinel://host:26379,host:26379/service, "
                "and / @ : % in a password as %2F %40 %3A %25"
            ) from None
        self._closed = False
        self.runner = _BlockingRunner(self)
        self.is_single = replication is None and isinstance(self._topology, SingleServer)
        register_fork_aware(self)

    def run_script(
        self,
        script: Script,
        keys: Sequence[bytes],
        *arguments: Word,
        patience: float | None = None,
        replicated: bool = False,
    ) -> Any:
        """Run a script, whose keys share a slot, and return its result."""
        replication = self._replication if replicated else None
        rest = (len(keys), *keys, *arguments)

        def attempt() -> Any:
            try:
                return self._topology.send(keys[0], ("EVALSHA", script.digest, *rest), replication)
            except NoScriptError:  # a server that has just started
                return self._topology.send(keys[0], ("EVAL", script.text, *rest), replication)

        return self._retry(attempt, patience)

    def begin_attempts(self, patience: float | None = None) -> Attempts:
        """Begin the attempts of a command that is sent in another way than by this object."""
        return Attempts(self, self._patience if patience is None else patience)

    def execute(
        self,
        command: str,
        key: bytes,
        *words: Word,
        patience: float | None = None,
        replicated: bool = False,
    ) -> Any:
        """Send a command for a key, or for several in its slot, and return its result."""
        replication = self._replication if replicated else None
        return self._retry(
            lambda: self._topology.send(key, (command, key, *words), replication), patience
        )

    def execute_on_primaries(self, *words: str, patience: float | None = None) -> list[Any]:
        """Send a command to every server that has keys, and return its results."""
        return self._retry(
            lambda: [server.execute_command(*words) for server in self._topology.primaries()],
            patience,
        )

    def scan(self, pattern: bytes) -> Iterator[bytes]:
        """Iterate over the keys that match a pattern, on all servers; one may occur twice."""
        passes = 0
        for _ in range(_SCAN_ATTEMPTS):
            before = self._retry(self._topology.layout)
            for server in self._retry(self._topology.primaries):
                if not (yield from self._scan_server(server, pattern)):
                    break
            else:
                passes += 1
                if passes == _SCAN_PASSES or self._retry(self._topology.layout) == before:
                    return
        raise StoreError(
            f"{self._display_url}: its servers change too often for a search of all keys: try "
            "again later"
        )

    def scan_members(self, pattern: bytes, key: bytes) -> Iterator[bytes]:
        """Iterate over the members of a sorted set that match a pattern; one may occur twice."""
        cursor: int | None = None
        while cursor != 0:
            words = (cursor or 0, "MATCH", pattern, "COUNT", _SCAN_BATCH)
            cursor, found = self.execute("ZSCAN", key, *words)
            yield from (member for member, _ in found)

    def close(self) -> None:
        self._closed = True
        self._topology.close()

    def after_fork_in_child(self) -> None:
        """Open new connections."""
        self._topology.replace_connections()

    def _scan_server(self, server: Any, pattern: bytes) -> Generator[bytes, None, bool]:
        """Iterate over the keys of one server. Returns False if it is no primary any more."""

        def attempt() -> Any:
            if server not in self._topology.primaries():
                return None
            return server.execute_command(
                "SCAN", cursor or 0, "MATCH", pattern, "COUNT", _SCAN_BATCH
            )

        cursor: int | None = None
        while cursor != 0:
            answer = self._retry(attempt)
            if answer is None:
                return False
            cursor, found = answer
            yield from found
        return True

    def _retry(self, attempt: Callable[[], _Answer], patience: float | None = None) -> _Answer:
        attempts = self.begin_attempts(patience)
        while True:
            attempts.check()
            try:
                answer = attempt()
            except TooFewReplicasError as error:
                raise self._not_replicated(error) from None
            except RedisError as error:
                pause = attempts.pause_after(error)
            else:
                attempts.succeed()
                return answer
            time.sleep(pause)

    def _is_retryable(self, error: RedisError) -> bool:
        is_passing = self._topology.recover(error, find_code(error))
        demoted = any(text in str(error) for text in _DEMOTED)
        lost = isinstance(error, redis.ConnectionError | redis.TimeoutError)
        refused = isinstance(error, AuthenticationError | AuthorizationError)
        return ((lost and not refused) or is_passing or demoted) and self._has_connected

    def _not_replicated(self, error: TooFewReplicasError) -> NotReplicatedError:
        assert self._replication is not None
        needed, seconds = self._replication
        return NotReplicatedError(
            f"{self._display_url}: {error.confirmed} of the {needed} replicas that min_replicas "
            f"asks for confirmed the write within {seconds:g} seconds: are they running, and is "
            "replica_timeout long enough?"
        )


class Attempts:
    """The attempts of one command to get an answer within ``patience`` seconds."""

    def __init__(self, connection: RedisConnection, patience: float) -> None:
        self._connection = connection
        self._end = time.monotonic() + patience
        self._pause = 0.0  # the first failure may just be a connection that was idle for too long
        self._in_doubt = False  # an attempt may have been executed

    def check(self) -> None:
        """Raise :class:`StoreError` if the store is closed."""
        if self._connection._closed:
            raise StoreError(f"the store {self._connection._display_url} is closed")

    def succeed(self) -> None:
        """Note that the server has answered."""
        self._connection._has_connected = True

    def pause_after(self, error: RedisError) -> float:
        """Return the seconds until the next attempt.

        Raises :class:`StoreError` if another attempt is useless or too late.
        """
        connection, pause = self._connection, self._pause
        connection._has_connected |= isinstance(error, BusyLoadingError)
        self._in_doubt |= isinstance(error, redis.ConnectionError | redis.TimeoutError)
        if not connection._is_retryable(error) or time.monotonic() + pause >= self._end:
            hint = connection._topology.explain(error)
            url, in_doubt = connection._display_url, self._in_doubt
            raise to_store_error(url, error, hint, in_doubt=in_doubt) from error
        self._pause = min(max(pause * 2, _FIRST_PAUSE), _LONGEST_PAUSE)
        return uniform(pause / 2, pause)


class _BlockingRunner:
    """Runs the scripts of questions that wait in a thread; see
    :class:`~anaphora.stm.stores.redis.lock.ScriptRunner`."""

    waiting = IN_THREAD

    def __init__(self, connection: RedisConnection) -> None:
        self._connection = connection

    async def run_script(
        self,
        script: Script,
        keys: Sequence[bytes],
        *arguments: Word,
        patience: float | None = None,
        replicated: bool = False,
    ) -> Any:
        return self._connection.run_script(
            script, keys, *arguments, patience=patience, replicated=replicated
        )


def _open_topology(url: str, answer_timeout: float) -> Topology:
    scheme = urlsplit(url).scheme
    if scheme in CLUSTER_SCHEMES:
        return Cluster(parse_hosts(url), answer_timeout)
    if scheme in SENTINEL_SCHEMES:
        return SentinelService(parse_hosts(url), answer_timeout)
    return SingleServer(url, answer_timeout)
