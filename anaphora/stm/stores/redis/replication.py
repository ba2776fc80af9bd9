"""How many replicas of a Redis server must confirm what it has written."""

from __future__ import annotations

from typing import NamedTuple

from anaphora.errors import StoreError

__all__ = ["NotReplicatedError", "Replication", "parse_replication"]

_LONGEST_TIMEOUT = 60.0  # seconds


class Replication(NamedTuple):
    """So many ``replicas`` confirm a write within ``timeout`` seconds."""

    replicas: int
    timeout: float


class NotReplicatedError(StoreError):
    """Too few replicas have confirmed a write in time; the primary has made it."""


def parse_replication(min_replicas: int, replica_timeout: float) -> Replication | None:
    """Check the settings of a store; None if it does not wait for replicas.

    Raises :class:`StoreError`.
    """
    if min_replicas < 0:
        raise StoreError(f"{min_replicas} replicas cannot confirm anything: write 0 or more")
    if not 0 < replica_timeout <= _LONGEST_TIMEOUT:
        raise StoreError(
            f"a replica_timeout of {replica_timeout:g} seconds is not possible: write up to "
            f"{_LONGEST_TIMEOUT:g} (the default is 1)"
        )
    return Replication(min_replicas, replica_timeout) if min_replicas else None
