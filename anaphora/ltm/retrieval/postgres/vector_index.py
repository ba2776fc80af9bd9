"""Indexes of the vectors of users with very many: pgvector's HNSW, one index for each of them.

An index of the vectors of all users would mostly find those of others. ``vector_indexes`` lists the
users that need an index; the background builds it, and drops it after the user was erased.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from anaphora.ltm.retrieval.postgres.partitioning import partition_suffix
from anaphora.storage.postgres.text_encoding import names_digest

if TYPE_CHECKING:
    from anaphora.storage.postgres.connection import Row, Transaction

__all__ = [
    "MAX_INDEXED_RESULTS",
    "build_index",
    "find_index_work",
    "nearest_by_index",
    "request_indexes",
]

MAX_INDEXED_RESULTS = 1_000  # the maximum of hnsw.ef_search
_MAX_DIMENSION = 2_000  # of HNSW


def request_indexes(
    transaction: Transaction, users: Iterable[int], embedder: int, dimension: int
) -> None:
    """List users whose vectors need an index."""
    if dimension <= _MAX_DIMENSION:
        transaction.execute_many(
            "INSERT INTO vector_indexes (user_id, embedder_id, dimension) VALUES (%s, %s, %s) "
            "ON CONFLICT DO NOTHING",
            [(user, embedder, dimension) for user in users],
        )


def find_index_work(transaction: Transaction, embedder: str) -> list[tuple[int, int]]:
    """Return the ids of users and embedders whose index is to be built or dropped."""
    if not transaction.fetch_all("SELECT FROM pg_am WHERE amname = 'hnsw'"):
        return []  # pgvector before 0.5
    return [
        (user, id)
        for user, id in transaction.fetch_all(
            "SELECT user_id, embedder_id FROM vector_indexes JOIN embedders ON id = embedder_id "
            "WHERE place = %s AND NOT ready ORDER BY user_id",
            names_digest(embedder),
        )
    ]


def build_index(session: Transaction, user: int, embedder: int) -> bool:
    """Build an index, or drop it if the user is gone, outside a transaction, because others write
    meanwhile; False if another store does so. Its lock ends with the session of a process that
    dies, and the next one replaces the index that this left unfinished."""
    name = f"vectors_hnsw_{user}_{embedder}"
    key = f"hashtext(current_schema()), hashtext('{name}')"
    if session.fetch_one(f"SELECT pg_try_advisory_lock({key})") != (True,):
        return False
    row = session.fetch_one(
        "SELECT dimension, EXISTS (SELECT FROM users WHERE id = user_id) FROM vector_indexes "
        "WHERE user_id = %s AND embedder_id = %s AND NOT ready",
        *(user, embedder),
    )
    if row:
        dimension, exists = row
        which = f"user_id = {user} AND embedder_id = {embedder}"
        session.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
        if exists:
            session.execute(
                f"CREATE INDEX CONCURRENTLY {name} ON vectors{partition_suffix(session, user)} "
                f"USING hnsw ((vector::vector({dimension})) vector_cosine_ops) WHERE {which}"
            )
            session.execute(f"UPDATE vector_indexes SET ready = true WHERE {which}")
        else:
            session.execute(f"DELETE FROM vector_indexes WHERE {which}")
    session.fetch_all(f"SELECT pg_advisory_unlock({key})")
    return row is not None


def nearest_by_index(
    transaction: Transaction, user: int, embedder: str, dimension: int, vector: str, limit: int
) -> list[Row] | None:
    """Return the exchanges with the nearest vectors, and their cosines; None without an index."""
    found = transaction.fetch_one(
        "SELECT embedder_id FROM vector_indexes JOIN embedders ON id = embedder_id "
        "WHERE place = %s AND user_id = %s AND dimension = %s AND ready",
        *(names_digest(embedder), user, dimension),
    )
    if found is None:
        return None
    limit = min(limit, MAX_INDEXED_RESULTS)
    transaction.execute(f"SET LOCAL hnsw.ef_search = {max(limit, 100)}")
    transaction.execute("SET LOCAL enable_sort = off")  # the planner knows no user's number
    # Literals, as in the condition of the index.
    return transaction.fetch_all(
        f"SELECT exchange_id, 1 - (vector::vector({dimension}) <=> %s::vector({dimension})) "
        f"FROM vectors WHERE user_id = {user} AND embedder_id = {found[0]} "
        f"ORDER BY vector::vector({dimension}) <=> %s::vector({dimension}) LIMIT %s",
        *(vector, vector, limit),
    )
