"""The quarantine of the SQLite recall store: damaged rows, and what was refused."""

from __future__ import annotations

import json
import logging
import time
from base64 import b64decode, b64encode
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from sqlite3 import Connection
from typing import Any, Literal

from anaphora.errors import StoreError
from anaphora.ltm.counting import Measure
from anaphora.ltm.exchange import Exchange
from anaphora.ltm.quarantine import QuarantinedItem
from anaphora.ltm.recall.sqlite_histories import Talk, recount, save, talk_by_id
from anaphora.ltm.recall.sqlite_numbering import is_kept, vacancy
from anaphora.ltm.recall.sqlite_postings import add_terms, remove_ids
from anaphora.ltm.recall.sqlite_records import (
    QUARANTINE_COLUMNS,
    DamagedRows,
    exchange_of,
    summary_of,
    terms_of,
)
from anaphora.stm.conversation import Key
from anaphora.storage.texts import kept, read

__all__ = ["discard", "expire", "listed", "move", "refuse", "release"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NO_EMBEDDER = -1

_log = logging.getLogger(__name__)


def move(connection: Connection, damage: DamagedRows, measure: Measure) -> None:
    """Move damaged rows into the quarantine, with what was made of them."""
    for id, reason in damage.rows:
        columns = QUARANTINE_COLUMNS[damage.kind]
        table = "exchanges" if damage.kind == "exchange" else "summaries"
        row = connection.execute(f"SELECT {columns} FROM {table} WHERE id = ?", (id,)).fetchone()
        if row is None:
            continue
        names = dict(zip(columns.split(", "), row, strict=True))
        conversation = names["conversation"]
        owner = names.get("owner") or _owner_of(connection, conversation)
        said = names.get("at", names.get("until"))
        now = time.time_ns() // 1_000
        values = (damage.kind, id, _NO_EMBEDDER, owner, conversation, now)
        when = said if type(said) is int else now
        connection.execute(_PUT, (*values, when, reason, _pack(row)))
        if damage.kind == "exchange":
            _forget_exchange(connection, id, owner, names["terms"])
        connection.execute(f"DELETE FROM {table} WHERE id = ?", (id,))
        _settle(connection, conversation, measure)
        _log.error(
            "a damaged %s of the long-term memory was put in quarantine",
            damage.kind,
            extra={"id": id, "reason": reason},
        )


def refuse(
    connection: Connection, kind: Literal["embed", "compress"], embedder: Any, id: int, reason: str
) -> None:
    """Put an exchange, or a conversation, in quarantine that cannot be worked on."""
    if kind == "embed":
        query = "SELECT owner, conversation, at FROM exchanges WHERE id = ?"
    else:
        query = "SELECT owner, id, NULL FROM conversations WHERE id = ?"
    row = connection.execute(query, (id,)).fetchone()
    if row is None:
        return
    now = time.time_ns() // 1_000
    owner, conversation, said = row
    values = (kind, id, embedder, owner, conversation, now)
    connection.execute(_PUT, (*values, now if said is None else said, reason, None))


def listed(connection: Connection, limit: int) -> list[QuarantinedItem]:
    return [
        QuarantinedItem(
            str(id), kind, str(_name(reason)), _EPOCH + timedelta(microseconds=at), _key(*names)
        )
        for id, kind, reason, at, *names in connection.execute(_LIST, (limit,))
    ]


def release(connection: Connection, id: int, measure: Measure) -> bool:
    """Take an item out; a row goes back to where it was, if it can be read."""
    row = connection.execute(
        "SELECT kind, record FROM quarantine WHERE id = ? AND state = 0", (id,)
    ).fetchone()
    if row is None:
        return False
    kind, record = row
    if kind == "embed":
        connection.execute("UPDATE quarantine SET state = 2 WHERE id = ?", (id,))
        return True
    if kind in ("exchange", "summary") and not _restore(connection, kind, _unpack(record), measure):
        return False
    connection.execute("DELETE FROM quarantine WHERE id = ?", (id,))
    return True


def discard(connection: Connection, id: int) -> bool:
    found = connection.execute(
        "SELECT kind FROM quarantine WHERE id = ? AND state = 0", (id,)
    ).fetchone()
    if found is None:
        return False
    if found[0] in ("embed", "compress"):
        connection.execute("UPDATE quarantine SET state = 1 WHERE id = ?", (id,))
    else:
        connection.execute("DELETE FROM quarantine WHERE id = ?", (id,))
    return True


def expire(connection: Connection, before: int) -> None:
    """Delete what was said before that time."""
    connection.execute(
        "DELETE FROM quarantine WHERE said < ? AND kind IN ('exchange', 'summary')", (before,)
    )
    connection.execute(
        "DELETE FROM quarantine WHERE kind = 'embed' AND source NOT IN (SELECT id FROM exchanges)"
    )
    connection.execute(
        "DELETE FROM quarantine WHERE kind = 'compress' "
        "AND source NOT IN (SELECT id FROM conversations)"
    )


def _owner_of(connection: Connection, conversation: Any) -> Any:
    row = connection.execute(
        "SELECT owner FROM conversations WHERE id = ?", (conversation,)
    ).fetchone()
    return row[0] if row else None


def _forget_exchange(connection: Connection, id: int, owner: Any, packed: Any) -> None:
    connection.execute("DELETE FROM slots WHERE exchange = ?", (id,))
    connection.execute("DELETE FROM vectors WHERE exchange = ?", (id,))
    terms = terms_of(packed)
    remove_ids(connection, owner, [(id, terms)])
    connection.execute(
        "UPDATE owners SET documents = max(documents - 1, 0), length = max(length - ?, 0), "
        "generation = generation + 1 WHERE id = ?",
        (len(terms or ()), owner),
    )


def _settle(connection: Connection, conversation: Any, measure: Measure) -> None:
    """Count a history anew of which something has gone or come."""
    talk = talk_by_id(connection, conversation)
    if talk is not None:
        (talk.verbatim,) = connection.execute(
            "SELECT count(*) FROM exchanges WHERE conversation = ? AND number >= ?",
            (talk.id, talk.first),
        ).fetchone()
        recount(connection, talk, measure)
        save(connection, talk)


def _restore(connection: Connection, kind: str, row: Sequence[Any], measure: Measure) -> bool:
    names = dict(zip(QUARANTINE_COLUMNS[kind].split(", "), row, strict=True))
    try:
        if kind == "summary":
            summary_of(row[2:])
        else:
            exchange = exchange_of(row[3:])
    except StoreError:
        return False
    talk = talk_by_id(connection, names["conversation"])
    if talk is None:
        return False
    if kind == "summary":
        _insert(connection, "summaries", names)
    elif not exchange.clock or not is_kept(connection, talk, tuple(row[4:]), exchange.clock):
        _restore_exchange(connection, talk, exchange, names)
    _settle(connection, talk.id, measure)
    return True


def _restore_exchange(
    connection: Connection, talk: Talk, exchange: Exchange, names: dict[str, Any]
) -> None:
    number = vacancy(connection, talk, exchange.number, exchange.clock)
    save(connection, talk)
    id = _insert(connection, "exchanges", names | {"number": number})
    slots = {
        (talk.owner, kept(name), kept(value), id)
        for name, values in exchange.slots.items()
        for value in values
    }
    connection.executemany(
        "INSERT INTO slots (owner, name, value, exchange) VALUES (?, ?, ?, ?)", slots
    )
    terms = terms_of(names["terms"]) or ()
    add_terms(connection, talk.owner, [(id, terms)])
    connection.execute(
        "UPDATE owners SET documents = documents + 1, length = length + ? WHERE id = ?",
        (len(terms), talk.owner),
    )


def _insert(connection: Connection, table: str, names: dict[str, Any]) -> int:
    """Insert a row with these columns; its id."""
    id = connection.execute(
        f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})",
        tuple(names.values()),
    ).lastrowid
    assert id is not None
    return id


def _pack(row: Sequence[Any]) -> str:
    """The columns of a row as JSON, with bytes as Base64."""
    return json.dumps(
        [{"base64": b64encode(each).decode()} if type(each) is bytes else each for each in row]
    )


def _unpack(record: str) -> list[Any]:
    return [
        b64decode(each["base64"]) if type(each) is dict else each for each in json.loads(record)
    ]


def _key(tenant: Any, user: Any, model: Any) -> Key | None:
    names = _name(user), _name(model), _name(tenant)
    return None if None in names else Key(*map(str, names))


def _name(name: Any) -> str | None:
    try:
        return read(name)
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
