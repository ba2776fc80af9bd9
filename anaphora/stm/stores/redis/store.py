"""Conversations in Redis, shared by processes on many machines.

Where each key is and what each script does is told in :mod:`anaphora.stm.stores.redis.keys` and
:mod:`anaphora.stm.stores.redis.scripts`.
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
from typing import TYPE_CHECKING, TypeAlias

from anaphora.errors import Conflict, StoreError
from anaphora.stm.conversation import Conversation, ConversationKey
from anaphora.stm.records import dump, load_or_reset
from anaphora.stm.stores.locks import ConversationLocks, busy_error, forked_error
from anaphora.stm.stores.quarantine import try_load
from anaphora.stm.stores.redis.keys import KeySpace, SessionKeys, decode, encode
from anaphora.stm.stores.redis.leases import LeaseRenewer
from anaphora.stm.stores.redis.scripts import ACQUIRE, COMMIT, PUT_NOTE, RELEASE, RENEW
from anaphora.stm.stores.store import Session
from anaphora.storage.forks import ForkAware, register_fork_aware

if TYPE_CHECKING:
    from anaphora.stm.stores.redis.connection import RedisConnection
    from anaphora.stm.stores.redis.quarantine import RedisQuarantine

__all__ = ["RedisStore"]

_MILLISECOND = timedelta(milliseconds=1)
_SLACK = 1_000  # ms; a pause that lasts exactly the timeout must still find the conversation
_COMMIT_MARK_MS = 15_000  # ms beyond the patience for which a commit may be repeated
_QUEUE_PATIENCE = 500  # ms for which the next one in the queue may be silent
_FIRST_PAUSE, _PAUSE_GROWTH = 0.001, 1.5
_LONGEST_PAUSE = {True: 0.025, False: 0.1}  # by whether one comes next
_LEASE_RANGE = 0.1, 86_400.0  # seconds, at least and at most
_SHORT_PATIENCE = 0.5  # seconds of patience where nothing is lost by a failure

_Load: TypeAlias = Callable[[bytes, ConversationKey, Callable[[str], None]], Conversation]

_log = logging.getLogger(__name__)


class RedisStore(ForkAware):
    """Keeps conversations in the Redis server at ``url`` until they have been idle for longer
    than their timeout, by the time of that server.

    A question costs two commands, one to take its turn and one to keep what became of it. The
    turn is a lock that lasts for ``lease`` seconds and is renewed as long as the question takes:
    if its process dies, another goes on after that time; one that was suspended for longer gets
    :class:`Conflict` and changes nothing. ``wait`` is for how many seconds a question waits for
    its turn. All keys begin with ``prefix``. The ``clock`` of other stores is taken, but not
    asked: clocks of several machines differ. A server that restarts may take ``patience`` seconds
    before a question fails. The store may be used in a process that was forked later.

    See :class:`~anaphora.stm.stores.store.Store` for the methods. Raises :class:`StoreError`
    for a URL that cannot be read; whether there is a server shows when it is needed.
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
    ) -> None:
        if not _LEASE_RANGE[0] <= lease <= _LEASE_RANGE[1]:
            raise StoreError(
                f"a lease of {lease:g} seconds is of no use: 10 are usual, and {_LEASE_RANGE[0]:g} "
                f"to {_LEASE_RANGE[1]:g} can be"
            )
        self._key_space = KeySpace(prefix)
        self._connection = _connect(url, patience)
        self._commit_mark_ttl = int(patience * 1_000) + _COMMIT_MARK_MS
        self._wait = wait
        self._lease = lease
        self._process_state = self._new_process()
        self._has_checked_risks = False
        self._latest_clock = 0  # clock of a session
        register_fork_aware(self)

    def open(self, key: ConversationKey, timeout: timedelta) -> AbstractContextManager[Session]:
        return self._open_session(key, timeout, load_or_reset)

    @contextmanager
    def _open_session(
        self, key: ConversationKey, timeout: timedelta, load: _Load
    ) -> Iterator[Session]:
        process, end = self._process_state, time.monotonic() + self._wait
        turn = process.turns.acquire(key)
        token = token_hex(8)
        names = self._key_space.session_keys(key, token)
        held = True  # or may be, if the answer was lost
        try:
            record, there, ttl = self._acquire(key, names, token, end)
            process.leases.add(names.lock, token)
            if record is None:
                found = Conversation.empty(key)
            else:
                found = load(record, key, partial(self._quarantine_record, key, record, there, ttl))
            session = Session(found, self._next_clock(there))
            yield session
            if session.committed is not None:
                if process is not self._process_state:
                    raise forked_error(key)
                self._save(key, names, token, session.committed, timeout)
                held = False
        finally:
            if process is self._process_state:
                process.leases.remove(token)
                try:
                    if held:
                        self._release(names, token)
                finally:
                    process.turns.release(key, turn)

    def peek(self, key: ConversationKey) -> Conversation | None:
        record = self._connection.execute("GET", self._key_space.record_key(key))
        return None if record is None else load_or_reset(record, key)

    def forget(self, key: ConversationKey) -> None:
        with self.hold_and_forget(key):
            pass

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
            PUT_NOTE, keys, encode(name), encode(text), _to_milliseconds(ttl)
        )

    def delete_note(self, namespace: str, name: str) -> None:
        self._connection.execute("HDEL", self._key_space.namespace_key(namespace), encode(name))

    def scrub(self, user: str, tenant: str = "") -> None:
        for mark in self._connection.scan(self._key_space.commit_marks_pattern(user, tenant)):
            self._connection.execute("DEL", mark)
        self.quarantine.erase_user(user, tenant)

    @property
    def quarantine(self) -> RedisQuarantine:
        """The conversations that were put aside because they cannot be read."""
        from anaphora.stm.stores.redis.quarantine import RedisQuarantine

        return RedisQuarantine(self._connection, self._key_space, self.open)

    def ping(self) -> None:
        """As the protocol says. The first time it also logs a warning if the server is set up to
        lose conversations."""
        self._connection.execute(
            "SET", self._key_space.probe_key, "", "PX", 1_000, patience=_SHORT_PATIENCE
        )
        if not self._has_checked_risks:
            self._has_checked_risks = True
            for risk in _find_risks(self._connection):
                _log.warning("this Redis server may lose conversations: %s", risk)

    def close(self) -> None:
        self._process_state.leases.close()
        self._connection.close()

    def _acquire(
        self, key: ConversationKey, names: SessionKeys, token: str, end: float
    ) -> tuple[bytes | None, int, int]:
        """Wait for the lock; the record, if there is one, the server's time, and the milliseconds
        until the record expires."""
        keys = (names.lock, names.record, names.next)
        longest, pause = 0.0, _FIRST_PAUSE
        while True:
            mine, answer, time_there, ttl = self._connection.run_script(
                ACQUIRE, keys, token, self._lease_in_ms, _QUEUE_PATIENCE
            )
            if mine:
                seconds, microseconds = map(int, time_there)
                there = seconds * 1_000_000 + microseconds
                return answer, there or time.time_ns() // 1_000, ttl
            rest = end - time.monotonic()
            if rest <= 0:
                raise busy_error(key, self._wait)
            if longest != _LONGEST_PAUSE[bool(answer)]:  # comes next now
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
        record = b"" if conversation.is_new else dump(conversation)
        keys = (names.lock, names.record, names.done)
        if not self._connection.run_script(
            COMMIT, keys, token, record, _to_milliseconds(timeout), self._commit_mark_ttl
        ):
            raise Conflict(
                f"the conversation of {key.user!r} with '{key.model}' was lost to another "
                f"question: this one was suspended, or cut off from its store, for longer than "
                f"the lease of {self._lease:g} seconds; nothing of it is kept"
            )

    def _quarantine_record(
        self, key: ConversationKey, record: bytes, there: int, ttl: int, reason: str
    ) -> None:
        """Copy a record that cannot be read into the quarantine; the next commit takes its place.
        The conversation goes on if that fails: a user of the server may have no right to it."""
        try:
            self.quarantine.put(key, record, reason, at=there // 1_000, ttl=ttl)
        except StoreError as error:
            _log.error(
                "a damaged conversation cannot be put in quarantine",
                extra={"reason": str(error), **key._asdict()},
            )

    def _next_clock(self, time_there: int) -> int:
        """The clock of a session: the server's time, so that all processes have the same; after
        what this one was told before, should the server be another now, or be set back."""
        self._latest_clock = max(time_there, self._latest_clock + 1)
        return self._latest_clock

    def _release(self, names: SessionKeys, token: str) -> None:
        try:
            self._connection.run_script(
                RELEASE, (names.lock, names.next), token, patience=_SHORT_PATIENCE
            )
        except StoreError as error:  # there is a reason for it already, and the lease will end
            _log.info("a lock cannot be given back: %s", error)

    def _renew(self, lock: bytes, token: str) -> bool:
        return bool(
            self._connection.run_script(
                RENEW, (lock,), token, self._lease_in_ms, patience=_SHORT_PATIENCE
            )
        )

    def after_fork_in_child(self) -> None:
        """Go on with turns of its own; no thread renews yet."""
        self._process_state = self._new_process()

    def _new_process(self) -> _ProcessState:
        return _ProcessState(
            ConversationLocks(self._wait), LeaseRenewer(self._renew, every=self._lease / 3)
        )

    @property
    def _lease_in_ms(self) -> int:
        return max(int(self._lease * 1_000), 1)


class _ProcessState:
    """The turns and the leases of one process."""

    __slots__ = ("leases", "turns")

    def __init__(self, turns: ConversationLocks, leases: LeaseRenewer) -> None:
        self.turns = turns
        self.leases = leases


def _connect(url: str, patience: float) -> RedisConnection:
    try:
        from anaphora.stm.stores.redis.connection import RedisConnection
    except ImportError as error:
        raise StoreError("a Redis store needs its client: pip install 'anaphora[redis]'") from error
    return RedisConnection(url, patience=patience)


def _find_risks(link: RedisConnection) -> Iterator[str]:
    """What in the server's settings may lose conversations, as far as it tells."""
    try:
        info = link.execute("INFO", patience=_SHORT_PATIENCE)
        policy = info.get("maxmemory_policy", "noeviction")
        if policy != "noeviction" and info.get("maxmemory"):
            yield (
                f"it forgets some when its memory is full: set maxmemory-policy, now {policy}, "
                "to noeviction"
            )
        if info.get("aof_enabled") == 0:
            saves = link.execute("CONFIG GET", "save", patience=_SHORT_PATIENCE).get("save")
            if not saves:
                yield "it keeps nothing over a restart: set appendonly to yes"
    except StoreError:  # many hosts hide their settings
        return


def _load_or_empty(
    record: bytes, key: ConversationKey, put_aside: Callable[[str], None]
) -> Conversation:
    """The conversation of a record, an empty one if it cannot be read."""
    return try_load(record) or Conversation.empty(key)


def _to_milliseconds(duration: timedelta) -> int:
    return max(duration // _MILLISECOND, 0) + _SLACK


def _decode_note(data: bytes) -> str:
    try:
        return decode(data)
    except UnicodeDecodeError as error:
        raise StoreError(f"a note cannot be read: {error}") from error
