"""Reads rows of a recall store directly: conversations and summaries that may be replaced."""

from __future__ import annotations

from typing import Any

from anaphora.ltm.exchange import Summary
from anaphora.ltm.retrieval.postgres import records as postgres_records
from anaphora.ltm.retrieval.sqlite import records as sqlite_records
from anaphora.ltm.retrieval.sqlite.store import SqliteRecallStore
from anaphora.ltm.retrieval.store import RecallStore
from anaphora.stm.conversation import ConversationKey
from anaphora.storage.postgres import text_encoding as postgres_text
from anaphora.storage.sqlite.text_encoding import decode_text, encode_text


def stored_keys(store: Any) -> list[ConversationKey]:
    """The conversations of a store, in the order of their ids."""
    if isinstance(store, SqliteRecallStore):
        rows = store._database.read(
            "SELECT user, model, tenant FROM conversations c JOIN owners o ON o.id = c.owner "
            "ORDER BY c.id"
        )
        return [ConversationKey(*map(decode_text, row)) for row in rows]
    rows = store._pool.query(
        "SELECT name, model, tenant FROM conversations JOIN users ON users.id = user_id "
        "ORDER BY conversations.id"
    )
    return [ConversationKey(*map(postgres_text.decode_text, row)) for row in rows]


def stored_summary(store: RecallStore | Any, key: ConversationKey, id: int) -> Summary | None:
    """A summary of a conversation by its id, replaced or not."""
    if isinstance(store, SqliteRecallStore):
        rows = store._database.read(
            f"SELECT {sqlite_records.SUMMARY_COLUMNS} FROM summaries s WHERE id = ? AND "
            "conversation = (SELECT c.id FROM conversations c JOIN owners o ON o.id = c.owner "
            "WHERE tenant = ? AND user = ? AND model = ?)",
            (id, encode_text(key.tenant), encode_text(key.user), encode_text(key.model)),
        )
        return sqlite_records.load_summary(rows[0]) if rows else None
    rows = store._pool.query(
        "SELECT record FROM summaries WHERE id = %s AND conversation_id = "
        "(SELECT id FROM conversations WHERE place = %s)",
        *(id, postgres_text.names_digest(*key)),
    )
    return postgres_records.load_summary(rows[0][0], id) if rows else None
