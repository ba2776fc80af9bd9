"""Connections, error messages and schemas of the recall store in PostgreSQL."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager

import psycopg
import pytest

from anaphora import StoreError
from anaphora.ltm.retrieval.postgres.store import PostgresRecallStore
from anaphora.ltm.retrieval.store import JournalPosition
from tests.ltm.retrieval.postgres.database import SETTINGS, opened
from tests.ltm.retrieval.store_contract import (
    ANN,
    OF_ANN,
    add_exchanges,
    listed,
    make_new_exchange,
    questions,
)
from tests.support.real_server import WAIT_LIMIT, wait_until


def test_a_restarted_server_is_reconnected(server):
    with opened(server) as store:
        store.add([make_new_exchange(ANN, "before")])
        server.restart()
        store.add([make_new_exchange(ANN, "after")])
        server.kill()
        server.start()
        assert questions(store.latest(ANN, 9)) == ["after", "before"]


def test_an_unreachable_server_is_named_and_reconnected_later(server):
    url = server.url.replace("postgres@", "postgres:s3cret@")
    with closing(PostgresRecallStore(url, settings=SETTINGS)) as store:
        store.add([make_new_exchange(ANN, "before")])
        server.stop()
        for use in (
            store.ping,
            lambda: store.latest(ANN, 9),
            lambda: store.add([make_new_exchange(ANN, "x")]),
        ):
            with pytest.raises(StoreError, match=f"{server.host}.*does it run") as caught:
                use()
            assert "s3cret" not in str(caught.value)
        server.start()
        store.ping()
        assert questions(store.latest(ANN, 9)) == ["before"]


def test_terminated_connections_are_replaced(postgres_server, schema, store):
    store.add([make_new_exchange(ANN, "before")])
    for _ in range(3):
        with postgres_server.client() as client:
            cut = client.execute(
                "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity "
                "WHERE application_name = 'anaphora'"
            ).fetchall()
        assert cut
        store.add([make_new_exchange(ANN, "after")])
    assert len(store.latest(ANN, 9)) == 4


def test_a_connection_terminated_during_a_transaction_changes_nothing(postgres_server, schema):
    with (
        opened(postgres_server, schema=schema) as store,
        postgres_server.client() as client,
        ThreadPoolExecutor(1) as pool,
    ):
        store.add([make_new_exchange(ANN, "before")])
        with locked(client, schema):
            adding = pool.submit(
                store.add, [make_new_exchange(ANN, "lost")], mark=JournalPosition("log", 1)
            )
            with postgres_server.client() as another:
                wait_until(lambda: cut_who_waits(another, schema))
            with pytest.raises(StoreError, match=r"restarting or stopping|cannot be reached"):
                adding.result(WAIT_LIMIT)
        store.add([make_new_exchange(ANN, "after")])
        assert questions(store.latest(ANN, 9)) == ["after", "before"]
        assert store.journal_position("log") == 0


def test_waiting_for_a_lock_times_out(postgres_server, schema):
    with (
        opened(postgres_server, schema=schema, server_timeout=0.3) as store,
        postgres_server.client() as client,
    ):
        store.add([make_new_exchange(ANN, "before")])
        with locked(client, schema), pytest.raises(StoreError, match="too long"):
            store.add([make_new_exchange(ANN, "never")])
        assert questions(store.latest(ANN, 9)) == ["before"]


def test_waiting_for_a_silent_server_times_out(server):
    with opened(server, server_timeout=0.5) as store, server.client() as client:
        store.ping()
        ((process,),) = client.execute(
            "SELECT pid FROM pg_stat_activity WHERE application_name = 'anaphora'"
        ).fetchall()
        os.kill(process, signal.SIGSTOP)
        try:
            with pytest.raises(StoreError, match=server.host):
                store.ping()
            store.ping()  # on another connection
        finally:
            os.kill(process, signal.SIGCONT)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ann:s3cret@host:port/db",
        "postgresql://ann:s3cret@host/db?no_such_option=1",
        "postgresql://ann:s3cr/et@host/db",
        "postgresql://ann:123/s3cret@host/db",
        "mysql://ann:s3cret@host/db",
        "s3cret",
    ],
)
def test_an_invalid_url_is_rejected_without_its_password(url):
    with pytest.raises(StoreError, match="write postgresql://") as caught:
        PostgresRecallStore(url, settings=SETTINGS)
    assert "s3cret" not in str(caught.value)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    ("change", "hint"),
    [
        (("/postgres", "/nowhere"), "create the database first"),
        (("postgres@", "nobody:s3cret@"), "check the user"),
    ],
)
def test_server_errors_come_with_a_hint(postgres_server, change, hint):
    url = change[1].join(postgres_server.url.rsplit(change[0], 1))
    with closing(PostgresRecallStore(url, settings=SETTINGS)) as store:
        with pytest.raises(StoreError, match=hint) as caught:
            store.ping()
        assert "s3cret" not in str(caught.value)


def test_missing_privileges_are_explained(postgres_server, schema):
    name = f"guest_of_{schema}"
    with postgres_server.client() as client:
        client.execute(f"CREATE ROLE {name} LOGIN")
    url = postgres_server.url.replace("postgres@", f"{name}@")
    with (
        closing(PostgresRecallStore(url, settings=SETTINGS, schema=schema)) as store,
        pytest.raises(StoreError, match="let it CREATE"),
    ):
        store.ping()
    with postgres_server.client() as client:  # its own schema is enough; pgvector needs more
        client.execute(f"CREATE SCHEMA {schema} AUTHORIZATION {name}")
    with closing(PostgresRecallStore(url, settings=SETTINGS, schema=schema)) as store:
        assert add_exchanges(store, ANN, "hello")


def test_a_missing_client_is_explained(monkeypatch):
    monkeypatch.setitem(sys.modules, "anaphora.storage.postgres.connection", None)
    with pytest.raises(StoreError, match=r"pip install 'anaphora\[postgres\]'"):
        PostgresRecallStore("postgresql://host/db", settings=SETTINGS)


@pytest.mark.parametrize("name", ["", "a\0b", "x" * 64])
def test_invalid_schema_names_are_rejected(name):
    with pytest.raises(StoreError, match="1 to 63 bytes"):
        PostgresRecallStore("postgresql://host/db", settings=SETTINGS, schema=name)


def test_a_schema_may_have_any_name(postgres_server, schema):
    with opened(postgres_server, schema=f'"; Ünser {schema}') as store:
        assert add_exchanges(store, ANN, "hello")
        assert listed(store, OF_ANN) == ["hello"]


def test_the_schema_of_another_program_is_rejected(postgres_server, schema):
    with postgres_server.client() as client:
        client.execute(f"CREATE SCHEMA {schema}; CREATE TABLE {schema}.users (name text)")
    with (
        opened(postgres_server, schema=schema) as store,
        pytest.raises(StoreError, match="another program"),
    ):
        store.ping()


def test_a_schema_of_a_later_version_is_rejected(postgres_server, schema, store):
    store.ping()
    with postgres_server.client() as client:
        client.execute(f"UPDATE {schema}.format SET version = 99")
    with (
        opened(postgres_server, schema=schema) as later,
        pytest.raises(StoreError, match=r"a later version .*99"),
    ):
        later.ping()


def test_dropped_tables_give_a_clear_error(postgres_server, schema, store):
    store.add([make_new_exchange(ANN, "hello")])
    with postgres_server.client() as client:
        client.execute(f"DROP SCHEMA {schema} CASCADE")
    with pytest.raises(StoreError, match="were they dropped"):
        store.latest(ANN, 9)
    store.add([make_new_exchange(ANN, "anew")])
    assert questions(store.latest(ANN, 9)) == ["anew"]


@contextmanager
def locked(client: psycopg.Connection, schema: str) -> Iterator[None]:
    """As long as it lasts, nobody else may change what is kept of a user."""
    with client.transaction(force_rollback=True):
        client.execute(f"SELECT FROM {schema}.users FOR UPDATE")
        yield


def cut_who_waits(client: psycopg.Connection, schema: str) -> bool:
    """Cut the connection that waits for a lock in the schema; whether there was one."""
    return bool(
        client.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_locks JOIN pg_class ON relation = "
            "pg_class.oid JOIN pg_stat_activity USING (pid) WHERE wait_event_type = 'Lock' "
            "AND relnamespace = %s::regnamespace LIMIT 1",
            (schema,),
        ).fetchall()
    )
