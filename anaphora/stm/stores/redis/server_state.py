"""The versions, the clocks and the risky settings of Redis servers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from anaphora.errors import StoreError
from anaphora.stm.stores.redis.connection import RedisConnection

__all__ = ["RedisServerState", "find_risks", "read_server_state"]

_PATIENCE = 0.5  # seconds of retries, for nothing is lost by a failure
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class RedisServerState:
    """The ``versions`` of the servers that have keys (without those that hide it), the ``times`` of
    each, and the settings by which they may lose conversations."""

    versions: tuple[str, ...]
    times: tuple[datetime, ...]
    risks: tuple[str, ...]


def read_server_state(connection: RedisConnection) -> RedisServerState:
    """Ask the servers. Raises :class:`StoreError` if one does not answer."""
    times = connection.execute_on_primaries("TIME", patience=_PATIENCE)
    try:
        infos = connection.execute_on_primaries("INFO", patience=_PATIENCE)
    except StoreError:  # many hosting services hide it
        infos = []
    versions = dict.fromkeys(str(info.get("redis_version", "")) for info in infos)
    return RedisServerState(
        tuple(version for version in versions if version),
        tuple(_EPOCH + timedelta(seconds=int(one), microseconds=int(two)) for one, two in times),
        tuple(find_risks(connection)),
    )


def find_risks(connection: RedisConnection) -> Iterator[str]:
    """Describe the settings by which conversations may be lost, each once."""
    try:
        infos = connection.execute_on_primaries("INFO", patience=_PATIENCE)
        risks = [risk for info in infos for risk in _risks_of(info)]
        if any(info.get("aof_enabled") == 0 for info in infos):
            saves = connection.execute_on_primaries("CONFIG GET", "save", patience=_PATIENCE)
            if not all(save.get("save") for save in saves):
                risks.append("it loses everything on a restart: set appendonly to yes")
    except StoreError:  # many hosting services hide these settings
        return
    yield from dict.fromkeys(risks)


def _risks_of(info: Mapping[str, Any]) -> Iterator[str]:
    policy = info.get("maxmemory_policy", "noeviction")
    if policy != "noeviction" and info.get("maxmemory"):
        yield (
            f"it evicts keys when its memory is full: set maxmemory-policy, now {policy}, "
            "to noeviction"
        )
