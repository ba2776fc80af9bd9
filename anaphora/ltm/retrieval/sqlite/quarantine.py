"""Quarantine of the SQLite recall store: damaged rows, and rejected items."""

from __future__ import annotations

import json
import logging
import time
from base64 import b64decode, b64encode
from collections.abc import Sequence
from sqlite3 import Connection
from typing import Any, Literal

from anaphora.errors import StoreError
from anaphora.ltm.exchange import Exchange
from anaphora.ltm.history.measure import Measure
from anaphora.ltm.retrieval.records import DamagedRowsError, to_datetime
from anaphora.ltm.retrieval.sqlite.conversations import (
    ConversationRow,
    load_conversation,
    recount_size,
    save_conversation,
)
from anaphora.ltm.retrieval.sqlite.numbering import find_free_number, is_stored
from anaphora.ltm.retrieval.sqlite.postings import add_postings
from anaphora.ltm.retrieval.sqlite.records import (
    QUARANTINE_COLUMNS,
    load_exchange,
    load_summary,
    load_terms_or_none,
)
from anaphora.ltm.retrieval.sqlite.writer import delete_exchanges, encode_slots, insert_slots
from anaphora.ltm.retrieval.store import QuarantinedItem
from anaphora.stm.conversation import ConversationKey
from anaphora.storage.sqlite.text_encoding import decode_text

__all__ = [
    "discard_item",
    "expire_items",
    "list_items",
    "quarantine_item",
    "quarantine_rows",
    "read_key",
    "release_item",
]

_NO_EMBEDDER = -1

_log = logging.getLogger(__name__)


def quarantine_rows(connection: Connection, damage: DamagedRowsError, measure: Measure) -> None:
    """Move damaged rows into the quarantine, and delete what depends on them."""
    for id, reason in damage.rows:
        columns = QUARANTINE_COLUMNS[damage.kind]
        table = "exchanges" if damage.kind == "exchange" else "summaries"
        row = connection.execute(f"SELECT {columns} FROM {table} WHERE id = ?", (id,)).fetchone()
        if row is None:
            continue
        names = dict(zip(columns.split(", "), row, strict=True))
        conversation = names["conversation"]
        stored = load_conversation(connection, conversation)
        owner = names.get("owner") or (stored.owner if stored else None)
        at = names.get("at", names.get("until"))
        now = time.time_ns() // 1_000
        values = (damage.kind, id, _NO_EMBEDDER, owner, conversation, now)
        connection.execute(_PUT, (*values, at if type(at) is int else now, reason, _dump_row(row)))
        if damage.kind == "exchange":
            delete_exchanges(connection, [id])
        else:
            connection.execute("DELETE FROM summaries WHERE id = ?", (id,))
        _recount_conversation(connection, conversation, measure)
        _log.error(
            "a damaged %s of the long-term memory was put in quarantine",
            damage.kind,
            extra={"id": id, "reason": reason},
        )


def quarantine_item(
    connection: Connection, kind: Literal["embed", "compress"], embedder: Any, id: int, reason: str
) -> None:
    """Quarantine an exchange or a conversation that cannot be processed."""
    source = "conversation, at FROM exchanges" if kind == "embed" else "id, NULL FROM conversations"
    row = connection.execute(f"SELECT owner, {source} WHERE id = ?", (id,)).fetchone()
    if row is None:
        return
    now = time.time_ns() // 1_000
    owner, conversation, at = row
    values = (kind, id, embedder, owner, conversation, now)
    connection.execute(_PUT, (*values, now if at is None else at, reason, None))


def list_items(connection: Connection, limit: int) -> list[QuarantinedItem]:
    return [
        QuarantinedItem(str(id), kind, str(_read_name(reason)), to_datetime(at), read_key(*names))
        for id, kind, reason, at, *names in connection.execute(_LIST, (limit,))
    ]


def release_item(connection: Connection, id: int, measure: Measure) -> bool:
    """Release an item; a damaged row is restored if it can be parsed now."""
    row = connection.execute(
        "SELECT kind, record FROM quarantine WHERE id = ? AND state = 0", (id,)
    ).fetchone()
    if row is None:
        return False
    kind, record = row
    if kind == "embed":
        connection.execute("UPDATE quarantine SET state = 2 WHERE id = ?", (id,))
        return True
    if kind in ("exchange", "summary") and not _restore(
        connection, kind, _load_row(record), measure
    ):
        return False
    connection.execute("DELETE FROM quarantine WHERE id = ?", (id,))
    return True


def discard_item(connection: Connection, id: int) -> bool:
    # Rejected items are remembered, so that they are not tried again; damaged rows are deleted.
    discarded = connection.execute(
        "UPDATE quarantine SET state = 1 WHERE id = ? AND state = 0", (id,)
    )
    connection.execute(
        "DELETE FROM quarantine WHERE id = ? AND kind IN ('exchange', 'summary')", (id,)
    )
    return discarded.rowcount > 0


def expire_items(connection: Connection, before: int) -> None:
    """Delete items from before that time, and rejected ones that no longer exist."""
    connection.execute(
        "DELETE FROM quarantine WHERE CASE kind "
        "WHEN 'embed' THEN source NOT IN (SELECT id FROM exchanges) "
        "WHEN 'compress' THEN source NOT IN (SELECT id FROM conversations) ELSE said < ? END",
        (before,),
    )


def _recount_conversation(connection: Connection, conversation: Any, measure: Measure) -> None:
    """Recount the size of a history after a row has gone or returned."""
    row = load_conversation(connection, conversation)
    if row is not None:
        (row.verbatim,) = connection.execute(
            "SELECT count(*) FROM exchanges WHERE conversation = ? AND number >= ?",
            (row.id, row.first),
        ).fetchone()
        recount_size(connection, row, measure)
        save_conversation(connection, row)


def _restore(connection: Connection, kind: str, row: Sequence[Any], measure: Measure) -> bool:
    names = dict(zip(QUARANTINE_COLUMNS[kind].split(", "), row, strict=True))
    try:
        if kind == "summary":
            load_summary(row[2:])
        else:
            exchange = load_exchange(row[3:])
    except StoreError:
        return False
    stored = load_conversation(connection, names["conversation"])
    if stored is None:
        return False
    if kind == "summary":
        _insert(connection, "summaries", names)
    elif not exchange.clock or not is_stored(connection, stored, tuple(row[4:]), exchange.clock):
        _restore_exchange(connection, stored, exchange, names)
    _recount_conversation(connection, stored.id, measure)
    return True


def _restore_exchange(
    connection: Connection, conversation: ConversationRow, exchange: Exchange, names: dict[str, Any]
) -> None:
    number = find_free_number(connection, conversation, exchange.number, exchange.clock)
    save_conversation(connection, conversation)
    id = _insert(connection, "exchanges", names | {"number": number})
    insert_slots(connection, conversation.owner, id, encode_slots(exchange))
    terms = load_terms_or_none(names["terms"]) or ()
    add_postings(connection, conversation.owner, [(id, terms)])


def _insert(connection: Connection, table: str, names: dict[str, Any]) -> int:
    id = connection.execute(
        f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})",
        tuple(names.values()),
    ).lastrowid
    assert id is not None
    return id


def _dump_row(row: Sequence[Any]) -> str:
    """Serialize the columns of a row as JSON, with bytes in Base64."""
    return json.dumps(
        [{"base64": b64encode(each).decode()} if type(each) is bytes else each for each in row]
    )


def _load_row(record: str) -> list[Any]:
    return [
        b64decode(each["base64"]) if type(each) is dict else each for each in json.loads(record)
    ]


def read_key(tenant: Any, user: Any, model: Any) -> ConversationKey | None:
    names = _read_name(user), _read_name(model), _read_name(tenant)
    return None if None in names else ConversationKey(*map(str, names))


def _read_name(name: Any) -> str | None:
    try:
        return decode_text(name)
    except (AttributeError, UnicodeDecodeError):
        return None


_PUT = (
    "INSERT OR REPLACE INTO quarantine (kind, source, embedder, owner, conversation, at, said, "
    "reason, record) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_LIST = (
    "SELECT q.id, q.kind, q.reason, q.at, o.tenant, o.user, c.model FROM quarantine q "
    "LEFT JOIN owners o ON o.id = q.owner LEFT JOIN conversations c ON c.id = q.conversation "
    "WHERE q.state = 0 ORDER BY q.id LIMIT ?"
)
