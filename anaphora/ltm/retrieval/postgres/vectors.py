"""Vectors of exchanges in the PostgreSQL recall store, and their embedders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from anaphora.ltm.retrieval.postgres.records import encode_text, names_digest
from anaphora.ltm.retrieval.postgres.writer import lock_users

if TYPE_CHECKING:
    from anaphora.ltm.retrieval.postgres.connection import Transaction

__all__ = ["find_or_create_embedder", "put_vectors"]


def put_vectors(
    transaction: Transaction, embedder: str, ids: Sequence[int], rows: Sequence[Any]
) -> None:
    """Store vectors, in the form of the database driver."""
    known = find_or_create_embedder(transaction, embedder)
    lock_users(transaction, ids)
    there: dict[int, int] = dict(
        transaction.fetch_all("SELECT id, user_id FROM exchanges WHERE id = ANY(%s)", list(ids))
    )
    values = {
        id: (there[id], known, id, row) for id, row in zip(ids, rows, strict=True) if id in there
    }
    found = list(values)
    replaced = transaction.fetch_all(
        "DELETE FROM vectors WHERE embedder_id = %s AND exchange_id = ANY(%s) RETURNING user_id",
        *(known, found),
    )
    if replaced:
        transaction.execute(
            "UPDATE users SET changes = changes + 1 WHERE id = ANY(%s)",
            sorted({user for (user,) in replaced}),
        )
    transaction.execute_many(
        "INSERT INTO vectors (user_id, embedder_id, exchange_id, vector) VALUES (%s, %s, %s, %s)",
        values.values(),
    )
    transaction.execute(
        "DELETE FROM unembedded WHERE embedder_id = %s AND exchange_id = ANY(%s)",
        *(known, found),
    )


def find_or_create_embedder(transaction: Transaction, name: str) -> int:
    """Return the id of an embedder. For a new one, all exchanges become unembedded."""
    place = names_digest(name)
    find = "SELECT id FROM embedders WHERE place = %s"
    found = transaction.fetch_one(find, place)
    if found is None:
        transaction.execute("LOCK TABLE embedders IN EXCLUSIVE MODE")
        found = transaction.fetch_one(find, place)
    if found is None:
        found = transaction.fetch_one(
            "INSERT INTO embedders (place, name) VALUES (%s, %s) RETURNING id",
            *(place, encode_text(name)),
        )
        assert found
        transaction.execute(
            "INSERT INTO unembedded (exchange_id, embedder_id, user_id) "
            "SELECT id, %s, user_id FROM exchanges",
            found[0],
        )
    (id,) = found
    return int(id)
