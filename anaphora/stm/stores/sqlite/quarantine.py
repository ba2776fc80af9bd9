"""The quarantine of the SQLite store: a table beside the conversations."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from sqlite3 import Connection
from typing import Any

from anaphora.stm.conversation import ConversationKey
from anaphora.stm.records import MISPLACED
from anaphora.stm.stores.quarantine import (
    DEFAULT_TTL,
    QuarantinedConversation,
    belongs_to_user,
    owners_of,
    restore,
    try_load,
)
from anaphora.stm.stores.store import Session
from anaphora.storage.logical_clock import from_microseconds
from anaphora.storage.sqlite.database import Database
from anaphora.storage.sqlite.text_encoding import decode_text, encode_text

__all__ = ["DAMAGED_NAME", "SqliteQuarantine", "erase_user", "forget_key"]

DAMAGED_NAME = "a name is damaged"  # the reason begins so if the key cannot be read

_MICROSECOND = timedelta(microseconds=1)

_COUNT = "SELECT count(*) FROM quarantine WHERE expires >= ?"
_LIST = (
    "SELECT id, reason, at, tenant, user, model, record FROM quarantine WHERE expires >= ? "
    "ORDER BY id LIMIT ?"
)
_FIND = "SELECT tenant, user, model, record, expires FROM quarantine WHERE id = ? AND expires >= ?"
# Records of a user, and records that may be anyone's.
_CANDIDATES = (
    "SELECT id, tenant, user, model, record FROM quarantine "
    "WHERE (tenant = ? AND user = ?) OR reason = ? OR reason LIKE ?"
)
_DROP = "DELETE FROM quarantine WHERE id = ?"
_PUT = (
    "INSERT INTO quarantine (tenant, user, model, record, expires, reason, at) SELECT tenant, "
    "user, model, record, CASE typeof(expires) WHEN 'integer' THEN expires ELSE ? END, ?, ? "
    "FROM conversations WHERE id = ?"
)
_TAKE_OUT = "DELETE FROM conversations WHERE id = ?"

_log = logging.getLogger(__name__)


class SqliteQuarantine:
    """See :class:`~anaphora.stm.stores.quarantine.Quarantine` for the methods. ``now`` returns
    the time in microseconds; ``open`` is the method of the store."""

    def __init__(
        self,
        database: Database,
        now: Callable[[], int],
        open: Callable[[ConversationKey, timedelta], AbstractContextManager[Session]],
    ) -> None:
        self._database, self._now, self._open = database, now, open

    def put(self, id: int, reason: str, key: ConversationKey | None = None) -> None:
        """Move the row ``id`` of the conversations, stored under ``key``, into the quarantine."""
        now = self._now()
        expires = now + DEFAULT_TTL // _MICROSECOND

        def move(connection: Connection) -> None:
            connection.execute(_PUT, (expires, reason, now, id))
            connection.execute(_TAKE_OUT, (id,))

        self._database.write(move)
        names = {} if key is None else key._asdict()
        _log.error(
            "a damaged conversation was put in quarantine", extra={"reason": reason, **names}
        )

    def count(self) -> int:
        ((count,),) = self._database.read(_COUNT, (self._now(),))
        return int(count)

    def items(self, limit: int = 1_000) -> list[QuarantinedConversation]:
        return [
            QuarantinedConversation(
                str(id),
                _text_or_none(reason) or "unknown",
                _to_datetime(at),
                _find_key(names, record),
            )
            for id, reason, at, *names, record in self._database.read(
                _LIST, (self._now(), max(limit, 0))
            )
        ]

    def release(self, id: str) -> bool:
        now = self._now()
        rows = self._database.read(_FIND, (id, now)) if id.isdecimal() else []
        if not rows:
            return False
        *names, record, expires = rows[0]
        timeout = (expires - now) * _MICROSECOND
        if not restore(self._open, _key_from_columns(names), _bytes_or_empty(record), timeout):
            return False
        self.discard(id)
        return True

    def discard(self, id: str) -> bool:
        deleted = 0

        def delete(connection: Connection) -> None:
            nonlocal deleted
            deleted = connection.execute(_DROP, (id,)).rowcount

        if id.isdecimal():
            self._database.write(delete)
        return deleted > 0

    def forget(self, key: ConversationKey) -> None:
        with self._database.snapshot() as connection:
            found = any(_ids_of_key(connection, key))
        if found:
            self._database.write(lambda connection: forget_key(connection, key))


def forget_key(connection: Connection, key: ConversationKey) -> None:
    """Delete the records of a conversation."""
    _delete(connection, list(_ids_of_key(connection, key)))


def erase_user(connection: Connection, user: str, tenant: str) -> None:
    """Delete the records that may contain words of a user."""
    rows = _candidates(connection, user, tenant)
    _delete(connection, [id for id, owners in rows if belongs_to_user(owners, user, tenant)])


def _ids_of_key(connection: Connection, key: ConversationKey) -> Iterator[int]:
    candidates = _candidates(connection, key.user, key.tenant)
    return (id for id, owners in candidates if key in owners)


def _candidates(
    connection: Connection, user: str, tenant: str
) -> Iterator[tuple[int, set[ConversationKey]]]:
    values = (encode_text(tenant), encode_text(user), MISPLACED, f"{DAMAGED_NAME}%")
    for id, *names, record in connection.execute(_CANDIDATES, values):
        yield id, owners_of(_key_from_columns(names), _bytes_or_empty(record))


def _delete(connection: Connection, ids: list[int]) -> None:
    connection.executemany(_DROP, [(id,) for id in ids])


def _find_key(names: list[Any], record: Any) -> ConversationKey | None:
    stored = _key_from_columns(names)
    if stored is not None:
        return stored
    found = try_load(_bytes_or_empty(record))
    return None if found is None else found.key


def _key_from_columns(names: list[Any]) -> ConversationKey | None:
    """Read the key in the columns of a row; None if one of them is damaged."""
    tenant, user, model = map(_text_or_none, names)
    if tenant is None or user is None or model is None:
        return None
    return ConversationKey(user, model, tenant)


def _text_or_none(value: Any) -> str | None:
    try:
        return decode_text(value)
    except (AttributeError, UnicodeDecodeError):
        return None


def _to_datetime(at: Any) -> datetime:
    try:
        return from_microseconds(at)
    except (TypeError, OverflowError):
        return from_microseconds(0)


def _bytes_or_empty(value: Any) -> bytes:
    return value if isinstance(value, bytes) else b""
