"""Reindexing in the PostgreSQL recall store, within a transaction."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from anaphora.ltm.retrieval.postgres.erasure import remove_words
from anaphora.ltm.retrieval.postgres.leases import index_kind, release_items
from anaphora.ltm.retrieval.postgres.records import dump_terms
from anaphora.ltm.retrieval.postgres.writer import add_words, index_words, lock_users
from anaphora.ltm.retrieval.store import TermUpdate

if TYPE_CHECKING:
    from anaphora.storage.postgres.connection import Transaction

__all__ = ["reindex"]


def reindex(transaction: Transaction, version: int, exchanges: Sequence[TermUpdate]) -> None:
    """Replace the terms of exchanges that still exist and are of an earlier version, and drop
    their vectors."""
    updates = {one.id: one for one in exchanges}
    users = lock_users(transaction, updates)
    release_items(transaction, index_kind(version), list(updates))
    rows = transaction.fetch_all(
        "SELECT id, user_id, length, words FROM exchanges WHERE user_id = ANY(%s) "
        "AND id = ANY(%s) AND terms_version < %s",
        *(users, list(updates), version),
    )
    words = {id: index_words(updates[id].exchange, updates[id].terms) for id, *_ in rows}
    counts: defaultdict[int, Counter[bytes]] = defaultdict(Counter)
    longer: Counter[int] = Counter()
    for id, user, length, _ in rows:
        counts[user].update(words[id])
        longer[user] += len(updates[id].terms) - length
    ids = add_words(transaction, counts)
    remove_words(transaction, users, Counter(word for *_, before in rows for word in before))
    transaction.execute_many(
        "UPDATE exchanges SET words = %s, terms = %s, length = %s, terms_version = %s "
        "WHERE user_id = %s AND id = %s",
        [
            (
                [ids[user][word] for word in words[id]],
                *(dump_terms(updates[id].terms), len(updates[id].terms), version, user, id),
            )
            for id, user, *_ in rows
        ],
    )
    transaction.execute_many(
        "UPDATE users SET length = length + %s WHERE id = %s",
        [(by, user) for user, by in longer.items()],
    )
    _drop_vectors(transaction, users, [id for id, *_ in rows])


def _drop_vectors(transaction: Transaction, users: list[int], ids: Sequence[int]) -> None:
    """Delete the vectors of exchanges, to be computed anew."""
    dropped = [
        row
        for table in ("vectors", "token_vectors")
        for row in transaction.fetch_all(
            f"DELETE FROM {table} WHERE user_id = ANY(%s) AND exchange_id = ANY(%s) "
            "RETURNING exchange_id, embedder_id, user_id",
            *(users, ids),
        )
    ]
    transaction.execute_many(
        "INSERT INTO unembedded (exchange_id, embedder_id, user_id) VALUES (%s, %s, %s) "
        "ON CONFLICT DO NOTHING",
        dropped,
    )
    transaction.execute_many(
        "UPDATE users SET changes = changes + 1 WHERE id = %s",
        [(user,) for user in sorted({user for *_, user in dropped})],
    )
