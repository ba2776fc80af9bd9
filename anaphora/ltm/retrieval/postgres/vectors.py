"""Vectors of exchanges in the PostgreSQL recall store, and their embedders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from anaphora.ltm.retrieval.postgres.leases import embed_kind, release_items
from anaphora.ltm.retrieval.postgres.writer import lock_users
from anaphora.storage.postgres.text_encoding import encode_text, names_digest

if TYPE_CHECKING:
    from anaphora.storage.postgres.connection import Transaction

__all__ = ["find_or_create_embedder", "put_token_vectors", "put_vectors"]


def put_vectors(
    transaction: Transaction, embedder: str, ids: Sequence[int], rows: Sequence[Any]
) -> tuple[int, list[int]]:
    """Store vectors, in the form of the database driver. Returns the id of the embedder, and the
    users of the exchanges."""
    known, values = _prepare_rows(transaction, embedder, ids, rows)
    found, users = list(values), _users(values)
    replaced = transaction.fetch_all(
        "DELETE FROM vectors WHERE user_id = ANY(%s) AND embedder_id = %s "
        "AND exchange_id = ANY(%s) RETURNING user_id",
        *(users, known, found),
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
    _mark_embedded(transaction, known, found)
    return known, users


def put_token_vectors(
    transaction: Transaction, embedder: str, ids: Sequence[int], packed: Sequence[bytes]
) -> None:
    """Store packed vectors of tokens."""
    known, values = _prepare_rows(transaction, embedder, ids, packed)
    transaction.execute(
        "DELETE FROM token_vectors WHERE user_id = ANY(%s) AND embedder_id = %s "
        "AND exchange_id = ANY(%s)",
        *(_users(values), known, list(values)),
    )
    transaction.execute_many(
        "INSERT INTO token_vectors (user_id, embedder_id, exchange_id, packed) "
        "VALUES (%s, %s, %s, %s)",
        values.values(),
    )
    _mark_embedded(transaction, known, list(values))


def _prepare_rows(
    transaction: Transaction, embedder: str, ids: Sequence[int], rows: Sequence[Any]
) -> tuple[int, dict[int, tuple[Any, ...]]]:
    """Lock the users of the exchanges that still exist. Return the id of the embedder, and by
    exchange the columns of its row."""
    known = find_or_create_embedder(transaction, embedder)
    users = lock_users(transaction, ids)
    there: dict[int, int] = dict(
        transaction.fetch_all(
            "SELECT id, user_id FROM exchanges WHERE user_id = ANY(%s) AND id = ANY(%s)",
            *(users, list(ids)),
        )
    )
    pairs = zip(ids, rows, strict=True)
    return known, {id: (there[id], known, id, row) for id, row in pairs if id in there}


def _users(rows: dict[int, tuple[Any, ...]]) -> list[int]:
    return sorted({user for user, *_ in rows.values()})


def _mark_embedded(transaction: Transaction, embedder: int, ids: list[int]) -> None:
    release_items(transaction, embed_kind(embedder), ids)
    transaction.execute(
        "DELETE FROM unembedded WHERE embedder_id = %s AND exchange_id = ANY(%s)", embedder, ids
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
