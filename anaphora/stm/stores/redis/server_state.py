"""The version, the clock and the risky settings of a Redis server."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from anaphora.errors import StoreError

if TYPE_CHECKING:
    from anaphora.stm.stores.redis.connection import RedisConnection

__all__ = ["RedisServerState", "find_risks", "read_server_state"]

_PATIENCE = 0.5  # seconds of retries, for nothing is lost by a failure
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class RedisServerState:
    """The ``version`` of a server ('' if it is hidden), its ``time``, and the settings by which it
    may lose conversations."""

    version: str
    time: datetime
    risks: tuple[str, ...]


def read_server_state(connection: RedisConnection) -> RedisServerState:
    """Ask the server. Raises :class:`StoreError` if it does not answer."""
    seconds, microseconds = connection.execute("TIME", patience=_PATIENCE)
    time = _EPOCH + timedelta(seconds=int(seconds), microseconds=int(microseconds))
    try:
        version = str(connection.execute("INFO", patience=_PATIENCE).get("redis_version", ""))
    except StoreError:  # many hosting services hide it
        version = ""
    return RedisServerState(version, time, tuple(find_risks(connection)))


def find_risks(connection: RedisConnection) -> Iterator[str]:
    """Describe the settings of the server by which conversations may be lost."""
    try:
        info = connection.execute("INFO", patience=_PATIENCE)
        policy = info.get("maxmemory_policy", "noeviction")
        if policy != "noeviction" and info.get("maxmemory"):
            yield (
                f"it evicts keys when its memory is full: set maxmemory-policy, now {policy}, "
                "to noeviction"
            )
        if info.get("aof_enabled") == 0:
            saves = connection.execute("CONFIG GET", "save", patience=_PATIENCE).get("save")
            if not saves:
                yield "it loses everything on a restart: set appendonly to yes"
    except StoreError:  # many hosting services hide these settings
        return
