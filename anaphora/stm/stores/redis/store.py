"""A store in Redis, shared by processes on many machines.

:mod:`anaphora.stm.stores.redis.keys` describes the keys, and
:mod:`anaphora.stm.stores.redis.scripts` the scripts.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime, timedelta
from functools import partial
from random import uniform
from secrets import token_hex
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from anaphora.errors import Conflict, StoreError
from anaphora.stm.conversation import Conversation, ConversationKey
from anaphora.stm.records import dump, load_or_reset
from anaphora.stm.stores.locks import ConversationLocks, busy_error, forked_error
from anaphora.stm.stores.quarantine import try_load
from anaphora.stm.stores.redis.keys import KeySpace, SessionKeys, decode, encode
from anaphora.stm.stores.redis.leases import LeaseRenewer
from anaphora.stm.stores.redis.replication import (
    NotReplicatedError,
    Replication,
    parse_replication,
)
from anaphora.stm.stores.redis.scripts import (
    ACQUIRE,
    COMMIT,
    PUT_NOTE,
    RELEASE,
    RENEW,
    STAGE,
    UNDO,
)
from anaphora.stm.stores.store import Session, Store
from anaphora.storage.forks import ForkAware, register_fork_aware

if TYPE_CHECKING:
    from anaphora.stm.stores.redis.connection import RedisConnection
    from anaphora.stm.stores.redis.quarantine import RedisQuarantine
    from anaphora.stm.stores.redis.server_state import RedisServerState

__all__ = ["RedisStore"]

_MILLISECOND = timedelta(milliseconds=1)
_SLACK = 1_000  # ms; a pause that lasts exactly the timeout must still find the conversation
_COMMIT_MARK_MS = 15_000  # ms beyond the patience for which a commit may be repeated
_QUEUE_PATIENCE = 500  # ms for which the next one in the queue may be silent
_FIRST_PAUSE, _PAUSE_GROWTH = 0.001, 1.5
_LONGEST_PAUSE = {True: 0.025, False: 0.1}  # seconds, by whether this question is next
_LEASE_RANGE = 0.1, 86_400.0  # seconds
_SHORT_PATIENCE = 0.5  # seconds of retries for operations whose failure loses nothing

_Load: TypeAlias = Callable[[bytes, ConversationKey, Callable[[str], None]], Conversation]

_log = logging.getLogger(__name__)


class RedisStore(Store, ForkAware):
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
        if not _LEASE_RANGE[0] <= lease <= _LEASE_RANGE[1]:
            raise StoreError(
                f"a lease of {lease:g} seconds is not possible: write {_LEASE_RANGE[0]:g} to "
                f"{_LEASE_RANGE[1]:g} (the default is 10)"
            )
        self._key_space = KeySpace(prefix)
        self._replication = parse_replication(min_replicas, replica_timeout)
        self._connection = _connect(url, patience, self._replication)
        self._commit_mark_ttl = int(patience * 1_000) + _COMMIT_MARK_MS
        self._wait = wait
        self._lease = lease
        self._process_state = self._new_process()
        self._has_checked_risks = False
        self._latest_clock = 0  # of all sessions
        register_fork_aware(self)

    def open(self, key: ConversationKey, timeout: timedelta) -> AbstractContextManager[Session]:
        return self._open_session(key, timeout, load_or_reset)

    @contextmanager
    def _open_session(
        self, key: ConversationKey, timeout: timedelta, load: _Load
    ) -> Iterator[Session]:
        process, end = self._process_state, time.monotonic() + self._wait
        lock = process.locks.acquire(key)
        token = token_hex(8)
        names = self._key_space.session_keys(key, token)
        is_held = True  # or may be, if the answer was lost
        try:
            record, server_time, ttl = self._acquire(key, names, token, end)
            process.leases.add(names.lock, token)
            if record is None:
                found = Conversation.empty(key)
            else:
                quarantine = partial(self._quarantine_record, key, record, server_time, ttl)
                found = load(record, key, quarantine)
            session = Session(found, self._next_clock(server_time))
            yield session
            if session.committed is not None:
                if process is not self._process_state:
                    raise forked_error(key)
                if self._replication is not None:
                    undo = partial(self._undo, names, token, record or b"", ttl)
                    self._save_replicated(key, names, token, session.committed, timeout, undo)
                else:
                    self._save(key, names, token, session.committed, timeout)
                    is_held = False
        finally:
            if process is self._process_state:
                process.leases.remove(token)
                try:
                    if is_held:
                        self._release(names, token)
                finally:
                    process.locks.release(key, lock)

    def peek(self, key: ConversationKey) -> Conversation | None:
        record = self._connection.execute("GET", self._key_space.record_key(key))
        return None if record is None else load_or_reset(record, key)

    @contextmanager
    def hold_and_forget(self, key: ConversationKey) -> Iterator[int]:
        with self._open_session(key, timedelta(), _load_or_empty) as session:
            yield max(session.clock, session.conversation.clock + 1)
            self.quarantine.forget(key)
            session.commit(Conversation.empty(key))

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
        return None if text is None else _decode_note(text)

    def list_notes(self, namespace: str) -> Mapping[str, str]:
        found = self._connection.execute("HGETALL", self._key_space.namespace_key(namespace))
        return {_decode_note(name): _decode_note(text) for name, text in found.items()}

    def put_note(self, namespace: str, name: str, text: str, ttl: timedelta) -> None:
        keys = (self._key_space.namespace_key(namespace),)
        self._connection.run_script(
            PUT_NOTE, keys, encode(name), encode(text), _to_milliseconds(ttl), replicated=True
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
        self._process_state.leases.close()
        self._connection.close()

    def _acquire(
        self, key: ConversationKey, names: SessionKeys, token: str, end: float
    ) -> tuple[bytes | None, int, int]:
        """Wait for the lock. Returns the record, if there is one, the server's time in
        microseconds, and the milliseconds until the record expires."""
        keys = (names.lock, names.record, names.next)
        longest, pause = 0.0, _FIRST_PAUSE
        while True:
            is_mine, answer, server_time, ttl = self._connection.run_script(
                ACQUIRE, keys, token, self._lease_in_ms, _QUEUE_PATIENCE, replicated=True
            )
            if is_mine:
                seconds, microseconds = map(int, server_time)
                now = seconds * 1_000_000 + microseconds
                return answer, now or time.time_ns() // 1_000, ttl
            rest = end - time.monotonic()
            if rest <= 0:
                raise busy_error(key, self._wait)
            if longest != _LONGEST_PAUSE[bool(answer)]:  # has become the next one
                longest, pause = _LONGEST_PAUSE[bool(answer)], _FIRST_PAUSE
            time.sleep(min(uniform(pause / 2, pause), rest))
            pause = min(pause * _PAUSE_GROWTH, longest)

    def _save(
        self,
        key: ConversationKey,
        names: SessionKeys,
        token: str,
        conversation: Conversation,
        timeout: timedelta,
    ) -> None:
        record = b"" if conversation.is_empty else dump(conversation)
        keys = (names.lock, names.record, names.done)
        if not self._connection.run_script(
            COMMIT, keys, token, record, _to_milliseconds(timeout), self._commit_mark_ttl
        ):
            raise self._lost_error(key)

    def _save_replicated(
        self,
        key: ConversationKey,
        names: SessionKeys,
        token: str,
        conversation: Conversation,
        timeout: timedelta,
        undo: Callable[[], bool],
    ) -> None:
        """Store a conversation on the primary and on replicas, or not at all, and keep the lock:
        nobody goes on with what may be undone."""
        record = b"" if conversation.is_empty else dump(conversation)
        keys = (names.lock, names.record, names.done)
        arguments = (token, record, _to_milliseconds(timeout), self._commit_mark_ttl)
        try:
            is_stored = self._connection.run_script(STAGE, keys, *arguments, replicated=True)
        except NotReplicatedError as error:
            end = "nothing was changed" if undo() else "its changes may be stored all the same"
            raise NotReplicatedError(f"{error}; {end}") from error
        if not is_stored:
            raise self._lost_error(key)

    def _undo(self, names: SessionKeys, token: str, record: bytes, ttl: int) -> bool:
        """Restore the record that a question has found, with the milliseconds until it expires.
        Returns whether that is certain."""
        keys = (names.lock, names.record, names.done)
        try:
            return bool(self._connection.run_script(UNDO, keys, token, record, max(ttl, 0)))
        except StoreError as error:
            _log.error("a question cannot be undone", extra={"reason": str(error)})
            return False

    def _lost_error(self, key: ConversationKey) -> Conflict:
        return Conflict(
            f"the conversation of {key.user!r} with '{key.model}' was lost to another "
            f"question: this one was suspended, or cut off from its store, for longer than "
            f"the lease of {self._lease:g} seconds; nothing was changed"
        )

    def _quarantine_record(
        self, key: ConversationKey, record: bytes, server_time: int, ttl: int, reason: str
    ) -> None:
        """Copy an unreadable record into the quarantine; the next commit overwrites the original.
        A failure is only logged: the client may have no permission for the quarantine."""
        try:
            self.quarantine.put(key, record, reason, at=server_time // 1_000, ttl=ttl)
        except StoreError as error:
            _log.error(
                "a damaged conversation cannot be put in quarantine",
                extra={"reason": str(error), **key._asdict()},
            )

    def _next_clock(self, server_time: int) -> int:
        """Return the clock of a session: the server's time, which all processes share, or more if
        the server was replaced or its clock set back."""
        self._latest_clock = max(server_time, self._latest_clock + 1)
        return self._latest_clock

    def _release(self, names: SessionKeys, token: str) -> None:
        try:
            self._connection.run_script(
                RELEASE, (names.lock, names.next), token, patience=_SHORT_PATIENCE
            )
        except StoreError as error:  # another error has been raised already; the lease will end
            _log.info("a lock cannot be released: %s", error)

    def _renew(self, lock: bytes, token: str) -> bool:
        return bool(
            self._connection.run_script(
                RENEW, (lock,), token, self._lease_in_ms, patience=_SHORT_PATIENCE
            )
        )

    def after_fork_in_child(self) -> None:
        """Start with locks and leases of its own."""
        self._process_state = self._new_process()

    def _new_process(self) -> _ProcessState:
        return _ProcessState(
            ConversationLocks(self._wait), LeaseRenewer(self._renew, every=self._lease / 3)
        )

    @property
    def _lease_in_ms(self) -> int:
        return max(int(self._lease * 1_000), 1)


class _ProcessState(NamedTuple):
    """The locks and the leases of one process."""

    locks: ConversationLocks
    leases: LeaseRenewer


def _connect(url: str, patience: float, replication: Replication | None) -> RedisConnection:
    try:
        from anaphora.stm.stores.redis.connection import RedisConnection
    except ImportError as error:
        raise StoreError(
            "a Redis store needs the Redis client: pip install 'anaphora[redis]'"
        ) from error
    return RedisConnection(url, patience=patience, replication=replication)


def _load_or_empty(
    record: bytes, key: ConversationKey, quarantine: Callable[[str], None]
) -> Conversation:
    """Deserialize a record; an empty conversation if it cannot be read."""
    return try_load(record) or Conversation.empty(key)


def _to_milliseconds(duration: timedelta) -> int:
    return max(duration // _MILLISECOND, 0) + _SLACK


def _decode_note(data: bytes) -> str:
    try:
        return decode(data)
    except UnicodeDecodeError as error:
        raise StoreError(f"a note cannot be read: {error}") from error
