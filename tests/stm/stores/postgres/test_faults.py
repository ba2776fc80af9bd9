"""What a PostgreSQL server, its network and its data may suffer without a memory being lost."""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Iterator
from random import Random

import pytest
from msgspec.structs import replace

from anaphora import Conflict, StoreError, UnconfirmedError
from anaphora.stm.conversation import Conversation
from anaphora.stm.stores.postgres.store import PostgresStore
from benchmarks.faults.proxy import Proxy
from tests.stm.stores.redis.test_faults import Fire, ask_while
from tests.stm.stores.store_homes import ANN, BEN, TIMEOUT, count_up, questions
from tests.support.postgres_server import PostgresServer, with_pgvector
from tests.support.real_server import WAIT_LIMIT, wait_until

CUT = (
    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
    "WHERE application_name = 'anaphora'"
)


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    """A server that a test may harm."""
    with PostgresServer(with_pgvector()) as server:
        yield server


@pytest.fixture
def url(server) -> str:
    return f"{server.url}?schema={server.schema()}"


@pytest.fixture
def fire(server) -> Iterator[Fire]:
    schema = server.schema()
    stores = [
        PostgresStore(server.url, schema=schema, wait=60, patience=WAIT_LIMIT) for _ in range(3)
    ]
    for store in stores:  # a server that was never there is not waited for
        store.ping()
    yield Fire(stores)
    for store in stores:
        store.close()


def check_after_a_crash(fire: Fire, faults: int, what: str, capsys) -> None:
    """Nothing lost and nothing twice. A crash may take back locks, for which nobody waited; a
    question whose conversation then went to another one is told so."""
    conflicts = [error for error in fire.failed if isinstance(error, Conflict)]
    assert fire.failed == conflicts
    assert all("lost to another question" in str(error) for error in conflicts)
    assert len(conflicts) <= 2 * len(fire.stores) * faults
    assert fire.handled.total() - fire.answered.total() == len(conflicts)
    fire.failed, fire.handled = [], fire.answered
    fire.check(faults, f"{what} ({len(conflicts)} told of a lost lock)", capsys)


def test_a_server_that_is_restarted_under_fire_loses_nothing(server, fire, capsys):
    with fire.burning():
        for _ in range(2):
            fire.go_on(60)
            server.restart()
    fire.check(2, "restart under fire", capsys)


def test_a_server_that_is_killed_under_fire_loses_nothing(server, fire, capsys):
    with fire.burning():
        for _ in range(3):
            fire.go_on(60)
            server.kill()
            server.start()
    check_after_a_crash(fire, 3, "kill of the server under fire", capsys)


def test_a_process_of_the_server_that_is_killed_loses_nothing(server, fire, capsys):
    """By kill -9; the server then ends all others, and recovers."""
    with fire.burning():
        for _ in range(2):
            fire.go_on(60)
            with server.client() as client:
                (victim,) = client.execute(
                    "SELECT pid FROM pg_stat_activity WHERE application_name = 'anaphora' LIMIT 1"
                ).fetchone()
            os.kill(victim, signal.SIGKILL)
            wait_until(server._is_up)
    check_after_a_crash(fire, 2, "kill -9 of a backend under fire", capsys)


def test_connections_that_are_cut_under_fire_lose_nothing(server, fire, capsys):
    random, cut = Random(5), 0
    with server.client() as client, fire.burning():
        for _ in range(20):
            fire.go_on(random.randrange(1, 20))
            cut += client.execute(CUT).fetchone()[0]
    fire.check(cut, "connections terminated under fire", capsys)


def test_lost_commits_and_lost_answers_lose_nothing_and_repeat_nothing(server, capsys):
    random, schema = Random(11), server.schema()
    with Proxy(server.port) as network:
        far = server.url.replace(str(server.port), str(network.port))
        stores = [PostgresStore(far, schema=schema, wait=60, patience=WAIT_LIMIT) for _ in "ab"]
        fire = Fire(stores)
        for store in stores:
            store.ping()
        with fire.burning():
            for _ in range(30):
                fire.go_on(random.randrange(1, 8))
                network.fault = random.choice(["answer lost", "commit lost"])
        fire.check(network.cuts, "lost commits and answers", capsys)
        assert network.cuts > 20
        for store in stores:
            store.close()


def test_a_commit_that_comes_late_again_is_kept_once_though_others_went_on(server):
    """The answer of the first one is lost; others go on; then it is repeated."""
    schema = server.schema()
    store, other = (PostgresStore(server.url, schema=schema) for _ in range(2))
    count_up(store, ANN)
    real, between = store._connection.query, []

    def lose_the_first_answer(statement, *values, **options):
        answer = real(statement, *values, **options)
        if "stm_commit" in statement and not between:
            between.extend(count_up(other, ANN) for _ in range(20))
            return real(statement, *values, **options)
        return answer

    store._connection.query = lose_the_first_answer
    assert count_up(store, ANN) == 2
    assert between == list(range(3, 23))
    assert questions(store, ANN) == 22
    for each in (store, other):
        each.close()


def test_a_server_that_restarts_while_a_handler_works_is_not_noticed(server, url):
    store = PostgresStore(server.url, schema=server.schema(), patience=WAIT_LIMIT)
    for expected in (1, 2):  # of a new conversation, and of one that is stored
        with store.open(ANN, TIMEOUT) as session:
            server.kill()
            server.start()
            session.commit(replace(session.conversation, questions=expected))
        assert questions(store, ANN) == expected
    store.close()


def test_a_crash_that_takes_a_lock_back_costs_no_answer(open_store, client):
    """To lock a conversation does not wait for the disk."""
    store, other = open_store(), open_store()
    count_up(store, ANN)
    forget_locks = "UPDATE stm_conversations SET holder = NULL, held_until = 0"
    with store.open(ANN, TIMEOUT) as session:
        client.execute(forget_locks)
        session.commit(replace(session.conversation, questions=7))
    assert questions(store, ANN) == 7

    def lose_it() -> None:
        client.execute(forget_locks)
        assert count_up(other, ANN) == 8

    with pytest.raises(Conflict, match="nothing was changed"):
        ask_while(store, lose_it)
    assert questions(store, ANN) == 8


def test_a_server_that_stays_away_fails_the_question_and_keeps_nothing_of_it(server):
    schema = server.schema()
    store = PostgresStore(server.url, schema=schema, patience=0.2, lease=0.5)
    count_up(store, ANN)
    with pytest.raises(UnconfirmedError, match="may be stored all the same"):
        ask_while(store, server.stop)
    server.start()
    assert questions(store, ANN) == 1
    assert count_up(store, ANN) == 2
    store.close()


def test_a_table_that_was_emptied_meanwhile_keeps_nothing_of_a_question_before(store, client):
    """Somebody else may have answered in between, as far as anyone can tell."""
    count_up(store, ANN)
    with pytest.raises(Conflict, match="nothing was changed"):
        ask_while(store, lambda: client.execute("DELETE FROM stm_conversations"))
    assert store.peek(ANN) is None


def test_tables_that_were_dropped_are_made_anew(store, client, schema):
    count_up(store, ANN)
    client.execute(f"DROP SCHEMA {schema} CASCADE")
    with pytest.raises(StoreError, match="dropped"):
        store.peek(ANN)
    assert count_up(store, ANN) == 1


def test_a_replica_is_told_from_a_primary(server, url):
    with server.client() as client:
        client.execute("CREATE ROLE reader LOGIN SUPERUSER")
        store = PostgresStore(server.url, schema=server.schema())
        count_up(store, ANN)
        client.execute("ALTER SYSTEM SET default_transaction_read_only = on")
        client.execute("SELECT pg_reload_conf()")
        client.execute(CUT)
        try:
            for use in (store.ping, lambda: count_up(store, ANN)):
                with pytest.raises(StoreError, match="it is a replica: name the primary"):
                    use()
            assert questions(store, ANN) == 1
        finally:
            client.execute("SET default_transaction_read_only = off")
            client.execute("ALTER SYSTEM RESET default_transaction_read_only")
            client.execute("SELECT pg_reload_conf()")
            client.execute(CUT)
        wait_until(lambda: _can_write(store))
        assert count_up(store, ANN) == 2
        store.close()


def _can_write(store: PostgresStore) -> bool:
    try:
        store.ping()
    except StoreError:
        return False
    return True


def test_a_row_that_another_program_holds_fails_the_question_in_time(store, client, monkeypatch):
    count_up(store, ANN)
    client.execute("ALTER FUNCTION stm_acquire SET lock_timeout = '50ms'")
    with client.transaction(force_rollback=True):
        client.execute("SELECT FROM stm_conversations FOR UPDATE")
        with pytest.raises(StoreError, match="another session held a lock for too long"):
            count_up(store, ANN)
    assert count_up(store, ANN) == 2


@pytest.mark.parametrize("record", [b"", b"{", b"\xff\x00", b"x\x9c\x00", b"[]", b'{"format": 2}'])
def test_a_conversation_whose_record_is_corrupt_begins_anew_and_the_rest_goes_on(
    store, client, caplog, record
):
    for key in (ANN, BEN):
        count_up(store, key)
    client.execute("UPDATE stm_conversations SET record = %s WHERE name = 'ann'", [record])
    with caplog.at_level(logging.ERROR):
        assert store.peek(ANN) == Conversation.empty(ANN)
        assert count_up(store, ANN) == 1
    assert {record.user for record in caplog.records} == {"ann"}
    assert set(store.keys()) == {ANN, BEN}
    assert (count_up(store, ANN), count_up(store, BEN)) == (2, 2)


def test_a_record_of_a_later_version_is_left_alone(store, client):
    record = b'{"format": 99, "user": "ann", "model": "weather"}'
    count_up(store, ANN)
    client.execute("UPDATE stm_conversations SET record = %s", [record])
    for _ in range(2):  # the turn was given back
        with pytest.raises(StoreError, match="later version"):
            count_up(store, ANN)
    with pytest.raises(StoreError, match="later version"):
        store.peek(ANN)
    assert client.execute("SELECT record FROM stm_conversations").fetchone() == (record,)


def test_a_damaged_name_or_note_is_reported_and_stops_nothing_else(store, client):
    count_up(store, ANN)
    count_up(store, BEN)
    client.execute(r"UPDATE stm_conversations SET name = '\xff' WHERE name = 'ann'")
    assert list(store.keys()) == [BEN]
    store.put_note("models", "ann", "weather", TIMEOUT)
    client.execute(r"UPDATE stm_notes SET texts = ARRAY['\xff'::bytea]")
    for read in (lambda: store.get_note("models", "ann"), lambda: store.list_notes("models")):
        with pytest.raises(StoreError, match="note cannot be read"):
            read()


def test_a_quarantine_that_cannot_be_written_stops_no_question(store, client, caplog):
    count_up(store, ANN)
    client.execute("UPDATE stm_conversations SET record = '{'")
    client.execute("ALTER TABLE stm_quarantine RENAME TO elsewhere")
    assert count_up(store, ANN) == 1
    assert "a damaged conversation cannot be put in quarantine" in caplog.text
