"""A store of agents in one SQLite file, shared by the processes of one machine."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from sqlite3 import Connection
from weakref import finalize

from anaphora.agents.state.records import Record, dump_record, event_of
from anaphora.agents.state.state import AgentState, replay
from anaphora.agents.store.snapshots import (
    SNAPSHOT_INTERVAL,
    dump_state,
    load_state,
    numbered_records,
)
from anaphora.agents.store.store import AgentKey, AgentStore
from anaphora.errors import Conflict
from anaphora.stm.stores.locks import ConversationLocks
from anaphora.storage.byte_range_locks import ByteRangeLocks
from anaphora.storage.forks import register_fork_aware
from anaphora.storage.sqlite.applications import AGENTS
from anaphora.storage.sqlite.database import Database, Synchronous
from anaphora.storage.sqlite.text_encoding import decode_text, encode_text

__all__ = ["SqliteAgentStore"]

_SCHEMA = (
    (
        "CREATE TABLE agents (id INTEGER PRIMARY KEY, tenant NOT NULL, user NOT NULL, "
        "agent NOT NULL, number INTEGER NOT NULL, snapshot BLOB, "
        "UNIQUE (tenant, user, agent))",
        "CREATE TABLE log (owner INTEGER NOT NULL, number INTEGER NOT NULL, event NOT NULL, "
        "record BLOB NOT NULL, PRIMARY KEY (owner, number))",
        "CREATE INDEX log_by_event ON log (owner, event) WHERE event <> ''",
    ),
)
_KEY = "tenant = ? AND user = ? AND agent = ?"


class SqliteAgentStore(AgentStore):
    """Stores agents in the SQLite file at ``path``, which is created private to its owner; its
    folder must exist. The file ``<path>-turns`` beside it holds the locks between processes.

    ``wait`` is how many seconds an event waits for the lock of its agent. ``synchronous``: see
    :class:`~anaphora.storage.sqlite.database.Database`. After a fork, the child can use the store,
    but not the agents that its parent has locked.

    Raises :class:`StoreError` if the file cannot be used.
    """

    def __init__(
        self, path: str | Path, *, wait: float = 60.0, synchronous: Synchronous = "full"
    ) -> None:
        self._path = Path(os.path.realpath(path))
        self._wait = wait
        self._thread_locks = ConversationLocks(wait)
        self._process_locks = ByteRangeLocks(
            self._path.with_name(f"{self._path.name}-turns"), permissions_of=self._path
        )
        self._database = Database(
            self._path,
            schema=_SCHEMA,
            synchronous=synchronous,
            application=AGENTS,
            holds="agents",
        )
        register_fork_aware(self)
        try:
            self._database.open(self._process_locks, wait=wait)
        except BaseException:
            self.close()
            raise
        finalize(self, _close, self._database, self._process_locks)

    @contextmanager
    def lock(self, key: AgentKey) -> Iterator[None]:
        locks, offset = self._thread_locks, _lock_offset(key)
        deadline = time.monotonic() + self._wait
        lock = locks.acquire(key)
        try:
            if not self._process_locks.acquire(offset, wait=deadline - time.monotonic()):
                raise Conflict(
                    f"the agent '{key.model}' has been answering another event of {key.user!r} "
                    f"for {self._wait:g} seconds"
                )
            try:
                yield
            finally:
                if locks is self._thread_locks:  # not in a forked child
                    self._process_locks.release(offset)
        finally:
            if locks is self._thread_locks:
                locks.release(key, lock)

    def load(self, key: AgentKey) -> AgentState:
        with self._database.snapshot() as connection:
            row = connection.execute(
                f"SELECT id, snapshot FROM agents WHERE {_KEY}", _columns(key)
            ).fetchone()
            if row is None:
                return AgentState()
            state = load_state(row[1])
            rows = connection.execute(
                "SELECT number, record FROM log WHERE owner = ? AND number > ? ORDER BY number",
                (row[0], state.number),
            ).fetchall()
        return replay(state, numbered_records(rows))

    def append(self, key: AgentKey, records: Sequence[Record], state: AgentState) -> None:
        before = state.number - len(records)
        rows = [
            (number, encode_text(event_of(record)), dump_record(record))
            for number, record in enumerate(records, start=before + 1)
        ]
        is_due = state.number // SNAPSHOT_INTERVAL > before // SNAPSHOT_INTERVAL
        snapshot = dump_state(state) if is_due else None

        def write(connection: Connection) -> None:
            id = _find_or_create(connection, key, before)
            if snapshot is None:
                connection.execute("UPDATE agents SET number = ? WHERE id = ?", (state.number, id))
            else:
                connection.execute(
                    "UPDATE agents SET number = ?, snapshot = ? WHERE id = ?",
                    (state.number, snapshot, id),
                )
            connection.executemany(
                "INSERT INTO log (owner, number, event, record) VALUES (?, ?, ?, ?)",
                [(id, *row) for row in rows],
            )

        self._database.write(write)

    def records(
        self, key: AgentKey, *, after: int = 0, until: int | None = None
    ) -> Sequence[Record]:
        rows = self._database.read(
            "SELECT log.number, record FROM log JOIN agents ON log.owner = agents.id "
            f"WHERE {_KEY} AND log.number > ? AND log.number <= ? ORDER BY log.number",
            (*_columns(key), after, 2**62 if until is None else until),
        )
        return list(numbered_records(rows))

    def event_records(self, key: AgentKey, event: str) -> Sequence[Record]:
        if not event:
            return ()
        rows = self._database.read(
            "SELECT log.number, record FROM log JOIN agents ON log.owner = agents.id "
            f"WHERE {_KEY} AND event = ? ORDER BY log.number",
            (*_columns(key), encode_text(event)),
        )
        return list(numbered_records(rows))

    def latest_events(self, key: AgentKey, limit: int) -> Sequence[str]:
        rows = self._database.read(
            "SELECT event FROM log JOIN agents ON log.owner = agents.id "
            f"WHERE {_KEY} AND event <> '' GROUP BY event ORDER BY min(log.number) DESC LIMIT ?",
            (*_columns(key), limit),
        )
        return [decode_text(event) for (event,) in reversed(rows)]

    def erase(self, user: str, tenant: str = "", *, agent: str | None = None) -> int:
        condition = "tenant = ? AND user = ?" + ("" if agent is None else " AND agent = ?")
        values = [encode_text(one) for one in (tenant, user, agent) if one is not None]
        erased = 0

        def drop(connection: Connection) -> None:
            nonlocal erased
            erased = connection.execute(
                f"DELETE FROM log WHERE owner IN (SELECT id FROM agents WHERE {condition})", values
            ).rowcount
            connection.execute(f"DELETE FROM agents WHERE {condition}", values)

        self._database.write(drop)
        self._database.scrub()
        return erased

    def ping(self) -> None:
        self._database.ping()
        self._process_locks.check()

    def close(self) -> None:
        _close(self._database, self._process_locks)

    def before_fork(self) -> None:
        self._database.pause()
        self._process_locks.pause()

    def after_fork(self) -> None:
        self._process_locks.resume()
        self._database.resume()

    def after_fork_in_child(self) -> None:
        self._thread_locks = ConversationLocks(self._wait)
        self._process_locks.resume_in_child()
        self._database.resume_in_child()


def _find_or_create(connection: Connection, key: AgentKey, expected: int) -> int:
    """Return the row id of an agent. Raises :class:`Conflict` if its log has another length than
    ``expected``, which happens only if the locks failed, or if its user was erased meanwhile."""
    row = connection.execute(
        f"SELECT id, number FROM agents WHERE {_KEY}", _columns(key)
    ).fetchone()
    if (0 if row is None else row[1]) != expected:
        raise Conflict(
            f"the agent '{key.model}' of {key.user!r} was changed or erased while it was answering"
        )
    if row is not None:
        return int(row[0])
    added = connection.execute(
        "INSERT INTO agents (tenant, user, agent, number) VALUES (?, ?, ?, 0)", _columns(key)
    )
    assert added.lastrowid is not None
    return added.lastrowid


def _columns(key: AgentKey) -> tuple[str | bytes, ...]:
    return encode_text(key.tenant), encode_text(key.user), encode_text(key.model)


def _lock_offset(key: AgentKey) -> int:
    """Return the offset of the lock of an agent, below 2**61."""
    names = "".join(f"{len(part)}:{part}" for part in key).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(names, digest_size=8).digest(), "big") >> 3


def _close(database: Database, locks: ByteRangeLocks) -> None:
    database.close()
    locks.close()
