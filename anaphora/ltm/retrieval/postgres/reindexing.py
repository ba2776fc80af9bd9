"""Reindexing in the PostgreSQL recall store, within a transaction."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from anaphora.ltm.retrieval.postgres.erasure import remove_words
from anaphora.ltm.retrieval.postgres.records import dump_terms
from anaphora.ltm.retrieval.postgres.writer import add_words, index_words, lock_users
from anaphora.ltm.retrieval.store import TermUpdate

if TYPE_CHECKING:
    from anaphora.ltm.retrieval.postgres.connection import Transaction

__all__ = ["reindex"]


def reindex(transaction: Transaction, version: int, exchanges: Sequence[TermUpdate]) -> None:
    """Replace the terms of exchanges that still exist and are of an earlier version."""
    lock_users(transaction, [one.id for one in exchanges])
    rows = transaction.fetch_all(
        "SELECT id, user_id, length, words FROM exchanges WHERE id = ANY(%s) "
        "AND terms_version < %s",
        *([one.id for one in exchanges], version),
    )
    users = {id: user for id, user, *_ in rows}
    words = {one.id: index_words(one.exchange, one.terms) for one in exchanges if one.id in users}
    counts: defaultdict[int, Counter[bytes]] = defaultdict(Counter)
    for id, its_words in words.items():
        counts[users[id]].update(its_words)
    ids = add_words(transaction, counts)
    remove_words(transaction, Counter(word for *_, before in rows for word in before))
    transaction.execute_many(
        "UPDATE exchanges SET words = %s, terms = %s, length = %s, terms_version = %s "
        "WHERE id = %s",
        [
            (
                [ids[users[one.id]][word] for word in words[one.id]],
                dump_terms(one.terms),
                len(one.terms),
                version,
                one.id,
            )
            for one in exchanges
            if one.id in users
        ],
    )
    longer: Counter[int] = Counter()
    for _, user, length, _ in rows:
        longer[user] -= length
    for one in exchanges:
        if one.id in users:
            longer[users[one.id]] += len(one.terms)
    transaction.execute_many(
        "UPDATE users SET length = length + %s WHERE id = %s",
        [(by, user) for user, by in longer.items()],
    )
