"""How often a key may be used: a rate for each, counted in the Redis of the store if it is one, so
that all workers count together, else in the memory of this one."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any, Literal, TypeAlias
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from limits import RateLimitItem, parse
from limits.aio.storage import RedisStorage
from limits.aio.strategies import SlidingWindowCounterRateLimiter

from anaphora.server.addresses import neighbourhood
from anaphora.server.problems import Mistake, Refusal
from anaphora.server.rate_windows import RateWindows

if TYPE_CHECKING:
    from anaphora.server.keys import Key
    from anaphora.server.settings import Settings

__all__ = ["Limits", "Use"]

Use: TypeAlias = Literal["call", "look"]
"""What a key is used for: a ``look`` at a conversation is counted apart from all else."""

_REDIS = ("redis", "rediss", "unix")
_OF_REDIS = ("db", "username", "password", "ssl_")  # the other options of a URL are the store's
_TIMEOUT = 2.0  # seconds
_LOOKS = 10  # for each call that is allowed: pages look again and again


class Limits:
    """Counts requests. What a minute ago was allowed counts less and less while the next minute
    runs, so that nobody gets twice the rate around the full minute."""

    def __init__(self, settings: Settings) -> None:
        rates = {key.rate for key in settings.keys} | {settings.default_rate}
        calls = {rate: parse(rate) for rate in rates if rate}
        looks = {rate: _times(_LOOKS, item) for rate, item in calls.items()}
        self._items: dict[Use, dict[str, RateLimitItem]] = {"call": calls, "look": looks}
        self._default = settings.default_rate
        is_shared = bool(calls) and urlsplit(settings.store).scheme in _REDIS
        self._redis = _RedisWindows(settings.store) if is_shared else None
        self._windows = {
            (use, rate): RateWindows(item.amount, item.get_expiry())
            for use, items in self._items.items()
            for rate, item in items.items()
        }

    async def count(self, key: Key, client: str, *, cost: int = 1, use: Use = "call") -> None:
        """Count ``cost`` uses of the key; where there are no keys, of the address ``client``.

        Raises :class:`Refusal` if that would be too often, with the seconds to wait.
        """
        rate = key.rate or self._default
        if rate is None or not cost:
            return
        who = ("address", neighbourhood(client)) if key.id is None else ("key", key.id)
        if self._redis is None:
            wait = self._windows[use, rate].hit(" ".join(who), cost)
        else:
            wait = await self._redis.hit(self._items[use][rate], (*who, use), cost)
        if wait:
            detail = f"The rate of this key is {rate}."
            headers = {"Retry-After": str(max(1, math.ceil(wait)))}
            raise Refusal("too-many-requests", detail, headers=headers)

    async def count_dialog(self, key: Key, client: str, questions: int) -> None:
        """Count the questions of a request that has been counted itself: all but the first.

        Raises :class:`Refusal` as :meth:`count` does, and for more than can ever be allowed.
        """
        rate = key.rate or self._default
        if rate is not None and questions > self._items["call"][rate].amount:
            message = f"{questions} questions at once are more than the rate of {rate} allows."
            mistake = Mistake("texts", message)
            raise Refusal("invalid-request", f"texts: {message}", errors=[mistake])
        await self.count(key, client, cost=questions - 1)

    async def close(self) -> None:
        """Let go of the connections."""
        if self._redis is not None:
            await self._redis.close()


class _RedisWindows:
    """The same count in Redis, for all workers together."""

    def __init__(self, store: str) -> None:
        from redis.asyncio import ConnectionPool
        from redis.exceptions import RedisError

        url, prefix = _url(store)
        self._failures: tuple[type[Exception], ...] = (RedisError, OSError)
        pool: Any = ConnectionPool.from_url(
            url, socket_timeout=_TIMEOUT, socket_connect_timeout=_TIMEOUT
        )
        self._pool = pool
        storage = RedisStorage(
            "async+redis://",
            implementation="redispy",
            key_prefix=f"{prefix}:rates",
            connection_pool=pool,
        )
        self._limiter = SlidingWindowCounterRateLimiter(storage)

    async def hit(self, item: RateLimitItem, who: tuple[str, ...], cost: int) -> float:
        """The seconds to wait, 0 if the hits are allowed.

        Raises :class:`Refusal` if Redis cannot be reached.
        """
        try:
            if await self._limiter.hit(item, *who, cost=cost):
                return 0.0
            reset = (await self._limiter.get_window_stats(item, *who)).reset_time
        except self._failures:
            raise Refusal("store-unavailable") from None
        return max(1.0, reset - time.time())

    async def close(self) -> None:
        await self._pool.aclose()


def _times(factor: int, item: RateLimitItem) -> RateLimitItem:
    return type(item)(factor * item.amount, item.multiples)


def _url(store: str) -> tuple[str, str]:
    """The URL of the store with nothing but what Redis itself knows, and the prefix of its keys."""
    parts = urlsplit(store)
    options = parse_qsl(parts.query)
    kept = [(name, value) for name, value in options if name.startswith(_OF_REDIS)]
    prefix = dict(options).get("prefix", "anaphora")
    return urlunsplit(parts._replace(query=urlencode(kept))), prefix
