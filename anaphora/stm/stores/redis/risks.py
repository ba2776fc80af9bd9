"""Find the settings of Redis servers by which conversations may be lost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from anaphora.errors import StoreError
from anaphora.stm.stores.redis.connection import RedisConnection

__all__ = ["find_risks"]

_PATIENCE = 0.5  # seconds of retries


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
