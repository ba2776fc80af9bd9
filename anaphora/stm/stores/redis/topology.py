"""How commands reach the servers of a store: its interface, and the one for a single server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

import redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from anaphora.stm.stores.redis.replication import Replication

__all__ = [
    "ANSWER_TIMEOUT",
    "CONNECT_TIMEOUT",
    "SingleServer",
    "TooFewReplicasError",
    "Topology",
    "Word",
    "no_retries",
    "send",
]

ANSWER_TIMEOUT = 5.0
CONNECT_TIMEOUT = 2.0
_CONNECTIONS = 64  # a command takes one for less than a millisecond

Word: TypeAlias = str | bytes | int


class TooFewReplicasError(RedisError):
    """Only ``confirmed`` replicas have confirmed a write in time."""

    def __init__(self, confirmed: int) -> None:
        super().__init__(f"{confirmed} replicas have confirmed")
        self.confirmed = confirmed


class Topology(Protocol):
    """The servers behind one URL. Methods raise the errors of the Redis client."""

    def send(self, key: bytes, words: Sequence[Word], replication: Replication | None) -> Any:
        """Send a command to the primary that has ``key``."""

    def primaries(self) -> Sequence[Any]:
        """Return clients of all servers that share the keys."""

    def layout(self) -> object:
        """Return a value that differs if keys have moved from one server to another since."""

    def recover(self, error: RedisError, code: str | None) -> bool:
        """Prepare for another attempt. Returns whether the error, or its code, means that servers
        or keys are changing places, so that another attempt may succeed."""

    def explain(self, error: RedisError) -> str | None:
        """Return how to mend an error that is particular to this kind of servers."""

    def replace_connections(self) -> None:
        """Use new connections in a forked process, and leave those of its parent open."""

    def close(self) -> None:
        """Close the connections."""


class SingleServer:
    """The :class:`Topology` of a single server. Raises :class:`ValueError` for an invalid URL."""

    def __init__(self, url: str, answer_timeout: float) -> None:
        self._url = url
        self._answer_timeout = answer_timeout
        self._parent_pools: list[redis.ConnectionPool] = []
        self._connect()

    def send(self, key: bytes, words: Sequence[Word], replication: Replication | None) -> Any:
        return send(self._client, words, replication)

    def primaries(self) -> Sequence[Any]:
        return (self._client,)

    def layout(self) -> object:
        return None

    def recover(self, error: RedisError, code: str | None) -> bool:
        return False

    def explain(self, error: RedisError) -> str | None:
        return None

    def replace_connections(self) -> None:
        self._parent_pools.append(self._pool)  # not to be closed: the parent uses them
        self._connect()

    def close(self) -> None:
        self._pool.disconnect()

    def _connect(self) -> None:
        # Nothing of the newer protocol is needed.
        self._pool = redis.BlockingConnectionPool.from_url(
            self._url,
            max_connections=_CONNECTIONS,
            timeout=ANSWER_TIMEOUT,
            socket_timeout=self._answer_timeout,
            socket_connect_timeout=CONNECT_TIMEOUT,
            retry=no_retries(),
            protocol=2,
        )
        # Typed as Any: the library types results as possibly awaitable.
        self._client: Any = redis.Redis(connection_pool=self._pool)


def send(
    client: Any,
    words: Sequence[Word],
    replication: Replication | None = None,
    *,
    asking: bool = False,
) -> Any:
    """Send a command, and wait until replicas have confirmed all writes up to it. ``asking``: the
    server does not own the key yet, because its slot is being moved there.

    Raises :class:`TooFewReplicasError`.
    """
    if replication is None and not asking:
        return client.execute_command(*words)
    with client.pipeline(transaction=False) as pipeline:  # all on one connection
        if asking:
            pipeline.execute_command("ASKING")
        pipeline.execute_command(*words)
        if replication is not None:
            milliseconds = max(int(replication.timeout * 1_000), 1)
            pipeline.execute_command("WAIT", replication.replicas, milliseconds)
        answer, *confirmed = pipeline.execute(raise_on_error=False)[asking:]
    for result in (answer, *confirmed):
        if isinstance(result, Exception):
            raise result
    if replication is not None and confirmed[0] < replication.replicas:
        raise TooFewReplicasError(confirmed[0])
    return answer


def no_retries() -> Retry:
    """Create the policy of a client that never retries: its caller does."""
    return Retry(NoBackoff(), 0)
