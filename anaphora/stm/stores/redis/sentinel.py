"""A primary that Sentinels watch, and replace by one of its replicas when it fails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import redis
from redis.exceptions import AuthenticationError, RedisError
from redis.sentinel import MasterNotFoundError, Sentinel

from anaphora.core.name_hints import did_you_mean
from anaphora.stm.stores.redis.replication import Replication
from anaphora.stm.stores.redis.topology import (
    CONNECT_TIMEOUT,
    Word,
    no_retries,
    send,
)
from anaphora.stm.stores.redis.urls import ServerAddresses
from anaphora.storage.forks import fork_safe_lock

__all__ = ["SentinelService"]

_UNREACHABLE_HINT = "no Sentinel can be reached: are they running, and is the URL correct?"
_PASSWORD_HINT = (
    "check the password of the Sentinels: ?sentinel_username=…&sentinel_password=… in the URL"
)
_SENTINEL_TIMEOUT = 1.0  # seconds; a dead one must not hold up the questions: there are others


class SentinelService:
    """The :class:`~anaphora.stm.stores.redis.topology.Topology` of a service of Sentinel: whoever
    is its primary now."""

    def __init__(self, addresses: ServerAddresses, answer_timeout: float) -> None:
        self._addresses = addresses
        self._answer_timeout = answer_timeout
        self._of_parents: list[redis.Redis] = []
        self._connect()

    def send(self, key: bytes, words: Sequence[Word], replication: Replication | None) -> Any:
        return send(self._client, words, replication)

    def primaries(self) -> Sequence[Any]:
        return (self._client,)

    def layout(self) -> object:
        return self._sentinel.discover_master(self._addresses.service)

    def recover(self, error: RedisError, code: str | None) -> bool:
        if code != "READONLY":
            return False
        # The primary has become a replica: new connections ask the Sentinels.
        self._client.connection_pool.disconnect(inuse_connections=False)
        return True

    def explain(self, error: RedisError) -> str | None:
        if not isinstance(error, MasterNotFoundError):
            return None
        name, services, refused = self._addresses.service, set[str](), False
        has_answer = False
        for sentinel in self._sentinel.sentinels:
            try:
                services |= set(sentinel.sentinel_masters())
                has_answer = True
            except RedisError as reason:  # it is down; another may answer
                refused = refused or isinstance(reason, AuthenticationError)
        if not has_answer:
            return _PASSWORD_HINT if refused else _UNREACHABLE_HINT
        if name not in services:
            hint = did_you_mean(name, services, label="they watch") or "they watch others"
            return f"the Sentinels watch no service '{name}'; {hint}"
        return (
            f"the primary of '{name}' is down, and no replica has taken over: do enough Sentinels "
            "and a replica run?"
        )

    def replace_connections(self) -> None:
        self._of_parents.append(self._client)
        self._connect()

    def close(self) -> None:
        self._client.connection_pool.disconnect()
        self._sentinel.close()

    def _connect(self) -> None:
        patience: Mapping[str, Any] = {
            "socket_timeout": self._answer_timeout,
            "socket_connect_timeout": CONNECT_TIMEOUT,
            "retry": no_retries(),
            "protocol": 2,
        }
        of_sentinels = {
            **patience,
            **self._addresses.sentinel_options,
            "socket_timeout": _SENTINEL_TIMEOUT,
            "socket_connect_timeout": _SENTINEL_TIMEOUT,
        }
        self._sentinel: Any = _Sentinels(
            list(self._addresses.hosts), sentinel_kwargs=of_sentinels, **patience
        )
        client = self._sentinel.master_for(  # type: ignore[no-untyped-call]
            self._addresses.service, **self._addresses.options
        )
        self._client: Any = client


class _Sentinels(Sentinel):
    """The library's client, for several threads, and with short errors.

    The library changes the order of its Sentinels while it asks them, so that one thread at a time
    may do so; its errors list the settings of all connections.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)  # type: ignore[no-untyped-call]
        self._asking = fork_safe_lock()

    def discover_master(self, service_name: str) -> Any:
        with self._asking:
            try:
                return super().discover_master(service_name)  # type: ignore[no-untyped-call]
            except MasterNotFoundError:
                raise MasterNotFoundError(f"no primary of '{service_name}' is known") from None
