"""Quarantine of the PostgreSQL recall store: damaged rows, and rejected items."""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from anaphora.errors import StoreError
from anaphora.ltm.exchange import Exchange
from anaphora.ltm.retrieval.postgres.erasure import erase_exchanges
from anaphora.ltm.retrieval.postgres.numbering import find_free_number
from anaphora.ltm.retrieval.postgres.records import (
    dump_summary,
    load_exchange,
    load_summary,
    load_terms,
)
from anaphora.ltm.retrieval.postgres.writer import add_words, index_words, lock_users
from anaphora.ltm.retrieval.records import DamagedRowsError
from anaphora.ltm.retrieval.store import QuarantinedItem
from anaphora.stm.conversation import ConversationKey
from anaphora.storage.postgres.text_encoding import decode_text, encode_text

if TYPE_CHECKING:
    from anaphora.storage.postgres.connection import Transaction

__all__ = [
    "discard_item",
    "list_items",
    "quarantine_conversation",
    "quarantine_exchange",
    "quarantine_rows",
    "release_item",
]

_TABLES = {"exchange": "exchanges", "summary": "summaries"}

# Values of columns that were added later, for rows quarantined before.
_LATER_COLUMNS = '{"clock": 0, "terms_version": 1}'

_PUT = (
    "INSERT INTO quarantine (kind, source_id, embedder_id, user_id, conversation_id, reason) "
    "SELECT %s, id, %s, user_id, {}, %s FROM {} WHERE {} = %s "
    "ON CONFLICT (kind, source_id, embedder_id) "
    "DO UPDATE SET reason = excluded.reason, discarded = false"
)

_log = logging.getLogger(__name__)


def quarantine_rows(transaction: Transaction, damage: DamagedRowsError) -> None:
    """Move damaged rows into the quarantine."""
    table = _TABLES[damage.kind]
    if damage.kind == "exchange":
        users = lock_users(transaction, [id for id, _ in damage.rows])
    time = "at" if damage.kind == "exchange" else "NULL"
    for id, reason in damage.rows:
        transaction.execute(
            f"INSERT INTO quarantine (kind, source_id, user_id, conversation_id, reason, row_data, "
            f"said) SELECT %s, id, user_id, conversation_id, %s, to_jsonb(it), {time} "
            f"FROM {table} AS it WHERE id = %s ON CONFLICT (kind, source_id, embedder_id) "
            "DO UPDATE SET row_data = excluded.row_data, discarded = false",
            *(damage.kind, encode_text(reason), id),
        )
        if damage.kind == "exchange":
            erase_exchanges(transaction, users, [id])
        else:
            transaction.execute(
                "WITH gone AS (DELETE FROM summaries WHERE id = %s RETURNING *) "
                "UPDATE conversations SET size = conversations.size - gone.size FROM gone "
                "WHERE conversations.id = gone.conversation_id AND gone.active",
                id,
            )
        _log.error(
            "a damaged %s of the long-term memory was put in quarantine",
            damage.kind,
            extra={"id": id, "reason": reason},
        )


def quarantine_exchange(transaction: Transaction, embedder: int, id: int, reason: str) -> None:
    """Quarantine an exchange that the embedder rejects."""
    transaction.execute(
        _PUT.format("conversation_id", "exchanges", "id"),
        "embed",
        embedder,
        encode_text(reason),
        id,
    )
    transaction.execute(
        "DELETE FROM unembedded WHERE exchange_id = %s AND embedder_id = %s", id, embedder
    )


def quarantine_conversation(transaction: Transaction, place: bytes, reason: str) -> None:
    """Quarantine a conversation that the summarizer rejects."""
    statement = _PUT.format("id", "conversations", "place")
    transaction.execute(statement, "compress", 0, encode_text(reason), place)


def list_items(transaction: Transaction, limit: int) -> list[QuarantinedItem]:
    rows = transaction.fetch_all(
        "SELECT quarantine.id, kind, reason, at, users.name, model, tenant FROM quarantine "
        "LEFT JOIN users ON users.id = quarantine.user_id LEFT JOIN conversations "
        "ON conversations.id = conversation_id WHERE NOT discarded "
        "ORDER BY quarantine.id LIMIT %s",
        max(limit, 0),
    )
    return [
        QuarantinedItem(
            str(id),
            kind,
            decode_text(reason),
            at,
            None if None in names else ConversationKey(*map(decode_text, names)),
        )
        for id, kind, reason, at, *names in rows
    ]


def release_item(transaction: Transaction, id: int) -> bool:
    """Release an item; a damaged row is restored if it can be parsed now."""
    # Locks in the same order as writers: nobody may add to the conversation meanwhile.
    transaction.execute("LOCK TABLE embedders IN ROW SHARE MODE")
    transaction.execute(
        "SELECT FROM users WHERE id = (SELECT user_id FROM quarantine WHERE id = %s) FOR UPDATE",
        id,
    )
    found = transaction.fetch_one(
        "SELECT kind, source_id, embedder_id FROM quarantine WHERE id = %s AND NOT discarded "
        "FOR UPDATE",
        id,
    )
    if found is None:
        return False
    kind, source, embedder = found
    if kind in _TABLES and not _restore(transaction, kind, id):
        return False
    if kind == "embed":
        transaction.execute(
            "INSERT INTO unembedded (exchange_id, embedder_id, user_id) "
            "SELECT id, %s, user_id FROM exchanges WHERE id = %s ON CONFLICT DO NOTHING",
            *(embedder, source),
        )
    transaction.execute("DELETE FROM quarantine WHERE id = %s", id)
    return True


def discard_item(transaction: Transaction, id: int) -> bool:
    # Rejected items are remembered, so that they are not tried again; damaged rows are deleted.
    changed = transaction.execute(
        "UPDATE quarantine SET discarded = true WHERE id = %s AND NOT discarded", id
    )
    transaction.execute(
        "DELETE FROM quarantine WHERE id = %s AND kind IN ('exchange', 'summary')", id
    )
    return changed > 0


def _restore(transaction: Transaction, kind: str, id: int) -> bool:
    table = _TABLES[kind]
    row = transaction.fetch_one(
        "SELECT it.record, it.id, it.user_id, it.conversation_id FROM quarantine, "
        f"jsonb_populate_record(NULL::{table}, row_data) AS it "
        "WHERE quarantine.id = %s AND EXISTS "
        "(SELECT FROM conversations WHERE conversations.id = quarantine.conversation_id)",
        id,
    )
    if row is None:
        return False
    record, source, user, conversation = row
    changes: dict[str, int] = {}
    try:
        if kind == "summary":
            summary = load_summary(record, source)
        else:
            exchange = load_exchange(record, 0)
            number = _find_number(transaction, user, conversation, id, exchange)
            if number is None:
                return True
            changes["number"] = number
    except StoreError:
        return False
    transaction.execute(
        f"INSERT INTO {table} OVERRIDING SYSTEM VALUE SELECT it.* FROM quarantine, "
        f"jsonb_populate_record(NULL::{table}, %s::jsonb || row_data || %s::jsonb) AS it "
        "WHERE quarantine.id = %s",
        *(_LATER_COLUMNS, json.dumps(changes), id),
    )
    if kind == "summary":
        found = transaction.fetch_one(
            "SELECT first, last FROM summaries WHERE user_id = %s AND id = %s", user, source
        )
        assert found
        # The exchanges may have been renumbered while the summary was in quarantine.
        summary = replace(summary, first=found[0], last=found[1])
        transaction.execute(
            "UPDATE summaries SET record = %s WHERE user_id = %s AND id = %s",
            *(dump_summary(summary), user, source),
        )
        transaction.execute(
            "UPDATE conversations SET size = conversations.size + it.size FROM summaries AS it "
            "WHERE conversations.id = it.conversation_id AND it.user_id = %s AND it.id = %s "
            "AND it.active",
            *(user, source),
        )
        return True
    restored = transaction.fetch_one(
        "UPDATE users SET documents = documents + 1, length = users.length + it.length "
        "FROM exchanges AS it WHERE users.id = %s AND it.user_id = %s AND it.id = %s "
        "RETURNING terms",
        *(user, user, source),
    )
    assert restored
    words = index_words(exchange, load_terms(restored)[0])
    ids = add_words(transaction, {user: dict.fromkeys(words, 1)})[user]
    transaction.execute(
        "UPDATE exchanges SET words = %s WHERE user_id = %s AND id = %s",
        *([ids[word] for word in words], user, source),
    )
    transaction.execute(
        "UPDATE conversations SET verbatim = verbatim + 1, size = conversations.size + it.size "
        "FROM exchanges AS it WHERE conversations.id = it.conversation_id AND it.user_id = %s "
        "AND it.id = %s AND conversations.first <= it.number",
        *(user, source),
    )
    transaction.execute(
        "INSERT INTO unembedded (exchange_id, embedder_id, user_id) "
        "SELECT %s, id, %s FROM embedders",
        *(source, user),
    )
    return True


def _find_number(
    transaction: Transaction, user: int, conversation: int, id: int, exchange: Exchange
) -> int | None:
    """Return a number for a quarantined exchange; None if another copy of it was added
    meanwhile."""
    found = transaction.fetch_one(
        "SELECT number, EXISTS (SELECT FROM exchanges WHERE user_id = %s AND conversation_id = %s "
        "AND clock > 0 AND clock = it.clock AND record = it.record) FROM quarantine, "
        "jsonb_populate_record(NULL::exchanges, row_data) AS it WHERE quarantine.id = %s",
        *(user, conversation, id),
    )
    assert found
    number, is_stored = found
    if is_stored:
        return None
    return find_free_number(transaction, user, conversation, number, exchange.clock)
