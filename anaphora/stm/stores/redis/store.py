"""A store in Redis, shared by processes on many machines.

:mod:`anaphora.stm.stores.redis.keys` describes the keys, and
:mod:`anaphora.stm.stores.redis.scripts` the scripts.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from anaphora.errors import StoreError
from anaphora.stm.conversation import Conversation, ConversationKey
from anaphora.stm.records import load_or_reset
from anaphora.stm.stores.leased_store import LeasedStore
from anaphora.stm.stores.redis.keys import KeySpace, decode_note, encode
from anaphora.stm.stores.redis.lock import LockSettings, RedisLock, RedisRecord, to_ttl
from anaphora.stm.stores.redis.replication import Replication, parse_replication
from anaphora.stm.stores.redis.scripts import PUT_NOTE, RENEW

if TYPE_CHECKING:
    from anaphora.stm.stores.redis.asynchronous.store import AsyncRedisStore
    from anaphora.stm.stores.redis.connection import RedisConnection
    from anaphora.stm.stores.redis.quarantine import RedisQuarantine
    from anaphora.stm.stores.redis.server_state import RedisServerState

__all__ = ["RedisStore"]

_SHORT_PATIENCE = 0.5  # seconds of retries for operations whose failure loses nothing

_log = logging.getLogger(__name__)


class RedisStore(LeasedStore[RedisRecord]):
    """Stores conversations in the Redis server at ``url`` until they have been idle for longer
    than their timeout, by the time of that server. The URL may also name the nodes of a cluster or
    the Sentinels of a service (:mod:`anaphora.stm.stores.redis.urls`).

    A question costs two commands: one locks and reads its conversation, one writes and unlocks it.
    The lock has a ``lease`` in seconds, which is renewed while the question is being answered. If
    the process dies, another question can go on after that time; a question that was suspended for
    longer gets :class:`Conflict` and changes nothing. ``wait`` is how many seconds a question waits
    for the lock. All keys begin with ``prefix``. ``clock`` is accepted for the sake of other
    stores, but ignored, because the clocks of several machines differ. A server may take
    ``patience`` seconds to restart before a question fails. After a fork, both processes can use
    the store.

    With ``min_replicas``, a question is answered only if so many replicas have confirmed what it
    changes, each time within ``replica_timeout`` seconds; otherwise it raises
    :class:`StoreError`, before its handler runs if replicas are missing then, and its changes are
    undone. It costs a third command.

    See :class:`~anaphora.stm.stores.store.Store` for the methods. Raises :class:`StoreError`
    for an invalid URL; the first command connects.
    """

    def __init__(
        self,
        url: str,
        *,
        clock: Callable[[], datetime] | None = None,
        wait: float = 60.0,
        lease: float = 10.0,
        prefix: str = "anaphora",
        patience: float = 5.0,
        min_replicas: int = 0,
        replica_timeout: float = 1.0,
    ) -> None:
        key_space = self._key_space = KeySpace(prefix)
        replication = parse_replication(min_replicas, replica_timeout)
        self._settings = LockSettings(
            key_space, lease, patience, replication is not None, self._put_in_quarantine
        )
        self._asynchronous: AsyncRedisStore | None = None  # before a fork can meet this store
        super().__init__(wait=wait, lease=lease)
        self._connection = _connect(url, patience, replication)
        self._url = url
        self._has_checked_risks = False

    def peek(self, key: ConversationKey) -> Conversation | None:
        record = self._connection.execute("GET", self._key_space.record_key(key))
        return None if record is None else load_or_reset(record, key)

    def keys(self) -> Iterator[ConversationKey]:
        seen = set()
        for record in self._connection.scan(self._key_space.records_pattern):
            key = self._key_space.parse_record_key(record)
            if key is not None and key not in seen:
                seen.add(key)
                yield key

    def get_note(self, namespace: str, name: str) -> str | None:
        text = self._connection.execute(
            "HGET", self._key_space.namespace_key(namespace), encode(name)
        )
        return None if text is None else decode_note(text)

    def list_notes(self, namespace: str) -> Mapping[str, str]:
        found = self._connection.execute("HGETALL", self._key_space.namespace_key(namespace))
        return {decode_note(name): decode_note(text) for name, text in found.items()}

    def put_note(self, namespace: str, name: str, text: str, ttl: timedelta) -> None:
        keys = (self._key_space.namespace_key(namespace),)
        self._connection.run_script(
            PUT_NOTE, keys, encode(name), encode(text), to_ttl(ttl), replicated=True
        )

    def delete_note(self, namespace: str, name: str) -> None:
        self._connection.execute(
            "HDEL", self._key_space.namespace_key(namespace), encode(name), replicated=True
        )

    def scrub(self, user: str, tenant: str = "") -> None:
        for mark in self._connection.scan(self._key_space.commit_marks_pattern(user, tenant)):
            self._connection.execute("DEL", mark, replicated=True)
        self.quarantine.erase_user(user, tenant)

    @property
    def quarantine(self) -> RedisQuarantine:
        """The records that were copied aside because they cannot be read."""
        from anaphora.stm.stores.redis.quarantine import RedisQuarantine

        return RedisQuarantine(self._connection, self._key_space, self.open)

    @property
    def asynchronous(self) -> AsyncRedisStore | None:
        """The side for event loops; None for a cluster, a service of Sentinel, or if replicas must
        confirm."""
        if self._asynchronous is None and self._connection.is_single:
            from anaphora.stm.stores.redis.asynchronous.store import AsyncRedisStore

            self._asynchronous = AsyncRedisStore(
                self._url, self._connection, self._settings, self._hold
            )
        return self._asynchronous

    def ping(self) -> None:
        """Check the server; the first time, log a warning if its settings may lose
        conversations."""
        self._connection.execute(
            "SET",
            self._key_space.probe_key,
            "",
            "PX",
            1_000,
            patience=_SHORT_PATIENCE,
            replicated=True,
        )
        if not self._has_checked_risks:
            from anaphora.stm.stores.redis.server_state import find_risks

            self._has_checked_risks = True
            for risk in find_risks(self._connection):
                _log.warning("this Redis server may lose conversations: %s", risk)

    def server_state(self) -> RedisServerState:
        """Ask the servers for their versions, their clocks and risky settings."""
        from anaphora.stm.stores.redis.server_state import read_server_state

        return read_server_state(self._connection)

    def close(self) -> None:
        super().close()
        self._connection.close()
        if self._asynchronous is not None:
            self._asynchronous.disconnect()

    def after_fork_in_child(self) -> None:
        """Start with locks, leases and connections of its own."""
        super().after_fork_in_child()
        if self._asynchronous is not None:
            self._asynchronous.replace_connections()

    def _remote_lock(self, key: ConversationKey, timeout: timedelta) -> RedisLock:
        return RedisLock(self._connection.runner, key, self._settings)

    def _put_in_quarantine(
        self, key: ConversationKey, record: bytes, reason: str, *, at: int, ttl: int
    ) -> None:
        self.quarantine.put(key, record, reason, at=at, ttl=ttl)

    def _renew(self, place: bytes, token: str) -> bool:
        return bool(
            self._connection.run_script(
                RENEW, (place,), token, self._settings.lease_in_ms, patience=_SHORT_PATIENCE
            )
        )


def _connect(url: str, patience: float, replication: Replication | None) -> RedisConnection:
    try:
        from anaphora.stm.stores.redis.connection import RedisConnection
    except ImportError as error:
        raise StoreError(
            "a Redis store needs the Redis client: pip install 'anaphora[redis]'"
        ) from error
    return RedisConnection(url, patience=patience, replication=replication)
