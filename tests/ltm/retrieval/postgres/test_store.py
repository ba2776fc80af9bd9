"""What only the recall store in PostgreSQL does: many processes, connections that break, tables."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from datetime import timedelta
from pathlib import Path

import numpy as np
import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anaphora import StoreError
from anaphora.ltm.history.working_history import HistorySettings
from anaphora.ltm.retrieval.postgres.connection import Transaction
from anaphora.ltm.retrieval.postgres.store import PostgresRecallStore
from anaphora.ltm.retrieval.store import JournalPosition, NewExchange, SearchFilter
from anaphora.stm.conversation import ConversationKey
from tests.ltm.retrieval.store_contract import (
    ANN,
    ANN_ELSEWHERE,
    ANN_HOTELS,
    BEGIN,
    BEN,
    NO_FILTER,
    OF_ANN,
    add_exchanges,
    listed,
    make_exchange,
    make_new_exchange,
    make_question,
    make_summary,
    matching,
    questions,
    stack_vectors,
    vector,
)
from tests.support.postgres_server import PostgresServer, with_pgvector, without_pgvector
from tests.support.python_process import run_python
from tests.support.real_server import WAIT_LIMIT, wait_until

ROOT = Path(__file__).parents[4]
SETTINGS = HistorySettings()


@pytest.fixture
def schema(postgres_server) -> str:
    return postgres_server.schema()


@pytest.fixture
def store(postgres_server, schema) -> Iterator[PostgresRecallStore]:
    with closing(PostgresRecallStore(postgres_server.url, settings=SETTINGS, schema=schema)) as it:
        yield it


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    """A server that a test may harm."""
    with PostgresServer(with_pgvector()) as server:
        yield server


@contextmanager
def opened(server: PostgresServer, **options) -> Iterator[PostgresRecallStore]:
    with closing(PostgresRecallStore(server.url, settings=SETTINGS, **options)) as store:
        yield store


ADD = """
    import sys
    from anaphora.ltm.history.working_history import HistorySettings
    from anaphora.ltm.retrieval.postgres.store import PostgresRecallStore
    from anaphora.ltm.retrieval.store import Mark
    from tests.ltm.retrieval.store_contract import ANN, BEN, new
    url, schema, name, count = sys.argv[1:]
    store = PostgresRecallStore(url, settings=HistorySettings(), schema=schema)
    store.ping()
    print("ready", flush=True)
    sys.stdin.readline()
    for turn in range(1, int(count) + 1):
        batch = [new(ANN, f"{name}-{turn}"), new(BEN, f"{name}-{turn}")]
        store.add(batch if name != "b" else batch[::-1], mark=Mark(name, turn))
        print(turn, flush=True)
"""


# -- processes ---------------------------------------------------------------------------------


def test_what_a_killed_process_was_adding_is_in_once_or_not_at_all(postgres_server, schema, store):
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
    position = store.marked("a")
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


def test_processes_that_add_at_once_number_without_gap_or_repetition(
    postgres_server, schema, store
):
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


def test_a_batch_whose_mark_is_there_already_is_not_kept_again(store):
    for _ in range(2):
        store.add([make_new_exchange(ANN, "once")], mark=JournalPosition("log", 10))
    store.add([make_new_exchange(ANN, "never")], mark=JournalPosition("log", 9))
    assert questions(store.latest(ANN, 9)) == ["once"]
    assert store.marked("log") == 10


def test_a_forked_process_has_the_store_too(postgres_server, schema, store):
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


def test_all_sorts_of_changes_at_once_never_block_each_other(postgres_server, schema):
    def work(turn: int) -> None:
        with opened(postgres_server, schema=schema) as store:
            keys = [ANN, BEN, ANN_HOTELS, ANN_ELSEWHERE]
            batch = [make_new_exchange(key, f"say {turn} {word}") for key in keys for word in "abc"]
            store.add(batch if turn % 2 else batch[::-1])
            waiting = [id for id, _ in store.find_unembedded(f"m{turn % 3}", 50)]
            store.put_vectors(
                f"m{turn % 3}", waiting, stack_vectors(*[vector(1, turn)] * len(waiting))
            )
            shorten(store, keys[turn % 4], 2)
            store.expire(BEGIN - timedelta(days=1))
            store.expire(BEGIN + timedelta(seconds=1), limit=3)
            if turn % 4 == 3:
                store.erase(OF_ANN, model="weather" if turn % 8 == 3 else None)

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, range(16)))
    assert_consistent(postgres_server, schema)


def test_several_who_come_first_make_the_tables_once(postgres_server, schema):
    def come(_: int) -> int:
        with opened(postgres_server, schema=schema) as store:
            store.add([make_new_exchange(ANN, "hello")])
            return store.journal_position("none")

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(come, range(8))) == [0] * 8
    with opened(postgres_server, schema=schema) as store:
        assert len(store.latest(ANN, 99)) == 8


# -- a server that is not there ----------------------------------------------------------------


def test_a_server_that_was_restarted_is_found_again(server):
    with opened(server) as store:
        store.add([make_new_exchange(ANN, "before")])
        server.restart()
        store.add([make_new_exchange(ANN, "after")])
        server.kill()
        server.start()
        assert questions(store.latest(ANN, 9)) == ["after", "before"]


def test_without_a_server_the_error_names_it_and_later_all_goes_on(server):
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


def test_connections_that_were_cut_are_replaced(postgres_server, schema, store):
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


def test_a_connection_that_is_cut_in_the_midst_of_it_changes_nothing(postgres_server, schema):
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


SLOW_COMMIT = """
    CREATE FUNCTION {schema}.wait() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN PERFORM pg_advisory_xact_lock_shared(42); RETURN NULL; END';
    CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON {schema}.exchanges
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION {schema}.wait();
"""


def test_a_commit_that_is_late_doubles_nothing(postgres_server, schema, store):
    """The process that says COMMIT is gone before it is done; the next one brings what waits in
    the journal once more, with what was said since."""
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
            again = pool.submit(
                store.add, [*said_first, *said_later], mark=JournalPosition("journal", 9)
            )
            wait_until(lambda: client.execute(waiting, ["transactionid"]).fetchall())
            slow.execute("SELECT pg_advisory_unlock(42)")
            again.result(WAIT_LIMIT)
    kept = store.history(ANN)
    assert [one.clock for one in kept.exchanges] == list(range(1, 10))
    assert (kept.size, store.statistics(OF_ANN, ("q1",)).documents) == (9, 9)
    assert store.marked("journal") == 9


def test_nobody_waits_for_ever_for_another(postgres_server, schema):
    with (
        opened(postgres_server, schema=schema, patience=0.3) as store,
        postgres_server.client() as client,
    ):
        store.add([make_new_exchange(ANN, "before")])
        with locked(client, schema), pytest.raises(StoreError, match="too long"):
            store.add([make_new_exchange(ANN, "never")])
        assert questions(store.latest(ANN, 9)) == ["before"]


def test_nobody_waits_for_ever_for_a_server_that_is_silent(server):
    with opened(server, patience=0.5) as store, server.client() as client:
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
def test_a_url_that_cannot_be_read_is_refused_without_its_password(url):
    with pytest.raises(StoreError, match="write postgresql://") as caught:
        PostgresRecallStore(url, settings=SETTINGS)
    assert "s3cret" not in str(caught.value)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    ("change", "hint"),
    [
        (("/postgres", "/nowhere"), "make the database first"),
        (("postgres@", "nobody:s3cret@"), "check the user"),
    ],
)
def test_what_the_server_refuses_says_how_to_mend_it(postgres_server, change, hint):
    url = change[1].join(postgres_server.url.rsplit(change[0], 1))
    with closing(PostgresRecallStore(url, settings=SETTINGS)) as store:
        with pytest.raises(StoreError, match=hint) as caught:
            store.ping()
        assert "s3cret" not in str(caught.value)


def test_a_user_without_rights_is_told_what_to_ask_for(postgres_server, schema):
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


def test_without_the_client_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "anaphora.ltm.retrieval.postgres.connection", None)
    with pytest.raises(StoreError, match=r"pip install 'anaphora\[postgres\]'"):
        PostgresRecallStore("postgresql://host/db", settings=SETTINGS)


# -- tables ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["", "a\0b", "x" * 64])
def test_a_name_that_no_schema_has_is_refused(name):
    with pytest.raises(StoreError, match="1 to 63 bytes"):
        PostgresRecallStore("postgresql://host/db", settings=SETTINGS, schema=name)


def test_a_schema_may_have_any_name(postgres_server, schema):
    with opened(postgres_server, schema=f'"; Ünser {schema}') as store:
        assert add_exchanges(store, ANN, "hello")
        assert listed(store, OF_ANN) == ["hello"]


def test_the_schema_of_another_program_is_left_alone(postgres_server, schema):
    with postgres_server.client() as client:
        client.execute(f"CREATE SCHEMA {schema}; CREATE TABLE {schema}.users (name text)")
    with (
        opened(postgres_server, schema=schema) as store,
        pytest.raises(StoreError, match="another program"),
    ):
        store.ping()


def test_a_schema_of_a_later_version_is_left_alone(postgres_server, schema, store):
    store.ping()
    with postgres_server.client() as client:
        client.execute(f"UPDATE {schema}.format SET version = 99")
    with (
        opened(postgres_server, schema=schema) as later,
        pytest.raises(StoreError, match=r"a later version .*99"),
    ):
        later.ping()


def test_tables_that_went_while_they_were_used_give_a_clear_error(postgres_server, schema, store):
    store.add([make_new_exchange(ANN, "hello")])
    with postgres_server.client() as client:
        client.execute(f"DROP SCHEMA {schema} CASCADE")
    with pytest.raises(StoreError, match="were they dropped"):
        store.latest(ANN, 9)
    store.add([make_new_exchange(ANN, "anew")])
    assert questions(store.latest(ANN, 9)) == ["anew"]


def test_nothing_of_an_erased_user_is_in_any_table(postgres_server, schema, store):
    for key in (ANN._replace(user="zelda-secret"), BEN):
        secret = f"{key.user}-secret"
        exchange = make_exchange(
            f"my {secret}", secret * 300, intent=secret, slots={secret: (secret,)}, minute=1
        )
        store.add(
            [make_new_exchange(key, exchange), make_new_exchange(key, make_exchange("more of it"))],
            mark=JournalPosition(key.user, 1),
        )
        *_, (id, _), _ = store.unembedded("m", 9)  # the first of the two
        store.put_vectors("m", [id], stack_vectors(vector(1, 2, 3)))
        parts = store.history(key).exchanges[:1]
        assert store.compress(key, parts, [make_summary(parts, f"about {secret}")])
    zelda = ANN._replace(user="zelda-secret")
    store.add([make_new_exchange(zelda, "and zelda-secret")])
    with postgres_server.client() as client:
        client.execute(f"SET search_path TO {schema}; ANALYZE")
        users = dict(client.execute("SELECT name, id FROM users").fetchall())
        before = everything(client, schema)
        assert any("zelda" in row for _, row in before)
        assert store.erase(OF_ANN._replace(user="zelda-secret")) == 3
        after = everything(client, schema)
    gone = users[b"zelda-secret"]
    assert not [row for _, row in after if "zelda" in row]
    assert not [row for _, row in after if json.loads(row).get("user_id") == gone]
    kept = Counter(table for table, _ in after)
    alone = ("users", "conversations", "summaries", "vectors", "unembedded")
    assert [kept[name] for name in alone] == [1] * 5  # those of the other one
    assert kept["exchanges"] == 2


def test_what_users_say_is_in_no_statistics_of_the_server(postgres_server, schema, store):
    for key in (ANN, BEN):
        add_exchanges(store, key, *["secret"] * 20)
        parts = store.history(key).exchanges[:2]
        assert store.compress(key, parts, [make_summary(parts, "secret")])
    with postgres_server.client() as client:
        client.execute(f"SET search_path TO {schema}; ANALYZE")
        known = client.execute(
            "SELECT tablename || '.' || attname FROM pg_stats WHERE schemaname = %s", (schema,)
        ).fetchall()
    assert ("exchanges.at",) in known
    for column in ("users.name", "exchanges.record", "exchanges.terms", "words.word"):
        assert (column,) not in known


@settings(
    max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_what_is_counted_is_what_is_there(data, postgres_server):
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


# -- searching ---------------------------------------------------------------------------------


def test_vectors_are_found_alike_whoever_searches_them(postgres_server, schema):
    made = np.random.default_rng(7).standard_normal((300, 24)).astype(np.float32)
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    found = {}
    for name, options in {
        "pgvector": {"memory": 0},
        "matrix of bytes": {"pgvector": False, "schema": f"{schema}_b"},
    }.items():
        with opened(postgres_server, **({"schema": schema} | options)) as store:
            for key in (ANN, BEN):
                ids = add_exchanges(
                    store,
                    key,
                    *(make_exchange("x", slots={"n": (str(n % 7),)}) for n in range(300)),
                )
                store.put_vectors("m", ids, made)
            at = {id: place for place, id in enumerate(ids_of_ann(store))}
            near = [
                store.find_nearest(OF_ANN, "m", made[7], among, 20)
                for among in (NO_FILTER, SearchFilter(slots={"n": "3"}))
            ]
            found[name] = [[(at[id], round(cosine, 5)) for id, cosine in each] for each in near]
    assert found["pgvector"] == found["matrix of bytes"]
    everywhere, some = found["pgvector"]
    assert everywhere[0] == (7, pytest.approx(1))
    assert {place % 7 for place, _ in some} == {3}
    assert len(some) == 20


def test_many_vectors_are_searched_in_memory_as_the_server_would(
    postgres_server, schema, monkeypatch
):
    made = np.random.default_rng(8).standard_normal((50, 24)).astype(np.float32)
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    with opened(postgres_server, schema=schema) as store:
        ids = add_exchanges(store, ANN, *(make_exchange("x") for _ in range(50)))
        store.put_vectors("m", ids, made)
        by_server = store.find_nearest(OF_ANN, "m", made[7], NO_FILTER, 20)
        monkeypatch.setattr("anaphora.ltm.retrieval.postgres.search._MANY", 10)
        in_memory = store.find_nearest(OF_ANN, "m", made[7], NO_FILTER, 20)
        assert [id for id, _ in in_memory] == [id for id, _ in by_server]
        assert dict(in_memory) == pytest.approx(dict(by_server), abs=1e-6)
        store.put_vectors("m", ids[7:8], -made[7:8])
        later = store.find_nearest(OF_ANN, "m", made[7], NO_FILTER, 50)
        assert later[-1] == (ids[7], pytest.approx(-1, abs=1e-6))
        store.erase(OF_ANN)
        assert list(store.find_nearest(OF_ANN, "m", made[7], NO_FILTER, 20)) == []


def test_words_that_stand_everywhere_do_not_hide_the_rare_ones(store, monkeypatch):
    for limit in ("_SCORED", "_WALKED_FROM"):
        monkeypatch.setattr(f"anaphora.ltm.retrieval.postgres.search.{limit}", 10)
    store.add([make_new_exchange(ANN, f"the only {n}") for n in range(2)])
    store.add([make_new_exchange(ANN, f"the {'big ' * (n % 2)}{n}") for n in range(60)])
    assert sorted(matching(store, OF_ANN, "the", "only", "big", limit=2)) == [
        "the only 0",
        "the only 1",
    ]
    found = matching(store, OF_ANN, "the", "only", "big", limit=20)
    assert {"the only 0", "the only 1"} < set(found)
    assert len(set(found)) == 20
    assert len(matching(store, OF_ANN, "the", limit=5)) == 5
    assert len(matching(store, OF_ANN, "the", "big", "only")) == 62
    early = SearchFilter(until=BEGIN)
    assert matching(store, OF_ANN, "the", "only", filters=early) == []


def test_it_works_where_pgvector_is_not_installed():
    with without_pgvector() as server, opened(server) as store:
        with server.client() as client:
            ((there,),) = client.execute(
                "SELECT count(*) FROM pg_available_extensions WHERE name = 'vector'"
            ).fetchall()
        assert not there
        first, second = add_exchanges(store, ANN, "rain in tokyo", "sun")
        store.put_vectors("m", [first, second], stack_vectors(vector(1, 0), vector(0, 1)))
        assert [id for id, _ in store.find_nearest(OF_ANN, "m", vector(1, 1e-3), NO_FILTER, 9)] == [
            first,
            second,
        ]
        assert matching(store, OF_ANN, "tokyo") == ["rain in tokyo"]
        assert store.erase(OF_ANN) == 2


# -- helpers -----------------------------------------------------------------------------------


def ids_of_ann(store) -> list[int]:
    return sorted(store.listed(OF_ANN, NO_FILTER, skip=0, limit=10_000))


def shorten(store, key, count: int) -> None:
    """Compress the oldest exchanges, if there are any; others may do so, too."""
    parts = store.history(key).exchanges[:count]
    if parts:
        store.compress(key, parts, [make_summary(parts)])


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


def everything(client: psycopg.Connection, schema: str) -> list[tuple[str, str]]:
    """Every row of every table as JSON, its bytes as text."""
    found = []
    for (table,) in client.execute(
        "SELECT tablename FROM pg_tables WHERE schemaname = %s", (schema,)
    ).fetchall():
        cursor = client.execute(f"SELECT * FROM {schema}.{table}")
        names = [column.name for column in cursor.description]
        for row in cursor:
            shown = (as_shown(value) if isinstance(value, bytes) else str(value) for value in row)
            values = [
                value if isinstance(value, int) else text
                for value, text in zip(row, shown, strict=True)
            ]
            found.append((table, json.dumps(dict(zip(names, values, strict=True)))))
    return found


def as_shown(data: bytes) -> str:
    import zlib

    with suppress(zlib.error):
        data = zlib.decompress(data)
    return data.decode("utf-8", "replace")


# Each finds rows whose counts are not those of what they count.
_WRONG = {
    "users": (
        "SELECT id FROM users JOIN (SELECT user_id, count(*) AS n, sum(length) AS l "
        "FROM exchanges GROUP BY 1) AS it ON user_id = id WHERE (n, l) <> (documents, users.length)"
    ),
    "users without exchanges": (
        "SELECT id FROM users WHERE NOT EXISTS (SELECT FROM exchanges WHERE user_id = users.id)"
    ),
    "words": (
        "SELECT words.id, count, n FROM words FULL JOIN (SELECT unnest(words) AS word, "
        "count(*) AS n FROM exchanges GROUP BY 1) AS it ON it.word = words.id "
        "WHERE count IS DISTINCT FROM n"
    ),
    "conversations": (
        "SELECT id, last, first, verbatim, size FROM conversations AS c WHERE "
        "verbatim <> (SELECT count(*) FROM exchanges WHERE conversation_id = c.id "
        "AND number >= first) OR size <> (SELECT coalesce(sum(size), 0) FROM exchanges "
        "WHERE conversation_id = c.id AND number >= c.first) + (SELECT coalesce(sum(size), 0) "
        "FROM summaries WHERE conversation_id = c.id AND active) OR NOT EXISTS (SELECT FROM "
        "exchanges WHERE conversation_id = c.id)"
    ),
    "summaries": (
        "SELECT id FROM summaries AS s WHERE NOT EXISTS (SELECT FROM exchanges AS e WHERE "
        "e.conversation_id = s.conversation_id AND number BETWEEN first AND last)"
    ),
    "vectors": (
        "SELECT e.id, m.id FROM exchanges AS e CROSS JOIN embedders AS m WHERE "
        "(SELECT count(*) FROM vectors WHERE exchange_id = e.id AND embedder_id = m.id) + "
        "(SELECT count(*) FROM unembedded WHERE exchange_id = e.id AND embedder_id = m.id) <> 1"
    ),
    "vectors of nothing": (
        "SELECT exchange_id FROM vectors WHERE exchange_id NOT IN (SELECT id FROM exchanges) "
        "UNION SELECT exchange_id FROM unembedded "
        "WHERE exchange_id NOT IN (SELECT id FROM exchanges)"
    ),
}


def assert_consistent(server: PostgresServer, schema: str) -> None:
    with server.client() as client:
        client.execute(f"SET search_path TO {schema}, public")
        wrong = {name: client.execute(query).fetchall() for name, query in _WRONG.items()}
    assert wrong == {name: [] for name in _WRONG}


# -- damage ------------------------------------------------------------------------------------


def test_a_damaged_exchange_is_put_aside_and_can_come_back(postgres_server, schema, store):
    ids = [
        store.add([make_new_exchange(ANN, word)]) or store.unembedded("m", 9)[-1][0]
        for word in ("one", "two", "three")
    ]
    with postgres_server.client() as client:
        client.execute(f"SET search_path TO {schema}")
        ((whole,),) = client.execute("SELECT record FROM exchanges WHERE number = 2").fetchall()
        client.execute("UPDATE exchanges SET record = '\\x7b' WHERE number = 2")
        assert [id for id, _ in store.unembedded("m", 9)] == [ids[0], ids[2]]
        assert questions(store.history(ANN).exchanges) == ["one", "three"]
        assert (store.history(ANN).size, matching(store, OF_ANN, "two")) == (2, [])
        (item,) = store.quarantined(9)
        assert (item.kind, item.key) == ("exchange", ANN)
        assert not store.release(item.id)  # still unreadable
        client.execute(
            "UPDATE quarantine SET row_data = jsonb_set(row_data, '{record}', to_jsonb(%s::bytea))",
            (whole,),
        )
    assert store.release(item.id)
    assert questions(store.exchanges(ANN, first=1, last=9)) == ["one", "two", "three"]
    assert (store.history(ANN).size, matching(store, OF_ANN, "two")) == (3, ["two"])
    assert [id for id, _ in store.unembedded("m", 9)] == ids


@pytest.mark.parametrize("late", [(25,), (35,), (25, 26, 35), (5, 15, 25, 35, 45)])
@pytest.mark.parametrize("gone", [("q30",), ("q20", "q30"), ("q10", "q50")])
@pytest.mark.parametrize("compressed", [0, 3])
def test_what_leaves_the_quarantine_takes_its_place_beside_what_came_late(
    postgres_server, schema, store, late, gone, compressed
):
    store.add([make_new_exchange(ANN, make_question(clock)) for clock in (10, 20, 30, 40, 50)])
    if compressed:
        shorten(store, ANN, compressed)
    damage(postgres_server, schema, store, gone)
    store.add([make_new_exchange(ANN, make_question(clock)) for clock in late])
    for item in reversed(store.quarantined(9)):
        assert store.release(item.id)
    clocks = sorted((10, 20, 30, 40, 50, *late))
    assert [one.clock for one in store.exchanges(ANN, first=1, last=99)] == clocks
    history = store.history(ANN)
    assert [one.clock for one in history.exchanges] == clocks[-len(history.exchanges) :]
    for short in history.summaries:
        among = store.exchanges(ANN, first=short.first, last=short.last)
        assert {10, 20, 30} <= {one.clock for one in among}
        assert short.last < history.exchanges[0].number
    assert_consistent(postgres_server, schema)


def test_of_what_leaves_the_quarantine_no_second_copy_is_kept(postgres_server, schema, store):
    store.add([make_new_exchange(ANN, make_question(clock)) for clock in (10, 20, 30)])
    damage(postgres_server, schema, store, ["q20"])
    store.add([make_new_exchange(ANN, make_question(20))])
    assert store.release(store.quarantined(9)[0].id)
    assert questions(store.history(ANN).exchanges) == ["q10", "q20", "q30"]
    assert store.count_quarantined() == 0
    assert_consistent(postgres_server, schema)


def test_a_summary_in_quarantine_moves_with_what_it_stands_for(postgres_server, schema, store):
    store.add([make_new_exchange(ANN, make_question(clock)) for clock in (10, 20, 30, 40)])
    shorten(store, ANN, 2)
    with postgres_server.client() as client:
        client.execute(f"SET search_path TO {schema}")
        ((whole,),) = client.execute("SELECT record FROM summaries").fetchall()
        client.execute("UPDATE summaries SET record = '\\x7b'")
        assert store.history(ANN).summaries == ()
        client.execute(
            "UPDATE quarantine SET row_data = jsonb_set(row_data, '{record}', to_jsonb(%s::bytea))",
            (whole,),
        )
    store.add([make_new_exchange(ANN, make_question(clock)) for clock in (5, 15)])
    assert store.release(store.quarantined(9)[0].id)
    (short,) = store.history(ANN).summaries
    among = store.exchanges(ANN, first=short.first, last=short.last)
    assert [one.clock for one in among] == [10, 15, 20]


def test_the_statements_for_what_comes_late_do_not_grow_with_it(store, monkeypatch):
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

    monkeypatch.setattr(Transaction, "do", counted)
    assert count(10, 1) == count(100, 30) > 0


def damage(
    server: PostgresServer, schema: str, store: PostgresRecallStore, gone: Sequence[str]
) -> None:
    """Damage the exchanges of Ann with these questions, which puts them in quarantine, and mend
    them there."""
    whole = {}
    with server.client() as client:
        client.execute(f"SET search_path TO {schema}")
        for id, record in client.execute("SELECT id, record FROM exchanges").fetchall():
            if any(f'"{question}"'.encode() in record for question in gone):
                whole[id] = record
                client.execute("UPDATE exchanges SET record = '\\x7b' WHERE id = %s", (id,))
        store.latest(ANN, 99)
        for id, record in whole.items():
            client.execute(
                "UPDATE quarantine SET row_data = jsonb_set(row_data, '{record}', "
                "to_jsonb(%s::bytea)) WHERE source_id = %s",
                (record, id),
            )
    assert store.count_quarantined() == len(gone)


def test_a_damaged_row_stops_neither_compression_nor_search_nor_erasing(
    postgres_server, schema, store
):
    store.add([make_new_exchange(ANN, word) for word in ("one", "two", "three", "four")])
    with postgres_server.client() as client:
        client.execute(f"SET search_path TO {schema}")
        client.execute("UPDATE exchanges SET terms = '\\xff' WHERE number = 1")
        client.execute("UPDATE exchanges SET record = '\\x7b' WHERE number = 2")
    parts = store.history(ANN).exchanges[:2]
    assert store.compress(ANN, parts, [make_summary(parts, "in short")])
    assert matching(store, OF_ANN, "four") == ["four"]
    with postgres_server.client() as client:
        client.execute(f"SET search_path TO {schema}")
        client.execute("UPDATE summaries SET record = '\\x7b'")
    assert store.history(ANN).summaries == ()
    assert store.count_quarantined() == 2
    assert store.erase(OF_ANN) == 3
    assert store.count_quarantined() == 0
