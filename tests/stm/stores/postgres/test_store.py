"""The PostgreSQL store: what it costs, how long it keeps, and what it says of mistakes."""

from __future__ import annotations

import logging
import socket
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import timedelta

import pytest
from msgspec.structs import replace

from anaphora import Conversation, Engine, StoreError
from anaphora.ltm.history.working_history import HistorySettings
from anaphora.ltm.retrieval.postgres.store import PostgresRecallStore
from anaphora.stm.conversation import ConversationKey
from anaphora.stm.stores.postgres import store as store_module
from anaphora.stm.stores.postgres.store import PostgresStore
from anaphora.storage.postgres.connection import ConnectionPool
from tests.stm.stores.store_homes import ANN, BEN, TIMEOUT, count_up, noise, questions
from tests.support.pgbouncer import PgBouncer, pgbouncer_binary
from tests.support.postgres_server import PostgresServer, with_pgvector
from tests.support.real_server import wait_until

SECOND = 1_000_000


@pytest.fixture
def sent(monkeypatch) -> list[str]:
    """The functions and tables that the statements to the server name."""
    told: list[str] = []
    query = ConnectionPool.query

    def listen(pool, text, *values):
        told.append(text.partition("stm_")[2].partition("(")[0].partition(" ")[0])
        return query(pool, text, *values)

    monkeypatch.setattr(ConnectionPool, "query", listen)
    monkeypatch.setattr(store_module, "_COMMITS_PER_SWEEP", 1 << 60)
    return told


def test_a_question_costs_two_round_trips(store, sent):
    count_up(store, ANN)
    sent.clear()
    count_up(store, ANN)
    assert sent == ["acquire", "commit"]


def test_a_question_to_an_engine_costs_two(open_store, sent):
    with Engine("weather", store=open_store()) as engine:
        engine.ask("What is the weather in Tokyo?")
        sent.clear()
        engine.ask("And in Kyoto?")
        assert sent == ["acquire", "commit"]


def test_a_question_that_fails_costs_two_and_leaves_nothing(store, client, sent):
    with pytest.raises(ZeroDivisionError), store.open(ANN, TIMEOUT):
        raise ZeroDivisionError
    assert sent == ["acquire", "release"]
    assert client.execute("SELECT count(*) FROM stm_conversations").fetchone() == (0,)


def test_the_questions_of_a_dialog_touch_no_index(store, client):
    """So that the space of the old rows is reclaimed without VACUUM."""
    for key in (ANN, BEN):
        count_up(store, key)
    client.execute("UPDATE stm_conversations SET sweep_at = stm_sweep_at(expires + 60000000)")
    updates = "SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables WHERE relid = "
    updates += "'stm_conversations'::regclass"

    def count() -> tuple[int, int]:
        client.execute("SELECT pg_stat_clear_snapshot()")
        return client.execute(updates).fetchone()

    begin = count()
    for _ in range(40):
        for key in (ANN, BEN):
            with store.open(key, timedelta(minutes=6)) as session:
                session.commit(replace(session.conversation, data={"text": noise(500)}))
    store.close()  # sessions report what they did when they end
    wait_until(lambda: count()[0] >= begin[0] + 160)
    updated, hot = count()
    assert hot - begin[1] >= (updated - begin[0]) - 4  # the quarter of an hour may end meanwhile


def test_a_conversation_stays_a_second_longer_than_its_timeout(store, client):
    count_up(store, ANN)
    left = "SELECT expires - stm_now() FROM stm_conversations"
    assert 299 * SECOND < client.execute(left).fetchone()[0] <= 301 * SECOND
    client.execute("UPDATE stm_conversations SET expires = expires - 300000000")
    assert questions(store, ANN) == 1
    client.execute("UPDATE stm_conversations SET expires = expires - 2000000")
    assert store.peek(ANN) is None
    assert list(store.keys()) == []
    assert count_up(store, ANN) == 1


def test_what_has_expired_is_swept_by_the_questions_of_others(open_store, client, monkeypatch):
    monkeypatch.setattr(store_module, "_COMMITS_PER_SWEEP", 1)
    store = open_store()
    for number in range(20):
        count_up(store, ConversationKey(f"user {number}", "weather"))
    store.put_note("shelf", "name", "text", TIMEOUT)
    client.execute("UPDATE stm_conversations SET expires = 0, sweep_at = 0")
    client.execute("UPDATE stm_notes SET expires = 0, sweep_at = 0")
    with store.open(ANN, TIMEOUT):  # one that is being answered stays
        client.execute("UPDATE stm_conversations SET expires = 0, sweep_at = 0 WHERE name = 'ann'")
        count_up(store, BEN)
        names = client.execute("SELECT name FROM stm_conversations ORDER BY name").fetchall()
        assert names == [(b"ann",), (b"ben",)]
    assert client.execute("SELECT count(*) FROM stm_notes").fetchone() == (0,)


def test_of_a_conversation_that_was_forgotten_only_a_row_without_content_stays_for_a_while(
    store, client
):
    count_up(store, ANN)
    store.forget(ANN)
    row = client.execute("SELECT record, expires - stm_now() FROM stm_conversations").fetchone()
    assert row[0] is None
    assert row[1] <= 60 * SECOND
    store.scrub("ben")
    assert client.execute("SELECT count(*) FROM stm_conversations").fetchone() == (1,)
    store.scrub("ann")
    assert client.execute("SELECT count(*) FROM stm_conversations").fetchone() == (0,)


def test_a_user_is_not_erased_from_under_a_question(store):
    with store.open(ANN, TIMEOUT) as session:
        store.scrub("ann")
        session.commit(replace(session.conversation, questions=7))
    assert questions(store, ANN) == 7


def test_a_busy_conversation_remembers_only_so_many_commits(store, client):
    for _ in range(40):
        count_up(store, ANN)
    length = "SELECT length(commits) FROM stm_conversations"
    assert client.execute(length).fetchone() == (256,)
    client.execute("UPDATE stm_conversations SET committed_at = 0")
    count_up(store, ANN)
    assert client.execute(length).fetchone() == (8,)


def test_a_namespace_lives_as_long_as_the_longest_of_its_notes(store, client):
    store.put_note("models", "ann", "weather", timedelta(hours=1))
    store.put_note("models", "ben", "cafe", timedelta(minutes=1))
    (left,) = client.execute("SELECT expires - stm_now() FROM stm_notes").fetchone()
    assert 3_590 * SECOND < left <= 3_601 * SECOND
    store.put_note("models", "eve", "cafe", timedelta.max)
    assert store.list_notes("models") == {"ann": "weather", "ben": "cafe", "eve": "cafe"}
    for name in ("ben", "ann", "eve"):
        store.delete_note("models", name)
    assert client.execute("SELECT count(*) FROM stm_notes").fetchone() == (0,)


# -- schemas -----------------------------------------------------------------------------------


@pytest.mark.parametrize("conversations_first", [True, False])
def test_it_shares_a_schema_with_the_long_term_memory(postgres_server, schema, conversations_first):
    recall = PostgresRecallStore(postgres_server.url, settings=HistorySettings(), schema=schema)
    with closing(recall), closing(PostgresStore(postgres_server.url, schema=schema)) as store:
        for use in (store.ping, recall.ping)[:: 1 if conversations_first else -1]:
            use()
        assert count_up(store, ANN) == 1
        assert recall.clock() == 0


def test_stores_and_memories_that_come_first_together_create_one_schema_once(
    postgres_server, schema
):
    def come(number: int) -> int:
        if number % 2:
            store = PostgresStore(postgres_server.url, schema=schema)
            with closing(store):
                return count_up(store, ANN)
        recall = PostgresRecallStore(postgres_server.url, settings=HistorySettings(), schema=schema)
        with closing(recall):
            return recall.clock()

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(come, range(8))) == [0, 0, 0, 0, 1, 2, 3, 4]


def test_it_shares_a_schema_with_any_tables(postgres_server, client, schema):
    client.execute(f"CREATE SCHEMA {schema}; CREATE TABLE {schema}.conversations (name text)")
    with closing(PostgresStore(postgres_server.url, schema=schema)) as store:
        assert count_up(store, ANN) == 1


def test_a_schema_may_have_any_name(postgres_server, schema):
    odd = f'"; %s %Ünser {{schema}} {schema}'
    with closing(PostgresStore(postgres_server.url, schema=odd)) as store:
        assert (count_up(store, ANN), list(store.keys())) == (1, [ANN])
        store.scrub("ann")


def test_a_schema_of_a_later_version_is_rejected(open_store, client):
    open_store().ping()
    client.execute("UPDATE stm_format SET version = 99")
    with pytest.raises(StoreError, match=r"a later version .*99"):
        open_store().ping()


# -- mistakes ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "hint"),
    [
        (("/postgres", "/nowhere"), "create the database first"),
        (("postgres@", "nobody:s3cret@"), "check the user"),
    ],
)
def test_errors_of_the_server_come_with_a_hint_at_once(postgres_server, change, hint):
    url = change[1].join(postgres_server.url.rsplit(change[0], 1))
    with closing(PostgresStore(url, patience=3_600)) as store:
        with pytest.raises(StoreError, match=hint) as caught:
            count_up(store, ANN)
        assert postgres_server.host in str(caught.value)
        assert "s3cret" not in str(caught.value)


def test_a_wrong_password_is_told_at_once_and_never_shown():
    with PostgresServer(with_pgvector()) as server:
        with server.client() as client:
            client.execute("CREATE ROLE bot LOGIN PASSWORD 's3cret'")
        rules = server.folder / "data" / "pg_hba.conf"
        rules.write_text(f"host all bot all scram-sha-256\n{rules.read_text()}")
        server.restart()
        url = server.url.replace("postgres@", "bot:wr0ng@")
        with closing(PostgresStore(url, patience=3_600)) as store:
            with pytest.raises(StoreError, match="check the user and the password") as caught:
                count_up(store, ANN)
            assert "wr0ng" not in str(caught.value)


def test_a_server_that_is_not_there_is_told_at_once():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"postgresql://me:secret@127.0.0.1:{free.getsockname()[1]}/db"
        with closing(PostgresStore(url, patience=3_600)) as store:
            with pytest.raises(StoreError, match="it cannot be reached: does it run") as caught:
                count_up(store, ANN)
            assert "secret" not in str(caught.value)


def test_missing_privileges_are_explained(postgres_server, client, schema):
    name = f"guest_of_{schema}"
    client.execute(f"CREATE ROLE {name} LOGIN")
    url = postgres_server.url.replace("postgres@", f"{name}@")
    with (
        closing(PostgresStore(url, schema=schema)) as store,
        pytest.raises(StoreError, match="let it CREATE"),
    ):
        store.ping()
    client.execute(f"CREATE SCHEMA {schema} AUTHORIZATION {name}")  # its own schema is enough
    with closing(PostgresStore(url, schema=schema)) as store:
        assert count_up(store, ANN) == 1
        store.scrub("ann")


def test_a_user_needs_no_right_to_create_once_the_tables_exist(postgres_server, client, schema):
    with closing(PostgresStore(postgres_server.url, schema=schema)) as store:
        store.ping()
    name = f"bot_of_{schema}"
    client.execute(f"CREATE ROLE {name} LOGIN")
    client.execute(f"GRANT USAGE ON SCHEMA {schema} TO {name}")
    client.execute(
        f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {name}"
    )
    url = postgres_server.url.replace("postgres@", f"{name}@")
    with closing(PostgresStore(url, schema=schema)) as store:
        store.ping()
        assert count_up(store, ANN) == 1
        store.put_note("models", "ann", "weather", TIMEOUT)
        store.scrub("ann")


def test_a_missing_client_is_explained(monkeypatch):
    for name in ("stm.stores.postgres.connection", "storage.postgres.connection"):
        monkeypatch.setitem(sys.modules, f"anaphora.{name}", None)
    with pytest.raises(StoreError, match=r"pip install 'anaphora\[postgres\]'"):
        PostgresStore("postgresql://host/db")
    with pytest.raises(StoreError, match=r"pip install 'anaphora\[postgres\]'"):
        Engine("weather", store="postgresql://host/db")


@pytest.mark.parametrize("lease", [0, -1, 0.01, 10**6, float("nan"), float("inf")])
def test_a_lease_of_no_use_is_refused(lease):
    with pytest.raises(StoreError, match="lease"):
        PostgresStore("postgresql://localhost", lease=lease)


def test_the_first_ping_warns_of_a_server_that_may_lose_conversations(store, caplog):
    with caplog.at_level(logging.WARNING):
        store.ping()
        store.ping()
    told = [record.getMessage() for record in caplog.records]
    assert len(told) == 2  # the server of the tests does not wait for its disk
    assert "this PostgreSQL may lose conversations: a crash of its machine may destroy all" in (
        " ".join(told)
    )


# -- poolers -----------------------------------------------------------------------------------


@pytest.mark.skipif(pgbouncer_binary() is None, reason="needs pgbouncer: apt install pgbouncer")
def test_a_pooler_may_give_each_transaction_another_session(postgres_server, schema):
    with PgBouncer(postgres_server) as pooler:
        stores = [PostgresStore(pooler.url, schema=schema, lease=1) for _ in range(3)]
        for number in range(60):
            store = stores[number % 3]
            with store.open(ANN, TIMEOUT) as session:
                assert count_up(store, BEN) == number + 1
                asked = session.conversation.questions + 1
                session.commit(replace(session.conversation, questions=asked))
        assert {questions(store, ANN) for store in stores} == {60}
        stores[0].put_note("models", "ann", "weather", TIMEOUT)
        assert stores[1].list_notes("models") == {"ann": "weather"}
        with postgres_server.client() as client:
            sessions = client.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'pooled'"
            ).fetchone()
        assert sessions[0] <= 2
        pooler.restart()
        assert count_up(stores[0], ANN) == 61
        stores[0].scrub("ann")
        with stores[1].open(ANN, TIMEOUT) as session:
            session.commit(Conversation.empty(ANN))
        for store in stores:
            store.close()
