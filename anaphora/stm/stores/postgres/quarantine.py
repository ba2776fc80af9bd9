"""The quarantine of the PostgreSQL store: a table beside the conversations."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from hashlib import blake2b
from typing import TYPE_CHECKING

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
from anaphora.storage.postgres.text_encoding import decode_text, encode_text, names_digest

if TYPE_CHECKING:
    from anaphora.stm.stores.postgres.connection import PostgresConnection

__all__ = ["PostgresQuarantine"]

_MICROSECOND = timedelta(microseconds=1)
_LARGEST_ID = 2**63 - 1
_SHORT_PATIENCE = 0.5  # seconds of retries for operations whose failure loses nothing

_PUT = (
    "INSERT INTO {schema}.stm_quarantine "
    "(place, owner, digest, tenant, name, model, record, expires, reason, at) "
    "VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s) "
    "ON CONFLICT (place, digest) DO NOTHING RETURNING id"
)
_COUNT = "SELECT count(*) FROM {schema}.stm_quarantine WHERE expires >= {schema}.stm_now() + %s"
_LIST = (
    "SELECT id, reason, at, tenant, name, model, record FROM {schema}.stm_quarantine "
    "WHERE expires >= {schema}.stm_now() ORDER BY id LIMIT %s"
)
_FIND = (
    "SELECT tenant, name, model, record, expires - {schema}.stm_now() "
    "FROM {schema}.stm_quarantine WHERE id = %s AND expires >= {schema}.stm_now()"
)
# Records of a user, and records that may be anyone's.
_CANDIDATES = (
    "SELECT id, tenant, name, model, record FROM {schema}.stm_quarantine "
    "WHERE owner = %s OR reason = %s"
)
_DROP = "DELETE FROM {schema}.stm_quarantine WHERE id = %s RETURNING id"

_log = logging.getLogger(__name__)


class PostgresQuarantine:
    """See :class:`~anaphora.stm.stores.quarantine.Quarantine` for the methods. ``open`` is the
    method of the store."""

    def __init__(
        self,
        connection: PostgresConnection,
        open: Callable[[ConversationKey, timedelta], AbstractContextManager[Session]],
    ) -> None:
        self._connection, self._open = connection, open

    def put(self, key: ConversationKey, record: bytes, reason: str, *, at: int, ttl: int) -> None:
        """Store a copy of the record of ``key`` for ``ttl`` microseconds (negative: until its usual
        end). ``at`` is the server's time in microseconds. Idempotent."""
        kept_for = ttl if ttl > 0 else DEFAULT_TTL // _MICROSECOND
        is_new = self._connection.query(
            _PUT,
            *(names_digest(*key), names_digest(key.tenant, key.user), _digest(record)),
            *map(encode_text, (key.tenant, key.user, key.model)),
            *(record, at + kept_for, encode_text(reason), at),
            patience=_SHORT_PATIENCE,
        )
        if is_new:
            _log.error(
                "a damaged conversation was put in quarantine",
                extra={"reason": reason, **key._asdict()},
            )

    def count(self) -> int:
        ((count,),) = self._connection.query(_COUNT, 0, patience=_SHORT_PATIENCE)
        return int(count)

    def items(self, limit: int = 1_000) -> list[QuarantinedConversation]:
        return [
            QuarantinedConversation(
                str(id),
                reason.decode("utf-8", "replace"),
                _to_datetime(at),
                _find_key(names, record),
            )
            for id, reason, at, *names, record in self._connection.query(
                _LIST, min(max(limit, 0), _LARGEST_ID)
            )
        ]

    def release(self, id: str) -> bool:
        number = _to_number(id)
        rows = [] if number is None else self._connection.query(_FIND, number)
        if not rows:
            return False
        *names, record, rest = rows[0]
        if not restore(self._open, _key_from_columns(names), record, rest * _MICROSECOND):
            return False
        self.discard(id)
        return True

    def discard(self, id: str) -> bool:
        number = _to_number(id)
        return number is not None and bool(self._connection.query(_DROP, number))

    def forget(self, key: ConversationKey) -> None:
        for id, owners in self._iter_of_user(key.user, key.tenant):
            if key in owners:
                self.discard(id)

    def erase_user(self, user: str, tenant: str) -> None:
        """Delete the records that may contain words of a user."""
        for id, owners in self._iter_of_user(user, tenant):
            if belongs_to_user(owners, user, tenant):
                self.discard(id)

    def _iter_of_user(self, user: str, tenant: str) -> Iterator[tuple[str, set[ConversationKey]]]:
        """Iterate over the ids and the possible owners of the records that may be of a user."""
        values = (names_digest(tenant, user), encode_text(MISPLACED))
        for id, *names, record in self._connection.query(_CANDIDATES, *values):
            yield str(id), owners_of(_key_from_columns(names), record)


def _find_key(names: list[bytes], record: bytes) -> ConversationKey | None:
    stored = _key_from_columns(names)
    if stored is not None:
        return stored
    found = try_load(record)
    return None if found is None else found.key


def _key_from_columns(names: list[bytes]) -> ConversationKey | None:
    """Read the key in the columns of a row; None if one of them is damaged."""
    try:
        tenant, user, model = map(decode_text, names)
    except UnicodeDecodeError:
        return None
    return ConversationKey(user, model, tenant)


def _to_number(id: str) -> int | None:
    """Parse an id; None if no record can have it."""
    number = int(id) if id.isascii() and id.isdecimal() and len(id) < 20 else _LARGEST_ID + 1
    return number if number <= _LARGEST_ID else None


def _to_datetime(at: int) -> datetime:
    try:
        return from_microseconds(at)
    except OverflowError:
        return from_microseconds(0)


def _digest(record: bytes) -> bytes:
    return blake2b(record, digest_size=16).digest()
