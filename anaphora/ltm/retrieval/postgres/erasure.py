"""Erasure and expiry in the PostgreSQL recall store."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from anaphora.ltm.retrieval.postgres.partitioning import partition_suffix
from anaphora.ltm.retrieval.postgres.writer import PreparedExchange, lock_user
from anaphora.ltm.retrieval.store import MAX_ERASURES, UserKey
from anaphora.storage.postgres.text_encoding import names_digest

if TYPE_CHECKING:
    from anaphora.storage.postgres.connection import Transaction

__all__ = ["erase_exchanges", "erase_user", "expire_exchanges", "filter_erased", "remove_words"]

# Advisory lock that keeps writers from adding exchanges during an erasure.
_ERASURE_LOCK = 0x416E6145  # "AnaE"

_USER_TABLES = (
    "exchanges",
    "vectors",
    "token_vectors",
    "unembedded",
    "summaries",
    "words",
    "conversations",
    "quarantine",
)


def erase_user(
    transaction: Transaction, user_key: UserKey, model: str | frozenset[str] | None, clock: int
) -> tuple[int, str]:
    """Delete everything of a user (with one model, or several). Return the number of exchanges, and
    what follows the name of a large table in that of the partition where they were. From now on
    exchanges with clocks up to ``clock``, or up to the largest deleted one, are ignored."""
    models = [model] if isinstance(model, str) else model
    digests = [_erasure_digest(user_key, each) for each in ([None] if models is None else models)]
    transaction.fetch_all("SELECT pg_advisory_xact_lock(%s)", _ERASURE_LOCK)
    transaction.execute(
        "DELETE FROM erasures WHERE place IN "
        "(SELECT place FROM erasures ORDER BY at DESC OFFSET %s)",
        max(0, MAX_ERASURES - len(digests)),
    )
    transaction.execute(
        "INSERT INTO erasures AS old SELECT digest, greatest(%s, (SELECT max(conversations.clock) "
        "FROM users JOIN conversations ON user_id = users.id WHERE users.place = %s)) "
        "FROM unnest(%s::bytea[]) AS digest "
        "ON CONFLICT (place) DO UPDATE SET at = greatest(old.at, excluded.at)",
        *(clock, names_digest(user_key.tenant, user_key.user), digests),
    )
    _lock_embedders(transaction)
    user = lock_user(transaction, user_key)
    if user is None:
        return 0, ""
    suffix = partition_suffix(transaction, user)
    if models is None:
        return _erase_user(transaction, user), suffix
    rows = transaction.fetch_all(
        "SELECT id FROM conversations WHERE place = ANY(%s::bytea[])",
        [names_digest(user_key.user, each, user_key.tenant) for each in models],
    )
    found = [id for (id,) in rows]
    ids = transaction.fetch_all(
        "SELECT id FROM exchanges WHERE user_id = %s AND conversation_id = ANY(%s::bigint[])",
        *(user, found),
    )
    erase_exchanges(transaction, [user], [id for (id,) in ids])
    transaction.execute("DELETE FROM quarantine WHERE conversation_id = ANY(%s::bigint[])", found)
    _delete_empty(transaction, [user], found)
    return len(ids), suffix


def filter_erased(
    transaction: Transaction, rows: Sequence[PreparedExchange]
) -> list[PreparedExchange]:
    """Return the exchanges whose user was not erased after them, nor will be before the commit."""
    transaction.fetch_all("SELECT pg_advisory_xact_lock_shared(%s)", _ERASURE_LOCK)
    places = {
        key: (
            _erasure_digest(UserKey(key.user, key.tenant), None),
            _erasure_digest(UserKey(key.user, key.tenant), key.model),
        )
        for key in {row.key for row in rows}
    }
    found = transaction.fetch_all(
        "SELECT place, at FROM erasures WHERE place = ANY(%s::bytea[])",
        [place for pair in places.values() for place in pair],
    )
    erased = {bytes(place): at for place, at in found}
    return [
        row
        for row in rows
        if not row.clock or all(erased.get(place, -1) < row.clock for place in places[row.key])
    ]


def expire_exchanges(transaction: Transaction, before: int, limit: int) -> int:
    """Delete at most ``limit`` exchanges before that time, given in microseconds since 1970."""
    _lock_embedders(transaction)
    transaction.execute("DELETE FROM quarantine WHERE said < %s", before)
    found = transaction.fetch_all(
        "SELECT id, user_id FROM exchanges WHERE at < %s ORDER BY at, id LIMIT %s",
        *(before, limit),
    )
    if not found:
        return 0
    users = sorted({user for _, user in found})
    transaction.execute("SELECT FROM users WHERE id = ANY(%s) ORDER BY place FOR UPDATE", users)
    conversations = erase_exchanges(transaction, users, [id for id, _ in found])
    transaction.execute(
        "WITH gone AS (DELETE FROM summaries WHERE user_id = ANY(%s) "
        "AND conversation_id = ANY(%s) AND NOT EXISTS (SELECT FROM exchanges WHERE "
        "exchanges.user_id = summaries.user_id "
        "AND exchanges.conversation_id = summaries.conversation_id "
        "AND number BETWEEN first AND last) RETURNING conversation_id, active, size), "
        "sizes AS (SELECT conversation_id, sum(size) AS size FROM gone WHERE active GROUP BY 1) "
        "UPDATE conversations SET size = conversations.size - sizes.size FROM sizes "
        "WHERE id = conversation_id",
        *(users, list(conversations)),
    )
    _delete_empty(transaction, users, conversations)
    return sum(conversations.values())


def _erasure_digest(user_key: UserKey, model: str | None) -> bytes:
    return names_digest(user_key.tenant, user_key.user, *([] if model is None else [model]))


def _lock_embedders(transaction: Transaction) -> None:
    # A new embedder lists all exchanges; it must wait for the erasure.
    transaction.execute("LOCK TABLE embedders IN ROW SHARE MODE")


def _erase_user(transaction: Transaction, user: int) -> int:
    counts = [
        transaction.execute(f"DELETE FROM {table} WHERE user_id = %s", user)
        for table in _USER_TABLES
    ]
    transaction.execute("DELETE FROM users WHERE id = %s", user)
    transaction.execute("UPDATE vector_indexes SET ready = false WHERE user_id = %s", user)
    return counts[0]


def erase_exchanges(transaction: Transaction, among: list[int], ids: list[int]) -> Counter[int]:
    """Delete exchanges, whose users are ``among`` these and locked, and update all counts; return
    how many were deleted from each conversation."""
    gone = transaction.fetch_all(
        "DELETE FROM exchanges WHERE user_id = ANY(%s) AND id = ANY(%s) "
        "RETURNING user_id, conversation_id, number, size, length, words",
        *(among, ids),
    )
    users: dict[int, list[int]] = defaultdict(list)
    words: Counter[int] = Counter()
    numbers: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for user, conversation, number, size, length, its_words in gone:
        users[user].append(length)
        words.update(its_words)
        numbers[conversation].append((number, size))
    for table in ("vectors", "token_vectors", "unembedded"):
        transaction.execute(
            f"DELETE FROM {table} WHERE user_id = ANY(%s) AND exchange_id = ANY(%s)", among, ids
        )
    transaction.execute("DELETE FROM quarantine WHERE kind = 'embed' AND source_id = ANY(%s)", ids)
    transaction.execute_many(
        "UPDATE users SET documents = documents - %s, length = length - %s, "
        "changes = changes + 1 WHERE id = %s",
        [(len(lengths), sum(lengths), user) for user, lengths in users.items()],
    )
    remove_words(transaction, among, words)
    for conversation, its_numbers in numbers.items():
        places, sizes = zip(*its_numbers, strict=True)
        transaction.execute(
            "UPDATE conversations SET verbatim = verbatim - gone.count, size = size - gone.total "
            "FROM (SELECT count(*) AS count, coalesce(sum(each.size), 0) AS total FROM "
            "unnest(%s::bigint[], %s::bigint[]) AS each (number, size), conversations "
            "WHERE id = %s AND number >= first) AS gone WHERE id = %s",
            *(list(places), list(sizes), conversation, conversation),
        )
    return Counter({conversation: len(each) for conversation, each in numbers.items()})


def remove_words(transaction: Transaction, among: list[int], words: Mapping[int, int]) -> None:
    """Reduce the counts of words, given by id, whose users are ``among`` these."""
    transaction.execute(
        "UPDATE words SET count = count - gone FROM unnest(%s::bigint[], %s::bigint[]) "
        "AS gone (word_id, gone) WHERE user_id = ANY(%s) AND id = word_id",
        *(list(words), list(words.values()), among),
    )
    transaction.execute(
        "DELETE FROM words WHERE user_id = ANY(%s) AND id = ANY(%s) AND count <= 0",
        *(among, list(words)),
    )


def _delete_empty(transaction: Transaction, users: list[int], conversations: Iterable[int]) -> None:
    """Delete conversations and users that are empty now, with everything that depends on them."""
    gone = transaction.fetch_all(
        "DELETE FROM conversations WHERE id = ANY(%s) AND NOT EXISTS (SELECT FROM exchanges "
        "WHERE user_id = ANY(%s) AND conversation_id = conversations.id) RETURNING id",
        *(list(conversations), users),
    )
    ids = [id for (id,) in gone]
    transaction.execute(
        "DELETE FROM summaries WHERE user_id = ANY(%s) AND conversation_id = ANY(%s)", users, ids
    )
    for (user,) in transaction.fetch_all(
        "SELECT id FROM users WHERE id = ANY(%s) AND NOT EXISTS "
        "(SELECT FROM conversations WHERE user_id = users.id)",
        users,
    ):
        _erase_user(transaction, user)
