"""The owners of graphs, in a database."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

from anaphora.agents.graph.backends.backend import Sql
from anaphora.ltm.retrieval.store import UserKey

__all__ = ["Owner", "erased_clock", "find_owner", "lock_owner", "owner_digest"]


@dataclass(slots=True)
class Owner:
    """A row of the owners: ``next_id`` is the next id of anything of theirs, ``stream_size`` the
    number of mentions in the stream."""

    id: int
    next_id: int
    stream_size: int

    def take_id(self) -> int:
        """Return the next id."""
        self.next_id += 1
        return self.next_id - 1


def find_owner(sql: Sql, user_key: UserKey) -> int | None:
    """Return the id of an owner; None if nothing is known of them."""
    rows = sql.select("SELECT id FROM owners WHERE place = ?", owner_digest(user_key))
    return int(rows[0][0]) if rows else None


def lock_owner(sql: Sql, user_key: UserKey) -> Owner:
    """Return an owner, created if necessary. Other transactions that change this owner's data wait
    until this one ends."""
    ((id, next_id, stream_size),) = sql.select(_LOCK, owner_digest(user_key))
    return Owner(id, next_id, stream_size)


def erased_clock(sql: Sql, user_key: UserKey, model: str) -> int:
    """Return the clock up to which exchanges of a user with a model were erased; -1 if never."""
    ((clock,),) = sql.select(
        "SELECT coalesce(max(clock), -1) FROM erasures WHERE place IN (?, ?)",
        owner_digest(user_key),
        owner_digest(user_key, model),
    )
    return int(clock)


def owner_digest(user_key: UserKey, model: str | None = None) -> bytes:
    """Return a digest of the names of a user (with a model), which may be of any length."""
    names = repr((user_key.tenant, user_key.user, model)).encode("utf-8", "surrogatepass")
    return blake2b(names, digest_size=16).digest()


_LOCK = (
    "INSERT INTO owners (place, next_id, stream_size) VALUES (?, 1, 0) "
    "ON CONFLICT (place) DO UPDATE SET place = excluded.place RETURNING id, next_id, stream_size"
)
