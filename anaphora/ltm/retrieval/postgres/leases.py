"""Leases in the PostgreSQL recall store: which store processes which items in the background.

A store that takes an item holds it until it is processed, until the lease ends (by the clock of the
server) or until it is closed. Meanwhile others are not offered the item. If a process dies, they
are offered it after the end of the lease. A result is stored in the transaction that finds the item
still unprocessed, so that an item whose lease ended early has one result as well.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from uuid import uuid4

if TYPE_CHECKING:
    from anaphora.storage.postgres.connection import Row, Transaction

__all__ = ["COMPRESS", "Leases", "embed_kind", "index_kind", "release_items"]

COMPRESS = "compress"
"""The kind of leases on conversations to compress."""


def embed_kind(embedder: int) -> str:
    """Return the kind of leases on exchanges that lack a vector of that embedder."""
    return f"embed {embedder}"


def index_kind(version: int) -> str:
    """Return the kind of leases on exchanges whose terms are of an earlier version."""
    return f"index {version}"


class Leases:
    """The leases of one store, which last ``seconds``. A forked process has leases of its own."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._name = uuid4().hex
        self._taken_by: int | None = None  # a process

    @property
    def holder(self) -> str:
        return f"{self._name}-{os.getpid()}"

    @property
    def may_hold_some(self) -> bool:
        return self._taken_by == os.getpid()

    def available(self, kind: str, item: str) -> tuple[str, tuple[Any, ...]]:
        """Return the condition, with its values, that no other store holds ``item``, a column."""
        return (
            f"NOT EXISTS (SELECT FROM leases WHERE kind = %s AND leases.item = {item} "
            "AND holder <> %s AND until > clock_timestamp())",
            (kind, self.holder),
        )

    def take(
        self, transaction: Transaction, kind: str, query: str, *values: Any, item: str
    ) -> list[Row]:
        """Take the items in the first column of the rows of a query, which has ``{}`` for the
        condition that they are available, and return the rows. Stores do so one after another."""
        condition, held = self.available(kind, item)
        found = query.format(condition)
        first, rest = _split_values(query, values)
        check = f"SELECT FROM ({found}) AS found LIMIT 1"
        if not transaction.fetch_all(check, *first, *held, *rest):
            return []  # usually there is no work, and no need to wait for others
        transaction.fetch_all(
            "SELECT pg_advisory_xact_lock(hashtext(current_schema()), hashtext('leases'))"
        )
        rows = transaction.fetch_all(found, *first, *held, *rest)
        transaction.execute("DELETE FROM leases WHERE until <= clock_timestamp()")
        transaction.execute(
            "INSERT INTO leases (kind, item, holder, until) SELECT %s, item, %s, "
            "clock_timestamp() + make_interval(secs => %s) FROM unnest(%s::bigint[]) AS item "
            "ON CONFLICT (kind, item) DO UPDATE SET holder = excluded.holder, "
            "until = excluded.until",
            *(kind, self.holder, self._seconds, [row[0] for row in rows]),
        )
        self._taken_by = os.getpid()
        return rows

    def release_all(self, transaction: Transaction) -> None:
        transaction.execute("DELETE FROM leases WHERE holder = %s", self.holder)


def release_items(transaction: Transaction, kind: str, items: Sequence[int]) -> None:
    """End the leases of items that are processed."""
    transaction.execute(
        "DELETE FROM leases WHERE kind = %s AND item = ANY(%s::bigint[])", kind, list(items)
    )


def _split_values(query: str, values: Sequence[Any]) -> tuple[Sequence[Any], Sequence[Any]]:
    """Split the values of a query at its ``{}``."""
    before = query.partition("{}")[0].count("%s")
    return values[:before], values[before:]
