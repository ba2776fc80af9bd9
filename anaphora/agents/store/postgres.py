"""A store of agents in PostgreSQL, shared by processes on many machines.

Names are bytes (UTF-8 with lone surrogates), because text in PostgreSQL cannot contain NUL. The
``place`` of an agent is a digest that identifies its row.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from anaphora.agents.state.records import Record, dump_record, event_of
from anaphora.agents.state.state import AgentState, replay
from anaphora.agents.store.snapshots import (
    SNAPSHOT_INTERVAL,
    dump_state,
    load_state,
    numbered_records,
)
from anaphora.agents.store.store import AgentKey, AgentStore
from anaphora.errors import Conflict, StoreError
from anaphora.stm.stores.locks import ConversationLocks
from anaphora.storage.forks import ForkAware, fork_safe_lock, register_fork_aware
from anaphora.storage.postgres.connection import ConnectionPool
from anaphora.storage.postgres.schema import check_schema_name, upgrade_tables
from anaphora.storage.postgres.text_encoding import decode_text, encode_text, names_digest

if TYPE_CHECKING:
    from anaphora.storage.postgres.connection import Transaction

__all__ = ["PostgresAgentStore"]

_FIRST_PAUSE, _LONGEST_PAUSE = 0.005, 0.1  # seconds between attempts to lock
# User data is kept out of the statistics of the query planner (SET STATISTICS 0), where an erased
# word would remain until the next ANALYZE.
_MIGRATIONS = (
    """
    CREATE TABLE agents_format (version integer NOT NULL);
    INSERT INTO agents_format VALUES (0);

    CREATE TABLE agents (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        place bytea NOT NULL UNIQUE,
        tenant bytea NOT NULL,
        name bytea NOT NULL,
        agent bytea NOT NULL,
        number bigint NOT NULL,                    -- of the last record
        snapshot_number bigint NOT NULL DEFAULT 0, -- of the last record in the snapshot
        snapshot bytea
    ) WITH (fillfactor = 70);
    CREATE INDEX ON agents (tenant, name);

    CREATE TABLE log (
        owner bigint NOT NULL,
        number bigint NOT NULL,
        event bytea NOT NULL,
        record bytea NOT NULL,
        PRIMARY KEY (owner, number)
    );
    CREATE INDEX ON log (owner, event) WHERE event <> '';

    ALTER TABLE agents ALTER COLUMN tenant SET STATISTICS 0, ALTER COLUMN name SET STATISTICS 0,
        ALTER COLUMN agent SET STATISTICS 0, ALTER COLUMN snapshot SET STATISTICS 0;
    ALTER TABLE log ALTER COLUMN event SET STATISTICS 0, ALTER COLUMN record SET STATISTICS 0;
    """,
)
_LOG_OF_AGENT = "FROM log JOIN agents ON log.owner = agents.id WHERE place = %s"


class PostgresAgentStore(AgentStore, ForkAware):
    """Stores agents in the database at ``url``, in a ``schema`` of its own, which is created on
    first use.

    ``wait`` is how many seconds an event waits for the lock of its agent. The locks are advisory
    locks of one connection that is kept open, so the server frees those of a process that dies; a
    pooler between must not share connections among transactions. If that connection is lost, its
    agents are unlocked: of two processes that go on with one agent, the second to write gets a
    :class:`Conflict`. An unresponsive server is given up after ``server_timeout`` seconds.

    Erased data is gone for every reader at once; PostgreSQL may keep its bytes on disk until they
    are overwritten, in the write-ahead log until that is recycled, and in backups.

    Raises :class:`StoreError` for an invalid URL. The server is contacted on first use.
    """

    def __init__(
        self,
        url: str,
        *,
        schema: str = "anaphora_agents",
        wait: float = 60.0,
        server_timeout: float = 30.0,
        sleep: Callable[[float], None] = time.sleep,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        check_schema_name(schema)
        self._schema, self._wait, self._sleep, self._monotonic = schema, wait, sleep, monotonic
        self._pool = ConnectionPool(url, prepare=self._prepare, server_timeout=server_timeout)
        # Used by one thread at a time, this pool has one connection; it holds the locks.
        self._lock_pool = ConnectionPool(
            url, prepare=self._begin_session, server_timeout=server_timeout
        )
        self._lock_mutex = fork_safe_lock()
        self._thread_locks = ConversationLocks(wait)
        self._session = 0  # counts connections of the lock pool
        register_fork_aware(self)

    @contextmanager
    def lock(self, key: AgentKey) -> Iterator[None]:
        locks, id = self._thread_locks, self._lock_id(key)
        deadline = self._monotonic() + self._wait
        lock = locks.acquire(key)
        try:
            session = self._acquire(key, id, deadline)
            try:
                yield
            finally:
                if locks is self._thread_locks:  # not in a forked child
                    self._release(id, session)
        finally:
            if locks is self._thread_locks:
                locks.release(key, lock)

    def load(self, key: AgentKey) -> AgentState:
        rows = self._pool.query(
            "SELECT snapshot_number, snapshot, "
            "ARRAY(SELECT record FROM log WHERE owner = agents.id AND number > snapshot_number "
            "ORDER BY number) FROM agents WHERE place = %s",
            names_digest(*key),
        )
        if not rows:
            return AgentState()
        after, snapshot, records = rows[0]
        return replay(load_state(snapshot), numbered_records(enumerate(records, start=after + 1)))

    def append(self, key: AgentKey, records: Sequence[Record], state: AgentState) -> None:
        before = state.number - len(records)
        rows = [
            (number, encode_text(event_of(record)), dump_record(record))
            for number, record in enumerate(records, start=before + 1)
        ]
        is_due = state.number // SNAPSHOT_INTERVAL > before // SNAPSHOT_INTERVAL
        snapshot = dump_state(state) if is_due else None

        def write(transaction: Transaction) -> None:
            id = _find_or_create(transaction, key, before)
            if snapshot is None:
                transaction.execute("UPDATE agents SET number = %s WHERE id = %s", state.number, id)
            else:
                transaction.execute(
                    "UPDATE agents SET number = %s, snapshot_number = %s, snapshot = %s "
                    "WHERE id = %s",
                    *(state.number, state.number, snapshot, id),
                )
            transaction.execute_many(
                "INSERT INTO log (owner, number, event, record) VALUES (%s, %s, %s, %s)",
                [(id, *row) for row in rows],
            )

        self._pool.run(write)

    def records(
        self, key: AgentKey, *, after: int = 0, until: int | None = None
    ) -> Sequence[Record]:
        rows = self._pool.query(
            f"SELECT log.number, record {_LOG_OF_AGENT} AND log.number > %s AND log.number <= %s "
            "ORDER BY log.number",
            *(names_digest(*key), after, 2**62 if until is None else until),
        )
        return list(numbered_records(rows))

    def event_records(self, key: AgentKey, event: str) -> Sequence[Record]:
        if not event:
            return ()
        rows = self._pool.query(
            f"SELECT log.number, record {_LOG_OF_AGENT} AND event = %s AND event <> '' "
            "ORDER BY log.number",
            *(names_digest(*key), encode_text(event)),
        )
        return list(numbered_records(rows))

    def latest_events(self, key: AgentKey, limit: int) -> Sequence[str]:
        rows = self._pool.query(
            f"SELECT event {_LOG_OF_AGENT} AND event <> '' GROUP BY event "
            "ORDER BY min(log.number) DESC LIMIT %s",
            *(names_digest(*key), limit),
        )
        return [decode_text(event) for (event,) in reversed(rows)]

    def erase(self, user: str, tenant: str = "", *, agent: str | None = None) -> int:
        condition = "tenant = %s AND name = %s" + ("" if agent is None else " AND agent = %s")
        values = [encode_text(one) for one in (tenant, user, agent) if one is not None]

        def drop(transaction: Transaction) -> int:
            owners = transaction.fetch_all(
                f"DELETE FROM agents WHERE {condition} RETURNING id", *values
            )
            return transaction.execute(
                "DELETE FROM log WHERE owner = ANY(%s::bigint[])", [id for (id,) in owners]
            )

        erased = self._pool.run(drop)
        with suppress(StoreError):  # the server vacuums the tables later
            self._pool.run_outside_transaction(
                "VACUUM (SKIP_LOCKED) agents", "VACUUM (SKIP_LOCKED) log"
            )
        return erased

    def ping(self) -> None:
        self._pool.query("SELECT 1 FROM agents LIMIT 1")

    def close(self) -> None:
        self._pool.close()
        self._lock_pool.close()

    def after_fork_in_child(self) -> None:
        """Continue without the locks of the parent."""
        self._thread_locks = ConversationLocks(self._wait)

    # -- locks ---------------------------------------------------------------------------------

    def _acquire(self, key: AgentKey, id: int, deadline: float) -> int:
        """Take an advisory lock; return the session that has it."""
        pause = _FIRST_PAUSE
        while True:
            with self._lock_mutex:
                ((is_mine,),) = self._lock_pool.query("SELECT pg_try_advisory_lock(%s)", id)
                if is_mine:
                    return self._session
            left = deadline - self._monotonic()
            if left <= 0:
                raise Conflict(
                    f"the agent '{key.model}' has been answering another event of {key.user!r} "
                    f"for {self._wait:g} seconds"
                )
            self._sleep(min(pause, left))
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _release(self, id: int, session: int) -> None:
        """Release an advisory lock, unless it went with its session."""
        # If the server cannot be reached, its end of the connection goes, and the lock with it.
        with suppress(StoreError), self._lock_mutex:
            if session == self._session:
                self._lock_pool.query("SELECT pg_advisory_unlock(%s)", id)

    def _lock_id(self, key: AgentKey) -> int:
        """Return the number of an advisory lock; all schemas of a database share these."""
        digest = names_digest("agent", self._schema, *key)
        return int.from_bytes(digest[:8], "big", signed=True)

    def _begin_session(self, transaction: Transaction) -> None:
        self._session += 1

    # -- tables --------------------------------------------------------------------------------

    def _prepare(self, transaction: Transaction) -> None:
        """Prepare a new connection; create or migrate the tables if necessary."""
        schema = self._schema
        transaction.fetch_all(
            "SELECT set_config('search_path', quote_ident(%s::text), false)", schema
        )
        upgrade_tables(
            transaction,
            schema,
            format_table="agents_format",
            version=len(_MIGRATIONS),
            migrations_after=lambda version: _MIGRATIONS[version:],
        )


def _find_or_create(transaction: Transaction, key: AgentKey, expected: int) -> int:
    """Lock the row of an agent and return its id. Raises :class:`Conflict` if its log has another
    length than ``expected``: a lock was lost, or its user was erased meanwhile."""
    place = names_digest(*key)
    row = transaction.fetch_one("SELECT id, number FROM agents WHERE place = %s FOR UPDATE", place)
    if row is None and not expected:
        row = transaction.fetch_one(
            "INSERT INTO agents (place, tenant, name, agent, number) VALUES (%s, %s, %s, %s, 0) "
            "ON CONFLICT (place) DO NOTHING RETURNING id, number",
            *(place, encode_text(key.tenant), encode_text(key.user), encode_text(key.model)),
        )
    if row is None or row[1] != expected:
        raise Conflict(
            f"the agent '{key.model}' of {key.user!r} was changed or erased while it was answering"
        )
    return int(row[0])
