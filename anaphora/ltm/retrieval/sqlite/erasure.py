"""Erasure and expiry in the SQLite recall store, within a transaction."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from sqlite3 import Connection

from anaphora.ltm.history.measure import Measure
from anaphora.ltm.retrieval.sqlite import quarantine
from anaphora.ltm.retrieval.sqlite.conversations import (
    load_conversation,
    recount_size,
    save_conversation,
)
from anaphora.ltm.retrieval.sqlite.search import find_owner
from anaphora.ltm.retrieval.sqlite.writer import PreparedExchange, delete_exchanges
from anaphora.ltm.retrieval.store import MAX_ERASURES, UserKey
from anaphora.stm.conversation import ConversationKey
from anaphora.storage.sqlite.text_encoding import decode_text, encode_text

__all__ = ["erase_user", "expire_exchanges", "filter_erased"]

_VALUES_PER_STATEMENT = 500


def erase_user(
    connection: Connection,
    user_key: UserKey,
    model: str | frozenset[str] | None,
    clock: int,
    measure: Measure,
) -> int:
    """Delete everything of a user (with one model, or several), and return the number of exchanges.
    From now on exchanges with clocks up to ``clock``, or up to the largest deleted one, are
    ignored."""
    names = encode_text(user_key.tenant), encode_text(user_key.user)
    models = model if isinstance(model, frozenset) else (model,)
    clock = max(clock, connection.execute(_LAST_CLOCK, names).fetchone()[0])
    connection.execute(_FORGET_ERASURES, (max(0, MAX_ERASURES - len(models)),))
    connection.executemany(_ERASED, [(_erasure_digest(user_key, each), clock) for each in models])
    owner = find_owner(connection, user_key)
    if owner is None:
        return 0
    conversations = connection.execute(
        "SELECT id, model FROM conversations WHERE owner = ?", (owner.id,)
    ).fetchall()
    chosen = [id for id, of in conversations if model is None or decode_text(of) in models]
    if chosen:
        connection.execute(_SCRUB)
    for conversation in chosen:
        connection.execute("DELETE FROM quarantine WHERE conversation = ?", (conversation,))
    if len(chosen) == len(conversations):
        for statement in _ERASE:
            connection.execute(statement, (owner.id,))
        return owner.documents
    ids = [
        id
        for conversation in chosen
        for (id,) in connection.execute(
            "SELECT id FROM exchanges WHERE conversation = ?", (conversation,)
        )
    ]
    _erase_exchanges(connection, sorted(ids), measure)
    return len(ids)


def filter_erased(
    connection: Connection, rows: Sequence[PreparedExchange]
) -> list[PreparedExchange]:
    """Return the rows whose user was not erased after them."""
    known: dict[ConversationKey, int] = {}
    for key in {row.key for row in rows}:
        user_key = UserKey(key.user, key.tenant)
        digests = _erasure_digest(user_key, None), _erasure_digest(user_key, key.model)
        known[key] = connection.execute(_ERASED_AT, digests).fetchone()[0]
    return [row for row in rows if not row.clock or row.clock > known[row.key]]


def _erasure_digest(user_key: UserKey, model: str | None) -> bytes:
    names = repr((user_key.tenant, user_key.user, model)).encode("utf-8", "surrogatepass")
    return blake2b(names, digest_size=16).digest()


def expire_exchanges(connection: Connection, before: int, limit: int, measure: Measure) -> int:
    """Delete at most ``limit`` exchanges before that time, oldest first; return how many."""
    rows = connection.execute(
        "SELECT id FROM exchanges WHERE at < ? ORDER BY at, id LIMIT ?", (before, limit)
    ).fetchall()
    if rows:
        connection.execute(_SCRUB)
    _erase_exchanges(connection, sorted(id for (id,) in rows), measure)
    quarantine.expire_items(connection, before)
    return len(rows)


def _erase_exchanges(connection: Connection, ids: Sequence[int], measure: Measure) -> None:
    """Delete exchanges, and everything that depends on them."""
    numbers: dict[int, list[int]] = {}
    for start in range(0, len(ids), _VALUES_PER_STATEMENT):
        for conversation, number in delete_exchanges(
            connection, ids[start : start + _VALUES_PER_STATEMENT]
        ):
            numbers.setdefault(conversation, []).append(number)
    owners = {_update_conversation(connection, id, gone, measure) for id, gone in numbers.items()}
    for owner in owners:
        connection.execute(
            "DELETE FROM owners WHERE id = ? AND NOT EXISTS "
            "(SELECT 1 FROM conversations WHERE owner = owners.id)",
            (owner,),
        )


def _update_conversation(
    connection: Connection, id: int, gone: Sequence[int], measure: Measure
) -> int:
    """Update a conversation after the exchanges with these numbers are gone: delete the summaries
    that cover nothing else, and the conversation if it is empty. Returns its owner."""
    conversation = load_conversation(connection, id)
    assert conversation is not None
    numbers = [number for number in gone if type(number) is int]  # others are damaged
    if numbers:
        connection.execute(_FORGET_SUMMARIES, (id, max(numbers), min(numbers)))
    left = connection.execute(
        "SELECT 1 FROM exchanges WHERE conversation = ? LIMIT 1", (id,)
    ).fetchone()
    if left is None:
        connection.execute("DELETE FROM conversations WHERE id = ?", (id,))
        return conversation.owner
    conversation.verbatim -= sum(number >= conversation.first for number in numbers)
    # The recount is bounded by the settings, and exchanges expire a few times a day.
    recount_size(connection, conversation, measure)
    save_conversation(connection, conversation)
    return conversation.owner


_ERASED = (
    "INSERT INTO erasures (whose, at) VALUES (?, ?) "
    "ON CONFLICT (whose) DO UPDATE SET at = max(at, excluded.at)"
)
_LAST_CLOCK = (
    "SELECT coalesce(max(c.clock), 0) FROM owners o JOIN conversations c ON c.owner = o.id "
    "WHERE o.tenant = ? AND o.user = ?"
)
_FORGET_ERASURES = (
    "DELETE FROM erasures WHERE whose IN "
    "(SELECT whose FROM erasures ORDER BY at DESC LIMIT -1 OFFSET ?)"
)
_ERASED_AT = "SELECT coalesce(max(at), -1) FROM erasures WHERE whose IN (?, ?)"
_SCRUB = "UPDATE scrubbing SET due = abs(due) + 1"
_ERASE = (
    "DELETE FROM quarantine WHERE owner = ?",
    "DELETE FROM vectors WHERE owner = ?",
    "DELETE FROM slots WHERE owner = ?",
    "DELETE FROM postings WHERE term IN (SELECT id FROM terms WHERE owner = ?)",
    "DELETE FROM terms WHERE owner = ?",
    "DELETE FROM exchanges WHERE owner = ?",
    "DELETE FROM summaries WHERE conversation IN (SELECT id FROM conversations WHERE owner = ?)",
    "DELETE FROM conversations WHERE owner = ?",
    "DELETE FROM owners WHERE id = ?",
)
_FORGET_SUMMARIES = (
    "DELETE FROM summaries WHERE conversation = ? AND first <= ? AND last >= ? AND NOT EXISTS ("
    "SELECT 1 FROM exchanges WHERE exchanges.conversation = summaries.conversation "
    "AND exchanges.number BETWEEN summaries.first AND summaries.last)"
)
