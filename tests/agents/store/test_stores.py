"""What every store of agents guarantees, in SQLite and in PostgreSQL."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from datetime import UTC, datetime

import pytest

from anaphora.agents.state.messages import Message
from anaphora.agents.state.records import (
    BlockChanged,
    EventBegun,
    EventEnded,
    MemoryChanged,
    MessageAdded,
    MessageSent,
    Record,
)
from anaphora.agents.state.state import AgentState, replay
from anaphora.agents.store.postgres import PostgresAgentStore
from anaphora.agents.store.sqlite import SqliteAgentStore
from anaphora.agents.store.store import AgentKey, AgentStore
from anaphora.agents.store.urls import open_agent_store
from anaphora.errors import Conflict, StoreError
from tests.support.forked_process import run_forked
from tests.support.postgres_server import PostgresServer, postgres_server  # noqa: F401 - a fixture
from tests.support.python_process import run_python

ANN, BEN = AgentKey("ann", "ada", ""), AgentKey("ben", "ada", "")
AT = datetime(2026, 1, 5, 9, tzinfo=UTC)


@pytest.fixture(params=["sqlite", "postgres"])
def open_store(request, tmp_path) -> Iterator[Callable[..., AgentStore]]:
    """Opens a store; each call gives another one of the same data."""
    with ExitStack() as opened:
        if request.param == "sqlite":

            def make(**options) -> AgentStore:
                return SqliteAgentStore(tmp_path / "agents.db", synchronous="normal", **options)

        else:
            server: PostgresServer = request.getfixturevalue("postgres_server")
            schema = server.schema()

            def make(**options) -> AgentStore:
                return PostgresAgentStore(server.url, schema=schema, **options)

        def open_one(**options) -> AgentStore:
            store = make(**options)
            opened.callback(store.close)
            return store

        yield open_one


@pytest.fixture
def store(open_store) -> AgentStore:
    return open_store()


def exchange(event: str, said: str = "Hi") -> list[Record]:
    return [
        EventBegun(event, "user_message", AT, 1),
        MessageAdded(Message("event", said, AT, event, name="user_message")),
        MessageSent(event, "Hello", AT),
        EventEnded(event, "done"),
    ]


def append(store: AgentStore, key: AgentKey, *records: Record) -> AgentState:
    state = replay(store.load(key), records)
    store.append(key, records, state)
    return state


def test_an_unknown_agent_has_an_empty_state(store):
    assert store.load(ANN) == AgentState()
    assert store.records(ANN) == []
    assert list(store.event_records(ANN, "1")) == []
    assert list(store.latest_events(ANN, 5)) == []


def test_the_state_is_the_fold_of_the_log(store):
    for n in range(100):  # more than one snapshot
        state = append(store, ANN, *exchange(str(n), f"message {n}"))
        assert store.load(ANN) == state
    assert replay(AgentState(), store.records(ANN)) == state
    assert state.number == 400
    append(store, BEN, *exchange("0"))
    assert store.load(ANN) == state


def test_records_can_be_read_by_number_and_by_event(store):
    append(store, ANN, *exchange("a"), BlockChanged("human", "Ann", AT))
    append(store, ANN, *exchange("b"))
    assert len(store.records(ANN)) == 9
    assert store.records(ANN, after=4, until=5) == [BlockChanged("human", "Ann", AT)]
    (added,) = store.records(ANN, after=6, until=7)
    assert isinstance(added, MessageAdded)
    assert added.message.number == 7
    assert [type(one) for one in store.event_records(ANN, "b")] == [
        EventBegun,
        MessageAdded,
        MessageSent,
        EventEnded,
    ]
    assert list(store.event_records(ANN, "")) == []
    assert list(store.latest_events(ANN, 1)) == ["b"]
    assert list(store.latest_events(ANN, 5)) == ["a", "b"]


def test_names_and_texts_are_arbitrary(store):
    key = AgentKey("än\0n\ud800", "a" * 3_000, "t'\"\\")
    event = "e\0\ud83d" * 400
    state = append(store, key, MemoryChanged("quest", {"a": [1, None, "\0"]}, 1))
    state = append(store, key, EventEnded("é\0", "failed", "\0"))
    assert store.load(key) == state
    with pytest.raises(UnicodeEncodeError):
        append(store, key, EventEnded(event, "done"))
    assert store.load(key) == state


def test_the_log_does_not_grow_behind_the_back_of_a_writer(open_store):
    one, other = open_store(), open_store()
    state = append(one, ANN, *exchange("a"))
    append(other, ANN, *exchange("b"))
    late = exchange("c")
    with pytest.raises(Conflict, match="was changed or erased"):
        one.append(ANN, late, replay(state, late))
    assert list(one.latest_events(ANN, 9)) == ["a", "b"]


def test_an_erased_agent_cannot_be_written_on(store):
    state = append(store, ANN, *exchange("a"))
    append(store, BEN, *exchange("a"))
    assert store.erase("ann") == 4
    more = exchange("b")
    with pytest.raises(Conflict):
        store.append(ANN, more, replay(state, more))
    assert store.load(ANN) == AgentState()
    assert store.load(BEN).number == 4
    append(store, ANN, *exchange("c"))
    assert store.load(ANN).number == 4


def test_erasure_keeps_other_agents_and_tenants(store):
    for key in (ANN, AgentKey("ann", "bea", ""), AgentKey("ann", "ada", "other")):
        append(store, key, *exchange("a"))
    assert store.erase("ann", agent="bea") == 4
    assert store.load(ANN).number == 4
    assert store.erase("ann", "other") == 4
    assert store.load(ANN).number == 4


def test_an_append_that_fails_leaves_nothing(store):
    state = append(store, ANN, *exchange("a"))
    records = exchange("b")
    broken = [*records, EventEnded("\ud800", "done")]
    with pytest.raises(UnicodeEncodeError):
        store.append(ANN, broken, replay(state, broken))
    assert store.load(ANN) == state
    store.append(ANN, records, replay(state, records))


def test_one_event_of_an_agent_at_a_time(open_store):
    one, other = open_store(), open_store(wait=0.05)
    with one.lock(ANN):
        with other.lock(BEN):
            pass
        with pytest.raises(Conflict, match=r"for 0\.05 seconds"), other.lock(ANN):
            pass
        with pytest.raises(Conflict), one.lock(ANN):
            pass
    with other.lock(ANN):
        pass


def test_many_threads_and_stores_append_in_turn(open_store):
    stores = [open_store() for _ in range(2)]

    def write(store: AgentStore, name: str) -> None:
        for n in range(20):
            with store.lock(ANN):
                append(store, ANN, *exchange(f"{name}-{n}"))

    threads = [
        threading.Thread(target=write, args=(store, f"{place}{number}"))
        for place, store in enumerate(stores)
        for number in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert stores[0].load(ANN).number == 6 * 20 * 4
    assert replay(AgentState(), stores[0].records(ANN)) == stores[1].load(ANN)


def test_a_fork_goes_on_without_the_locks_of_its_parent(store):
    append(store, ANN, *exchange("a"))
    with store.lock(ANN):

        def child() -> int:
            with store.lock(BEN):
                append(store, BEN, *exchange("b"))
            return store.load(ANN).number

        assert run_forked(child) == 4
        append(store, ANN, *exchange("c"))
    assert store.load(BEN).number == 4
    with store.lock(ANN):
        assert store.load(ANN).number == 8


def test_the_lock_of_a_killed_process_is_free(request, open_store, tmp_path):
    if "postgres" in request.node.name:
        store = open_store(wait=20.0)
        url = f"{store._pool.display_url}?schema={store._schema}"
    else:
        store = open_store(wait=20.0)
        url = f"sqlite:///{tmp_path / 'agents.db'}"
    script = """
        import sys
        from anaphora.agents.store.store import AgentKey
        from anaphora.agents.store.urls import open_agent_store
        with open_agent_store(sys.argv[1]).lock(AgentKey("ann", "ada", "")):
            print("locked", flush=True)
            sys.stdin.read()
    """
    with run_python(script, url) as process:
        assert process.stdout.readline() == "locked\n"
        process.kill()
        process.wait()
        with store.lock(ANN):
            assert store.load(ANN) == AgentState()


def test_a_url_names_the_store(tmp_path, postgres_server):  # noqa: F811
    for url in (
        f"sqlite:///{tmp_path / 'a.db'}",
        "memory:",
        f"{postgres_server.url}?schema={postgres_server.schema()}",
    ):
        store = open_agent_store(url)
        append(store, ANN, *exchange("a"))
        store.ping()
        store.close()
    with pytest.raises(StoreError, match="the URL of a store of agents is"):
        open_agent_store("redis://localhost")


def test_a_schema_of_another_program_is_left_alone(postgres_server):  # noqa: F811
    schema = postgres_server.schema()
    with postgres_server.client() as client:
        client.execute(f"CREATE SCHEMA {schema} CREATE TABLE theirs (a int)")
    store = PostgresAgentStore(postgres_server.url, schema=schema)
    with pytest.raises(StoreError, match="that of another program"):
        store.load(ANN)
    store.close()


def test_a_server_that_restarts_frees_the_locks_and_loses_nothing():
    from tests.support.postgres_server import with_pgvector

    with PostgresServer(with_pgvector()) as server:
        store = PostgresAgentStore(server.url)
        append(store, ANN, *exchange("a"))
        with store.lock(ANN):
            server.stop()
            with pytest.raises(StoreError):
                append(store, ANN, *exchange("b"))
            server.start()
        with store.lock(ANN):
            append(store, ANN, *exchange("c"))
        assert list(store.latest_events(ANN, 9)) == ["a", "c"]
        store.close()


def test_a_damaged_record_is_reported(tmp_path):
    import sqlite3

    store = SqliteAgentStore(tmp_path / "agents.db")
    append(store, ANN, *exchange("a"))
    with closing(sqlite3.connect(tmp_path / "agents.db")) as file, file:
        file.execute("UPDATE log SET record = x'7b7d' WHERE number = 2")
    with pytest.raises(StoreError, match="not a record of an agent"):
        store.load(ANN)
    store.close()
