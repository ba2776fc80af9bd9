"""Rate limits for keys: counted in Redis if it is the store, so that all workers share the counts,
else in the memory of this process."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from limits import RateLimitItem, parse
from limits.aio.storage import RedisClusterStorage, RedisStorage
from limits.aio.strategies import SlidingWindowCounterRateLimiter

from anaphora.server.auth.client_address import client_network
from anaphora.server.problems import ProblemError, invalid_field
from anaphora.server.rate_limits.sliding_window import SlidingWindowCounter

if TYPE_CHECKING:
    from anaphora.server.auth.keys import ApiKey
    from anaphora.server.settings.model import Settings
    from anaphora.stm.stores.redis.urls import ServerAddresses

__all__ = ["RateBucket", "RateLimiter"]

RateBucket: TypeAlias = Literal["call", "poll"]
"""The kind of use. Polls of a conversation are counted in a bucket of their own."""

_REDIS_SCHEMES = ("redis", "rediss", "unix")
_CLUSTER_SCHEMES = ("redis+cluster", "rediss+cluster")
_SENTINEL_SCHEMES = ("redis+sentinel", "rediss+sentinel")
_SHARED_SCHEMES = (*_REDIS_SCHEMES, *_CLUSTER_SCHEMES, *_SENTINEL_SCHEMES)
# The other options of a URL configure the store.
_REDIS_OPTIONS = ("db", "username", "password", "ssl_", "sentinel_")
_TIMEOUT = 2.0  # seconds
_POLLS_PER_CALL = 10  # per allowed call: pages poll the conversation


class RateLimiter:
    """Counts requests in a sliding window: the previous minute counts less and less while the
    current one passes, so that a client cannot use twice the rate around the full minute."""

    def __init__(self, settings: Settings) -> None:
        rates = {key.rate for key in settings.keys} | {settings.default_rate}
        calls = {rate: parse(rate) for rate in rates if rate}
        polls = {
            rate: type(item)(_POLLS_PER_CALL * item.amount, item.multiples)
            for rate, item in calls.items()
        }
        self._items: dict[RateBucket, dict[str, RateLimitItem]] = {"call": calls, "poll": polls}
        self._default = settings.default_rate
        is_shared = bool(calls) and urlsplit(settings.store).scheme in _SHARED_SCHEMES
        self._redis_limiter = _RedisLimiter(settings.store) if is_shared else None
        self._windows = {
            (use, rate): SlidingWindowCounter(item.amount, item.get_expiry())
            for use, items in self._items.items()
            for rate, item in items.items()
        }

    async def consume(
        self, key: ApiKey, address: str, *, cost: int = 1, bucket: RateBucket = "call"
    ) -> None:
        """Count ``cost`` uses of the key, or of the client's ``address`` if the service has no
        keys.

        Raises :class:`ProblemError` if the rate is exceeded, with the seconds to wait.
        """
        rate = key.rate or self._default
        if rate is None or not cost:
            return
        who = ("address", client_network(address)) if key.id is None else ("key", key.id)
        if self._redis_limiter is None:
            wait = self._windows[bucket, rate].hit(" ".join(who), cost)
        else:
            wait = await self._redis_limiter.hit(self._items[bucket][rate], (*who, bucket), cost)
        if wait:
            detail = f"The rate of this key is {rate}."
            headers = {"Retry-After": str(max(1, math.ceil(wait)))}
            raise ProblemError("too-many-requests", detail, headers=headers)

    async def consume_dialog(self, key: ApiKey, address: str, questions: int) -> None:
        """Count the questions of a request except the first, which the request itself counted.

        Raises :class:`ProblemError` as :meth:`consume` does, and for more questions than the rate
        ever allows.
        """
        rate = key.rate or self._default
        if rate is not None and questions > self._items["call"][rate].amount:
            message = f"{questions} questions at once are more than the rate of {rate} allows."
            raise invalid_field("texts", message)
        await self.consume(key, address, cost=questions - 1)

    async def close(self) -> None:
        """Close the connections."""
        if self._redis_limiter is not None:
            await self._redis_limiter.close()


class _RedisLimiter:
    """The same counter in Redis, shared by all workers."""

    def __init__(self, store: str) -> None:
        from redis.exceptions import RedisClusterException, RedisError

        url, prefix = _split_store_url(store)
        self._failures: tuple[type[Exception], ...] = (RedisError, RedisClusterException, OSError)
        storage, self._clients = _open_storage(url, f"{prefix}:rates")
        self._limiter = SlidingWindowCounterRateLimiter(storage)

    async def hit(self, item: RateLimitItem, who: tuple[str, ...], cost: int) -> float:
        """Count hits; return the seconds to wait, 0 if the hits are allowed.

        Raises :class:`ProblemError` if Redis cannot be reached.
        """
        try:
            if await self._limiter.hit(item, *who, cost=cost):
                return 0.0
            reset = (await self._limiter.get_window_stats(item, *who)).reset_time
        except self._failures:
            raise ProblemError("store-unavailable") from None
        return max(1.0, reset - time.time())

    async def close(self) -> None:
        for client in self._clients:
            await client.aclose()


def _open_storage(url: str, key_prefix: str) -> tuple[RedisStorage, Sequence[Any]]:
    """Open the counters in a server, a cluster or a service of Sentinel; with what is to be
    closed."""
    from redis.asyncio import ConnectionPool, Sentinel

    timeouts = {"socket_timeout": _TIMEOUT, "socket_connect_timeout": _TIMEOUT}
    common: dict[str, Any] = {"implementation": "redispy", "key_prefix": key_prefix}
    scheme = urlsplit(url).scheme
    if scheme in _CLUSTER_SCHEMES:
        storage, client = _open_cluster(url, timeouts | common)
        return storage, [client]
    if scheme in _SENTINEL_SCHEMES:
        addresses = _parse_hosts(url)
        new_sentinel: Any = Sentinel  # the library leaves its types out
        sentinel = new_sentinel(
            list(addresses.hosts), sentinel_kwargs={**addresses.sentinel_options, **timeouts}
        )
        options = {**addresses.options, **timeouts}
        pool: Any = sentinel.master_for(addresses.service, **options).connection_pool
        clients = [pool, *sentinel.sentinels]
    else:
        pool = ConnectionPool.from_url(url, **timeouts)
        clients = [pool]
    return RedisStorage("async+redis://", connection_pool=pool, **common), clients


def _open_cluster(url: str, options: Mapping[str, Any]) -> tuple[RedisStorage, Any]:
    from redis.asyncio.cluster import ClusterNode

    addresses = _parse_hosts(url)
    nodes: Any = [ClusterNode(host, port) for host, port in addresses.hosts]
    all_options: dict[str, Any] = {**addresses.options, **options, "startup_nodes": nodes}
    storage = RedisClusterStorage("async+redis+cluster://", **all_options)
    bridge: Any = storage.bridge
    return storage, bridge.get_connection()


def _parse_hosts(url: str) -> ServerAddresses:
    from anaphora.stm.stores.redis.urls import parse_hosts

    return parse_hosts(url)


def _split_store_url(store: str) -> tuple[str, str]:
    """Split the URL of the store into the URL for Redis (without the store's options) and the key
    prefix."""
    parts = urlsplit(store)
    options = parse_qsl(parts.query)
    kept = [(name, value) for name, value in options if name.startswith(_REDIS_OPTIONS)]
    prefix = dict(options).get("prefix", "anaphora")
    return urlunsplit(parts._replace(query=urlencode(kept))), prefix
