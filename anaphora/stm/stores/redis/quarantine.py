"""The quarantine of the Redis store: a key for each record, and a sorted set of ids by expiry.

All of them share one hash tag, so that Redis Cluster stores them on one node. An id begins with
digests of the users who may own the record, by which the records of a user are found.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import NamedTuple

from anaphora.stm.conversation import ConversationKey
from anaphora.stm.stores.quarantine import (
    DEFAULT_TTL,
    QuarantinedConversation,
    belongs_to_user,
    owners_of,
    restore,
)
from anaphora.stm.stores.redis.connection import RedisConnection
from anaphora.stm.stores.redis.errors import AccessDeniedError
from anaphora.stm.stores.redis.keys import KeySpace, encode
from anaphora.stm.stores.redis.scripts import COUNT_QUARANTINED, QUARANTINE
from anaphora.stm.stores.store import Session

__all__ = ["RedisQuarantine"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_LIST_BATCH = 100
_SHORT_PATIENCE = 0.5  # seconds of retries for operations whose failure loses nothing

_log = logging.getLogger(__name__)


class _Entry(NamedTuple):
    """A record with its description."""

    key: ConversationKey | None
    reason: str
    at: int  # milliseconds since 1970
    record: bytes


class RedisQuarantine:
    """See :class:`~anaphora.stm.stores.quarantine.Quarantine` for the methods. ``open`` is the
    method of the store."""

    def __init__(
        self,
        connection: RedisConnection,
        key_space: KeySpace,
        open: Callable[[ConversationKey, timedelta], AbstractContextManager[Session]],
    ) -> None:
        self._connection, self._key_space, self._open = connection, key_space, open

    def put(self, key: ConversationKey, record: bytes, reason: str, *, at: int, ttl: int) -> None:
        """Store a copy of the record of ``key`` for ``ttl`` milliseconds (negative: the record has
        no expiry). ``at`` is the server's time in milliseconds. Idempotent."""
        id = _id_of(key, record)
        kept_for = ttl if ttl > 0 else DEFAULT_TTL // _MILLISECOND
        keys = (self._key_space.quarantine_index, self._key_space.quarantine_key(id))
        entry = _pack(_Entry(key, reason, at, record))
        if self._connection.run_script(
            QUARANTINE, keys, id, entry, kept_for, at, patience=_SHORT_PATIENCE
        ):
            _log.error(
                "a damaged conversation was put in quarantine",
                extra={"reason": reason, **key._asdict()},
            )

    def count(self) -> int:
        here = time.time_ns() // 1_000_000
        keys = (self._key_space.quarantine_index,)
        return int(
            self._connection.run_script(COUNT_QUARANTINED, keys, here, patience=_SHORT_PATIENCE)
        )

    def items(self, limit: int = 1_000) -> list[QuarantinedConversation]:
        return [
            QuarantinedConversation(id, entry.reason, _EPOCH + entry.at * _MILLISECOND, entry.key)
            for _, (id, entry) in zip(range(limit), self._iter_entries(), strict=False)
        ]

    def release(self, id: str) -> bool:
        name = self._key_space.quarantine_key(id)
        packed, ttl = self._connection.execute("GET", name), self._connection.execute("PTTL", name)
        if packed is None:
            return False
        entry = _unpack(packed)
        if not restore(self._open, entry.key, entry.record, max(ttl, 0) * _MILLISECOND):
            return False
        self.discard(id)
        return True

    def discard(self, id: str) -> bool:
        deleted = self._connection.execute(
            "DEL", self._key_space.quarantine_key(id), replicated=True
        )
        self._connection.execute("ZREM", self._key_space.quarantine_index, id, replicated=True)
        return bool(deleted)

    def forget(self, key: ConversationKey) -> None:
        for id, owners in self._iter_of_user(key.user, key.tenant):
            if key in owners:
                self.discard(id)

    def erase_user(self, user: str, tenant: str) -> None:
        """Delete the records that may contain words of a user."""
        for id, owners in self._iter_of_user(user, tenant):
            if belongs_to_user(owners, user, tenant):
                self.discard(id)

    def _iter_entries(self) -> Iterator[tuple[str, _Entry]]:
        """Iterate over all entries in the order of expiry."""
        first = 0
        while names := self._connection.execute(
            "ZRANGE", self._key_space.quarantine_index, first, first + _LIST_BATCH - 1
        ):
            ids = [name.decode() for name in names]
            yield from self._load_entries(ids)
            first += _LIST_BATCH

    def _iter_of_user(self, user: str, tenant: str) -> Iterator[tuple[str, set[ConversationKey]]]:
        """Iterate over the ids and the possible owners of the records that may be of a user."""
        pattern = f"*{_digest_of_user(user, tenant)}*"
        index = self._key_space.quarantine_index
        with suppress(AccessDeniedError):  # then this client could never store anything there
            found = self._connection.scan_members(pattern.encode(), index)
            for id, entry in self._load_entries(sorted({name.decode() for name in found})):
                yield id, owners_of(entry.key, entry.record)

    def _load_entries(self, ids: Sequence[str]) -> Iterator[tuple[str, _Entry]]:
        if not ids:
            return
        found: Iterable[bytes | None] = self._connection.execute(
            "MGET", *map(self._key_space.quarantine_key, ids)
        )
        for id, packed in zip(ids, found, strict=True):
            if packed is not None:  # else it has expired
                yield id, _unpack(packed)


def _id_of(key: ConversationKey, record: bytes) -> str:
    owners = owners_of(key, record)
    users = sorted({_digest_of_user(owner.user, owner.tenant) for owner in owners})
    return "-".join((*users, _digest(*map(encode, key), record)))


def _digest_of_user(user: str, tenant: str) -> str:
    return _digest(encode(tenant), encode(user))


def _digest(*parts: bytes) -> str:
    whole = b"".join(b"%d:%b" % (len(part), part) for part in parts)
    return blake2b(whole, digest_size=6).hexdigest()


def _pack(entry: _Entry) -> bytes:
    head = {"key": entry.key, "reason": entry.reason, "at": entry.at}
    return json.dumps(head).encode() + b"\n" + entry.record


def _unpack(packed: bytes) -> _Entry:
    head, _, record = packed.partition(b"\n")
    try:
        plain = json.loads(head)
        user, model, tenant = map(str, plain["key"])
        return _Entry(
            ConversationKey(user, model, tenant), str(plain["reason"]), int(plain["at"]), record
        )
    except (ValueError, KeyError, TypeError):
        return _Entry(None, "its description is damaged, too", 0, record)
