"""Concurrent processes with the recall store in PostgreSQL."""

from __future__ import annotations

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import timedelta

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anaphora.ltm.history.working_history import HistorySettings
from anaphora.ltm.retrieval.postgres.store import PostgresRecallStore
from anaphora.ltm.retrieval.store import JournalPosition, NewExchange
from anaphora.stm.conversation import ConversationKey
from anaphora.storage.postgres.connection import Transaction
from tests.ltm.retrieval.postgres.database import assert_consistent, opened, shorten
from tests.ltm.retrieval.store_contract import (
    ANN,
    ANN_ELSEWHERE,
    ANN_HOTELS,
    BEGIN,
    BEN,
    OF_ANN,
    make_exchange,
    make_new_exchange,
    make_question,
    questions,
    stack_vectors,
    vector,
)
from tests.support.python_process import run_python
from tests.support.real_server import WAIT_LIMIT, wait_until

ADD = """
    import sys
    from anaphora.ltm.history.working_history import HistorySettings
    from anaphora.ltm.retrieval.postgres.store import PostgresRecallStore
    from anaphora.ltm.retrieval.store import JournalPosition
    from tests.ltm.retrieval.store_contract import ANN, BEN, make_new_exchange
    url, schema, name, count = sys.argv[1:]
    store = PostgresRecallStore(url, settings=HistorySettings(), schema=schema)
    store.ping()
    print("ready", flush=True)
    sys.stdin.readline()
    for turn in range(1, int(count) + 1):
        batch = [make_new_exchange(key, f"{name}-{turn}") for key in (ANN, BEN)]
        store.add(batch if name != "b" else batch[::-1], mark=JournalPosition(name, turn))
        print(turn, flush=True)
"""


def test_a_batch_of_a_killed_process_is_stored_once_or_not_at_all(postgres_server, schema, store):
    with run_python(ADD, postgres_server.url, schema, "a", 10_000) as process:
        assert process.stdout.readline() == "ready\n"
        process.stdin.write("go\n")
        process.stdin.flush()
        while (told := process.stdout.readline()) != "20\n":
            assert told
        process.send_signal(signal.SIGKILL)
        process.wait(WAIT_LIMIT)
        told = [20, *map(int, process.stdout.read().split())][-1]
    # What it was waiting for may still be committed: by then nobody holds its conversation.
    store.add([make_new_exchange(ANN, "after"), make_new_exchange(BEN, "after")])
    position = store.journal_position("a")
    assert position in (told, told + 1)
    for turn in range(position - 3, position + 3):  # replayed from before the mark
        store.add(
            [make_new_exchange(ANN, f"a-{turn}"), make_new_exchange(BEN, f"a-{turn}")],
            mark=JournalPosition("a", turn),
        )
    for key in (ANN, BEN):
        kept = store.exchanges(key, first=1, last=99_999)
        assert [each.number for each in kept] == list(range(1, position + 4))
        expected = [f"a-{turn}" for turn in range(1, position + 3)]
        assert sorted(questions(kept)) == sorted([*expected, "after"])
    assert_consistent(postgres_server, schema)


def test_concurrent_processes_number_without_gaps_or_duplicates(postgres_server, schema, store):
    count = 25
    with (
        run_python(ADD, postgres_server.url, schema, "a", count) as one,
        run_python(ADD, postgres_server.url, schema, "b", count) as other,
    ):
        for process in (one, other):
            assert process.stdout.readline() == "ready\n"
        for process in (one, other):
            process.stdin.write("go\n")
            process.stdin.flush()
        assert [process.wait(WAIT_LIMIT) for process in (one, other)] == [0, 0]
    for key in (ANN, BEN):
        kept = store.exchanges(key, first=1, last=999)
        assert [each.number for each in kept] == list(range(1, 2 * count + 1))
        assert len(set(questions(kept))) == 2 * count
    assert_consistent(postgres_server, schema)


def test_a_batch_before_the_stored_position_is_ignored(store):
    for _ in range(2):
        store.add([make_new_exchange(ANN, "once")], mark=JournalPosition("log", 10))
    store.add([make_new_exchange(ANN, "never")], mark=JournalPosition("log", 9))
    assert questions(store.latest(ANN, 9)) == ["once"]
    assert store.journal_position("log") == 10


def test_a_forked_process_can_use_the_store(postgres_server, schema, store):
    store.add([make_new_exchange(ANN, "before")])
    child = os.fork()
    if not child:
        try:
            store.add([make_new_exchange(ANN, "of the child")])
            os._exit(0)
        finally:
            os._exit(1)
    store.add([make_new_exchange(ANN, "of the parent")])
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    store.add([make_new_exchange(ANN, "after")])
    found = questions(store.latest(ANN, 9))
    assert (found[0], found[-1], len(found)) == ("after", "before", 4)


def test_concurrent_changes_do_not_deadlock(postgres_server, schema):
    def work(turn: int) -> None:
        with opened(postgres_server, schema=schema) as store:
            keys = [ANN, BEN, ANN_HOTELS, ANN_ELSEWHERE]
            batch = [make_new_exchange(key, f"say {turn} {word}") for key in keys for word in "abc"]
            store.add(batch if turn % 2 else batch[::-1])
            waiting = [id for id, _ in store.find_unembedded(f"m{turn % 3}", 50)]
            if waiting:  # the others may have left nothing to embed
                vectors = stack_vectors(*[vector(1, turn)] * len(waiting))
                store.put_vectors(f"m{turn % 3}", waiting, vectors)
            shorten(store, keys[turn % 4], 2)
            store.expire(BEGIN - timedelta(days=1))
            store.expire(BEGIN + timedelta(seconds=1), limit=3)
            if turn % 4 == 3:
                store.erase(OF_ANN, model="weather" if turn % 8 == 3 else None)

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, range(16)))
    assert_consistent(postgres_server, schema)


def test_concurrent_first_connections_create_the_tables_once(postgres_server, schema):
    def come(_: int) -> int:
        with opened(postgres_server, schema=schema) as store:
            store.add([make_new_exchange(ANN, "hello")])
            return store.journal_position("none")

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(come, range(8))) == [0] * 8
    with opened(postgres_server, schema=schema) as store:
        assert len(store.latest(ANN, 99)) == 8


SLOW_COMMIT = """
    CREATE FUNCTION {schema}.wait() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN PERFORM pg_advisory_xact_lock_shared(42); RETURN NULL; END';
    CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON {schema}.exchanges
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION {schema}.wait();
"""


def test_an_unconfirmed_commit_duplicates_nothing(postgres_server, schema, store):
    """The process that says COMMIT is gone before it is done; the next one brings what waits in
    the journal once more, with what was said since, and with the dates that the first one, new as
    it was, had not read."""
    said_first = [make_new_exchange(ANN, make_question(clock)) for clock in range(1, 7)]
    said_later = [make_new_exchange(ANN, make_question(clock)) for clock in range(7, 10)]
    store.ping()
    waiting = "SELECT 1 FROM pg_locks WHERE locktype = %s AND NOT granted"
    with postgres_server.client() as client, ThreadPoolExecutor(1) as pool:
        client.execute(SLOW_COMMIT.format(schema=f'"{schema}"'))
        with postgres_server.client() as slow:
            slow.execute("SELECT pg_advisory_lock(42)")
            child = os.fork()
            if not child:
                store.add(said_first, mark=JournalPosition("journal", 6))
                os._exit(0)
            wait_until(lambda: client.execute(waiting, ["advisory"]).fetchall())
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            dated = [
                replace(one, exchange=replace(one.exchange, question_dates=(), answer_dates=()))
                for one in said_first
            ]
            again = pool.submit(
                store.add, [*dated, *said_later], mark=JournalPosition("journal", 9)
            )
            wait_until(lambda: client.execute(waiting, ["transactionid"]).fetchall())
            slow.execute("SELECT pg_advisory_unlock(42)")
            again.result(WAIT_LIMIT)
    kept = store.history(ANN)
    assert [one.clock for one in kept.exchanges] == list(range(1, 10))
    assert (kept.size, store.statistics(OF_ANN, ("q1",)).documents) == (9, 9)
    assert store.journal_position("journal") == 9


@settings(
    max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_counts_match_the_rows(data, postgres_server):
    schema = postgres_server.schema()
    keys = st.sampled_from((ANN, ANN_HOTELS, BEN))
    words = st.lists(st.sampled_from("abcdef"), max_size=4)
    minutes = st.integers(0, 9)
    limits = HistorySettings(max_exchanges=data.draw(st.integers(1, 6)))
    with closing(PostgresRecallStore(postgres_server.url, settings=limits, schema=schema)) as store:
        for step in data.draw(st.lists(st.sampled_from("aaaacxev"), min_size=4, max_size=12)):
            match step:
                case "a":
                    batch = data.draw(st.lists(st.tuples(keys, words, minutes), max_size=5))
                    store.add(
                        [
                            NewExchange(
                                key,
                                make_exchange(" ".join(text), intent="i", minute=at),
                                tuple(text),
                            )
                            for key, text, at in batch
                        ]
                    )
                case "c":
                    shorten(store, data.draw(keys), data.draw(st.integers(1, 3)))
                case "x":
                    before = BEGIN + timedelta(minutes=data.draw(minutes))
                    store.expire(before, limit=data.draw(st.integers(1, 4)))
                case "e":
                    store.erase(OF_ANN, model=data.draw(st.sampled_from(("weather", "hotels"))))
                case "v":
                    waiting = [
                        id for id, _ in store.find_unembedded("m", data.draw(st.integers(1, 3)))
                    ]
                    store.put_vectors("m", waiting, np.ones((len(waiting), 2), np.float32))
        assert_consistent(postgres_server, schema)


def test_the_number_of_statements_for_late_exchanges_is_constant(store, monkeypatch):
    statements = 0
    real = Transaction.execute

    def counted(self, query, *values):
        nonlocal statements
        statements += 1
        return real(self, query, *values)

    def count(length: int, late: int) -> int:
        nonlocal statements
        key = ConversationKey(f"{length} and {late}", "weather")
        store.add([make_new_exchange(key, make_question(1_000 + clock)) for clock in range(length)])
        statements = 0
        store.add([make_new_exchange(key, make_question(1 + clock)) for clock in range(late)])
        return statements

    monkeypatch.setattr(Transaction, "execute", counted)
    assert count(10, 1) == count(100, 30) > 0
