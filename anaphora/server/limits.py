"""How often a key may be used: a rate for each, counted in the Redis of the store if it is one, so
that all workers count together, else in the memory of this one."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from limits import RateLimitItem, parse
from limits.aio.storage import MemoryStorage, RedisStorage
from limits.aio.strategies import SlidingWindowCounterRateLimiter

from anaphora.server.problems import Refusal

if TYPE_CHECKING:
    from anaphora.server.keys import Key
    from anaphora.server.settings import Settings

__all__ = ["Limits"]

_REDIS = ("redis", "rediss", "unix")
_OF_REDIS = ("db", "username", "password", "ssl_")  # the other options of a URL are the store's
_TIMEOUT = 2.0  # seconds


class Limits:
    """Counts requests. What a minute ago was allowed counts less and less while the next minute
    runs, so that nobody gets twice the rate around the full minute."""

    def __init__(self, settings: Settings) -> None:
        rates = {key.rate for key in settings.keys} | {settings.default_rate}
        self._items: dict[str, RateLimitItem] = {rate: parse(rate) for rate in rates if rate}
        self._default = settings.default_rate
        self._pool: Any = None
        self._failures: tuple[type[Exception], ...] = ()
        if self._items:
            self._limiter = SlidingWindowCounterRateLimiter(self._storage(settings.store))

    async def count(self, key: Key, client: str, *, cost: int = 1) -> None:
        """Count ``cost`` uses of the key; where there are no keys, of the address ``client``.

        Raises :class:`Refusal` if that would be too often, with the seconds to wait.
        """
        rate = key.rate or self._default
        if rate is None or not cost:
            return
        item = self._items[rate]
        who = ("address", client) if key.id is None else ("key", key.id)
        try:
            if await self._limiter.hit(item, *who, cost=cost):
                return
            reset = (await self._limiter.get_window_stats(item, *who)).reset_time
        except self._failures:
            raise Refusal("store-unavailable") from None
        if cost > item.amount:
            detail = f"{cost} questions at once are more than the rate of {rate} allows."
        else:
            detail = f"The rate of this key is {rate}."
        wait = max(1, math.ceil(reset - time.time()))
        raise Refusal("too-many-requests", detail, headers={"Retry-After": str(wait)})

    async def close(self) -> None:
        """Let go of the connections."""
        if self._pool is not None:
            await self._pool.aclose()

    def _storage(self, store: str) -> MemoryStorage | RedisStorage:
        if urlsplit(store).scheme not in _REDIS:
            return MemoryStorage()
        from redis.asyncio import ConnectionPool
        from redis.exceptions import RedisError

        url, prefix = _url(store)
        self._failures = (RedisError, OSError)
        self._pool = ConnectionPool.from_url(
            url, socket_timeout=_TIMEOUT, socket_connect_timeout=_TIMEOUT
        )
        return RedisStorage(
            "async+redis://",
            implementation="redispy",
            key_prefix=f"{prefix}:rates",
            connection_pool=self._pool,
        )


def _url(store: str) -> tuple[str, str]:
    """The URL of the store with nothing but what Redis itself knows, and the prefix of its keys."""
    parts = urlsplit(store)
    options = parse_qsl(parts.query)
    kept = [(name, value) for name, value in options if name.startswith(_OF_REDIS)]
    prefix = dict(options).get("prefix", "anaphora")
    return urlunsplit(parts._replace(query=urlencode(kept))), prefix
