"""A store in one SQLite file, shared by the processes of one machine."""

from __future__ import annotations

import os
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from datetime import datetime, timedelta
from functools import partial
from hashlib import blake2b
from pathlib import Path
from sqlite3 import Connection
from typing import Any, NamedTuple, get_args
from weakref import finalize

from anaphora.errors import Conflict, StoreError
from anaphora.stm.conversation import Conversation, ConversationKey
from anaphora.stm.records import dump, load_or_reset
from anaphora.stm.stores.locks import ConversationLocks, busy_error, forked_error
from anaphora.stm.stores.sqlite.asynchronous import AsyncSqliteStore
from anaphora.stm.stores.sqlite.quarantine import (
    DAMAGED_NAME,
    SqliteQuarantine,
    erase_user,
    forget_key,
)
from anaphora.stm.stores.store import Session, Store
from anaphora.storage.byte_range_locks import ByteRangeLocks
from anaphora.storage.forks import register_fork_aware
from anaphora.storage.logical_clock import next_tick, to_microseconds, to_utc, utc_now
from anaphora.storage.sqlite.database import Database, Synchronous
from anaphora.storage.sqlite.loop_writers import AsyncWrite, LoopWriters
from anaphora.storage.sqlite.text_encoding import decode_text, encode_text
from anaphora.storage.sqlite.write_batches import WriteFunction
from anaphora.storage.waiting import IN_THREAD, Waiting, enter_blocking

__all__ = ["SqliteStore"]

_SWEEP_BATCH = 8  # expired rows deleted per write: more than are added
_LIST_BATCH = 1_000
_NEVER = 2**63 - 1
_MICROSECOND = timedelta(microseconds=1)

# Not WITHOUT ROWID: records are so long that they would overflow the pages of an index (measured:
# 3.3 KB a conversation instead of 1.3 for records of 1 KB). Names have no type, because they are
# texts or, with lone surrogates, bytes.
_SCHEMA = (
    (
        "CREATE TABLE conversations (id INTEGER PRIMARY KEY, tenant NOT NULL, user NOT NULL, "
        "model NOT NULL, record BLOB NOT NULL, expires INTEGER NOT NULL, "
        "UNIQUE (tenant, user, model))",
        "CREATE INDEX conversations_by_expiry ON conversations (expires)",
        "CREATE TABLE notes (id INTEGER PRIMARY KEY, shelf NOT NULL, name NOT NULL, "
        "text NOT NULL, expires INTEGER NOT NULL, UNIQUE (shelf, name))",
        "CREATE INDEX notes_by_expiry ON notes (expires)",
    ),
    (
        # The largest clock of all commits.
        "CREATE TABLE clock (id INTEGER PRIMARY KEY, latest INTEGER NOT NULL)",
        "INSERT INTO clock (id, latest) VALUES (1, 0)",
    ),
    (
        # Unchanged copies of unreadable records, until they would have expired.
        "CREATE TABLE quarantine (id INTEGER PRIMARY KEY, tenant, user, model, record, "
        "expires INTEGER NOT NULL, reason NOT NULL)",
        "CREATE INDEX quarantine_by_expiry ON quarantine (expires)",
    ),
    (
        # When each was moved there; for older ones, the time of this migration.
        "ALTER TABLE quarantine ADD COLUMN at INTEGER NOT NULL DEFAULT 0",
        "UPDATE quarantine SET at = CAST(strftime('%s', 'now') AS INTEGER) * 1000000",
    ),
)

_FIND = "SELECT id, record, expires FROM conversations WHERE tenant = ? AND user = ? AND model = ?"
# One row, whether the conversation exists or not.
_OPEN = (
    "SELECT latest, c.id, record, expires FROM clock LEFT JOIN conversations c "
    "ON tenant = ? AND user = ? AND model = ?"
)
_ADVANCE = "UPDATE clock SET latest = max(latest, ?)"
_ADD = "INSERT INTO conversations (tenant, user, model, record, expires) VALUES (?, ?, ?, ?, ?)"
_CHANGE = "UPDATE conversations SET record = ?, expires = ? WHERE id = ?"
_DROP = "DELETE FROM conversations WHERE id = ?"
_DROP_OF_KEY = "DELETE FROM conversations WHERE tenant = ? AND user = ? AND model = ?"
_LIST = (
    "SELECT id, tenant, user, model FROM conversations WHERE id > ? AND expires >= ? "
    f"ORDER BY id LIMIT {_LIST_BATCH}"
)
_SWEEP = tuple(
    f"DELETE FROM {table} WHERE id IN (SELECT id FROM {table} WHERE expires < ? "
    f"ORDER BY expires LIMIT {_SWEEP_BATCH})"
    for table in ("conversations", "notes", "quarantine")
)


class SqliteStore(Store):
    """Stores conversations in the SQLite file at ``path``, which is created private to its owner;
    its folder must exist. The file ``<path>-turns`` beside it holds the locks between processes.

    With ``synchronous`` "full" a committed answer survives a power cut; with "normal" it survives
    the death of a process, and a power cut may lose the last commits. ``clock`` returns the time,
    with a time zone, by which conversations expire; ``wait`` is how many seconds a question waits
    for the lock. After a fork, the child can use the store, but not the conversations that are
    open in its parent. See :class:`~anaphora.stm.stores.store.Store` for the methods.

    Raises :class:`StoreError` if the file cannot be used.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        clock: Callable[[], datetime] = utc_now,
        wait: float = 60.0,
        synchronous: Synchronous = "full",
    ) -> None:
        if synchronous not in get_args(Synchronous):
            raise StoreError(f"synchronous is full or normal, not '{synchronous}'")
        self._path = Path(os.path.realpath(path))
        self._clock, self._wait = clock, wait
        self._thread_locks = ConversationLocks(wait)
        lock_path = self._path.with_name(f"{self._path.name}-turns")
        self._process_locks = ByteRangeLocks(lock_path, permissions_of=self._path)
        self._database = Database(self._path, schema=_SCHEMA, synchronous=synchronous)
        self._loop_writers = LoopWriters(self._database)
        register_fork_aware(self)  # no SQLite connection may be used across a fork
        try:
            self._database.open(self._process_locks, wait=self._wait)
        except BaseException:
            self.close()
            raise
        finalize(self, _close, self._database, self._process_locks)

    def open(self, key: ConversationKey, timeout: timedelta) -> AbstractContextManager[Session]:
        return enter_blocking(self._hold(key, timeout, IN_THREAD, self._write_in_thread))

    async def _write_in_thread(self, work: WriteFunction) -> None:
        self._database.write(work)

    @asynccontextmanager
    async def _hold(
        self, key: ConversationKey, timeout: timedelta, waiting: Waiting, write: AsyncWrite
    ) -> AsyncIterator[Session]:
        """Hold a conversation from reading it to storing it, in a thread or in an event loop."""
        async with self._lock_conversation(key, waiting) as locks:
            clock, row = self._clock_and_row(key)
            reasons: list[str] = []
            conversation = self._load(row, key, reasons.append)
            if row is not None and reasons:
                await waiting.call(partial(self.quarantine.put, row.id, reasons[0], key))
                row = self._row(key)  # none, if it is in quarantine now
            session = Session(conversation or Conversation.empty(key), clock)
            yield session
            if session.committed is not None:
                if locks is not self._thread_locks:
                    raise forked_error(key)
                await write(self._replacing(key, row, session.committed, timeout))

    @asynccontextmanager
    async def _lock_conversation(
        self, key: ConversationKey, waiting: Waiting
    ) -> AsyncIterator[ConversationLocks]:
        """Lock a conversation among the threads and processes that share the file."""
        locks, offset = self._thread_locks, _lock_offset(key)
        deadline = time.monotonic() + self._wait
        lock = await locks.acquire_as(waiting, key)
        try:
            left = deadline - time.monotonic()
            if not await self._process_locks.acquire_as(waiting, offset, wait=left):
                raise busy_error(key, self._wait)
            try:
                yield locks
            finally:
                if locks is self._thread_locks:
                    self._process_locks.release(offset)
        finally:
            if locks is self._thread_locks:
                locks.release(key, lock)

    @property
    def asynchronous(self) -> AsyncSqliteStore:
        """The side for event loops."""
        return AsyncSqliteStore(self._hold, self._loop_writers.write, self.get_note)

    def peek(self, key: ConversationKey) -> Conversation | None:
        return self._load(self._row(key), key)

    @contextmanager
    def hold_and_forget(self, key: ConversationKey) -> Iterator[int]:
        with enter_blocking(self._lock_conversation(key, IN_THREAD)) as locks:
            clock, _ = self._clock_and_row(key)
            yield clock
            if locks is not self._thread_locks:
                raise forked_error(key)
            columns = _key_columns(key)

            def drop(connection: Connection) -> None:
                connection.execute(_DROP_OF_KEY, columns)
                forget_key(connection, key)
                connection.execute(_ADVANCE, (clock,))

            self._database.write(drop)

    def keys(self) -> Iterator[ConversationKey]:
        now, last = self._now(), 0
        while rows := self._database.read(_LIST, (last, now)):
            for id, *names in rows:
                try:
                    tenant, user, model = map(decode_text, names)
                except (AttributeError, UnicodeDecodeError) as error:
                    self.quarantine.put(id, f"{DAMAGED_NAME}: {error}")
                else:
                    yield ConversationKey(user, model, tenant)
            last = rows[-1][0]

    def get_note(self, namespace: str, name: str) -> str | None:
        found = self._database.read(
            "SELECT text FROM notes WHERE shelf = ? AND name = ? AND expires >= ?",
            (encode_text(namespace), encode_text(name), self._now()),
        )
        return decode_text(found[0][0]) if found else None

    def list_notes(self, namespace: str) -> Mapping[str, str]:
        found = self._database.read(
            "SELECT name, text FROM notes WHERE shelf = ? AND expires >= ?",
            (encode_text(namespace), self._now()),
        )
        return {decode_text(name): decode_text(text) for name, text in found}

    def put_note(self, namespace: str, name: str, text: str, ttl: timedelta) -> None:
        shelf, now = encode_text(namespace), self._now()
        values = (shelf, encode_text(name), encode_text(text))

        def put(connection: Connection) -> None:
            connection.execute("DELETE FROM notes WHERE shelf = ? AND expires < ?", (shelf, now))
            # All notes of a namespace expire with the last of them.
            (longest,) = connection.execute(
                "SELECT max(expires) FROM notes WHERE shelf = ?", (shelf,)
            ).fetchone()
            expires = max(_add_saturating(now, ttl), longest or 0)
            connection.execute("UPDATE notes SET expires = ? WHERE shelf = ?", (expires, shelf))
            connection.execute(
                "INSERT OR REPLACE INTO notes (shelf, name, text, expires) VALUES (?, ?, ?, ?)",
                (*values, expires),
            )
            _sweep(connection, now)

        self._database.write(put)

    def delete_note(self, namespace: str, name: str) -> None:
        values = (encode_text(namespace), encode_text(name))
        drop = "DELETE FROM notes WHERE shelf = ? AND name = ?"
        self._database.write(lambda connection: connection.execute(drop, values))

    def scrub(self, user: str, tenant: str = "") -> None:
        now = self._now()

        def drop(connection: Connection) -> None:
            for table in ("conversations", "notes", "quarantine"):
                connection.execute(f"DELETE FROM {table} WHERE expires < ?", (now,))
            erase_user(connection, user, tenant)

        self._database.write(drop)
        self._database.scrub()

    @property
    def quarantine(self) -> SqliteQuarantine:
        """The records that were moved aside because they cannot be read."""
        return SqliteQuarantine(self._database, self._now, self.open)

    def ping(self) -> None:
        self._database.ping()
        self._process_locks.check()

    def close(self) -> None:
        _close(self._database, self._process_locks)
        self._loop_writers.close()

    def before_fork(self) -> None:
        self._database.pause()
        self._process_locks.pause()

    def after_fork(self) -> None:
        self._process_locks.resume()
        self._database.resume()

    def after_fork_in_child(self) -> None:
        """Resume without the locks that threads of the parent hold."""
        self._thread_locks = ConversationLocks(self._wait)
        self._process_locks.resume_in_child()
        self._database.resume_in_child()
        self._loop_writers = LoopWriters(self._database)

    def _row(self, key: ConversationKey) -> _Row | None:
        rows = self._database.read(_FIND, _key_columns(key))
        return _Row(*rows[0]) if rows else None

    def _clock_and_row(self, key: ConversationKey) -> tuple[int, _Row | None]:
        """Return the clock of a session, and the row of the conversation if there is one."""
        ((clock, id, record, expires),) = self._database.read(_OPEN, _key_columns(key))
        return next_tick(self._now(), clock), None if id is None else _Row(id, record, expires)

    def _load(
        self,
        row: _Row | None,
        key: ConversationKey,
        quarantine: Callable[[str], None] | None = None,
    ) -> Conversation | None:
        """Load the conversation of a row; None if it has expired. If it cannot be read,
        ``quarantine`` gets the reason."""
        if row is None or row.expired(self._now()):
            return None
        record = row.record if isinstance(row.record, bytes) else b""
        return load_or_reset(record, key, quarantine)

    def _replacing(
        self,
        key: ConversationKey,
        found: _Row | None,
        conversation: Conversation,
        timeout: timedelta,
    ) -> WriteFunction:
        """What replaces the row that was found by the conversation."""
        now = self._now()
        expires, columns = _add_saturating(now, timeout), _key_columns(key)
        record = None if conversation.is_empty else dump(conversation)

        def keep(connection: Connection) -> None:
            row = connection.execute(_FIND, columns).fetchone()
            _check_unchanged(key, found, row, now)
            if record is not None and row is not None:
                connection.execute(_CHANGE, (record, expires, row[0]))
            elif record is not None:
                connection.execute(_ADD, (*columns, record, expires))
            elif row is not None:
                connection.execute(_DROP, (row[0],))
            connection.execute(_ADVANCE, (conversation.clock,))
            _sweep(connection, now)

        return keep

    def _now(self) -> int:
        """Return the time in microseconds since 1970."""
        return to_microseconds(to_utc(self._clock()))


class _Row(NamedTuple):
    """A row of the conversations. In a damaged file its values can have any type."""

    id: int
    record: Any
    expires: Any

    def expired(self, now: int) -> bool:
        return isinstance(self.expires, int) and self.expires < now


def _check_unchanged(
    key: ConversationKey, found: _Row | None, row: tuple[Any, ...] | None, now: int
) -> None:
    """Raise :class:`Conflict` if the conversation was written since it was read, which happens
    only if the locks failed (somebody deleted their file)."""
    before, there = found and found.record, row and row[1]
    swept = row is None and found is not None and found.expired(now)
    if before != there and not swept:
        raise Conflict(
            f"the conversation of {key.user!r} with '{key.model}' was changed by another process "
            "while it was being answered"
        )


def _sweep(connection: Connection, now: int) -> None:
    """Delete some expired rows."""
    for sweep in _SWEEP:
        connection.execute(sweep, (now,))


def _key_columns(key: ConversationKey) -> tuple[str | bytes, ...]:
    return encode_text(key.tenant), encode_text(key.user), encode_text(key.model)


def _add_saturating(now: int, timeout: timedelta) -> int:
    return min(now + timeout // _MICROSECOND, _NEVER)


def _lock_offset(key: ConversationKey) -> int:
    """Return the offset of the lock of a conversation, below 2**61."""
    names = "".join(f"{len(part)}:{part}" for part in key).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(names, digest_size=8).digest(), "big") >> 3


def _close(database: Database, locks: ByteRangeLocks) -> None:
    database.close()
    locks.close()
