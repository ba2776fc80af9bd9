"""With min_replicas, what was answered is on replicas, or the question is refused."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager

import pytest
import redis
from msgspec.structs import replace

from anaphora import StoreError, UnconfirmedError
from anaphora.stm.stores.redis.keys import KeySpace
from anaphora.stm.stores.redis.replication import NotReplicatedError
from anaphora.stm.stores.redis.scripts import STAGE, UNDO
from anaphora.stm.stores.redis.store import RedisStore
from anaphora.stm.stores.urls import store_at
from tests.stm.stores.redis.several.load import TIMEOUT
from tests.stm.stores.store_homes import ANN, count_up
from tests.support.real_server import WAIT_LIMIT, wait_until
from tests.support.redis_server import RedisServer

NAMES = KeySpace("anaphora")
LOCK = NAMES.session_keys(ANN, "").lock


@pytest.fixture(scope="module")
def primary() -> Iterator[RedisServer]:
    with RedisServer("--repl-diskless-sync-delay", "0") as server:
        yield server


@pytest.fixture(scope="module")
def replica(primary: RedisServer) -> Iterator[RedisServer]:
    with RedisServer("--replicaof", f"127.0.0.1 {primary.port}") as server:
        yield server


@pytest.fixture
def client(primary: RedisServer, replica: RedisServer) -> Iterator[redis.Redis]:
    with primary.client() as client:
        wait_until(lambda: client.wait(1, 100))
        client.flushall()
        yield client


@pytest.fixture
def open_store(client: redis.Redis, primary: RedisServer) -> Iterator[Callable[..., RedisStore]]:
    """Stores that wait for a replica, so long that a busy machine is no excuse, or shortly."""
    made: list[RedisStore] = []

    def open_one(timeout: float = WAIT_LIMIT, **options: float) -> RedisStore:
        made.append(RedisStore(primary.url, min_replicas=1, replica_timeout=timeout, **options))
        return made[-1]

    yield open_one
    for store in made:
        store.close()


@contextmanager
def suspended(server: RedisServer) -> Iterator[None]:
    """A replica that keeps its connection and confirms nothing."""
    assert server.process is not None
    os.kill(server.process.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(server.process.pid, signal.SIGCONT)


def test_what_was_answered_is_on_the_replica(open_store, replica):
    assert count_up(open_store(), ANN) == 1
    with replica.client() as there:
        assert there.exists(NAMES.record_key(ANN))


def test_without_a_replica_a_question_is_refused_before_its_handler_runs(
    open_store, client, replica
):
    store, ran = open_store(0.05), []
    with (
        suspended(replica),
        pytest.raises(NotReplicatedError, match=r"0 of the 1 replicas .* within 0\.05 seconds"),
        store.open(ANN, TIMEOUT),
    ):
        ran.append("the handler")
    assert ran == []
    assert client.keys() == []
    assert count_up(open_store(), ANN) == 1


@pytest.mark.parametrize("asked_before", [0, 1])
def test_a_replica_that_is_lost_during_a_question_leaves_its_conversation_as_it_was(
    open_store, client, replica, asked_before
):
    name = NAMES.record_key(ANN)
    for _ in range(asked_before):
        count_up(open_store(), ANN)
    before, ttl = client.get(name), client.pttl(name)
    with pytest.raises(UnconfirmedError, match="; its changes were undone, but a replica"):
        lose_during_question(open_store(1.5), replica, lambda: None)
    assert client.get(name) == before
    assert (client.pttl(name) > 0) == (ttl > 0)
    assert not client.exists(LOCK)
    wait_until(lambda: client.wait(1, 100))
    with replica.client() as there:
        assert there.get(name) == before
    assert count_up(open_store(), ANN) == asked_before + 1


def test_a_replica_that_is_back_in_time_confirms_that_nothing_was_changed(
    open_store, client, replica
):
    staged = NAMES.commit_marks_pattern(ANN.user, ANN.tenant)

    def come_back_after_the_commit() -> None:
        wait_until(lambda: client.keys(staged))
        wait_until(lambda: not client.keys(staged))
        os.kill(replica.process.pid, signal.SIGCONT)

    with pytest.raises(NotReplicatedError, match="; nothing was changed"):
        lose_during_question(open_store(1.5), replica, come_back_after_the_commit)
    with replica.client() as there:
        assert not there.exists(NAMES.record_key(ANN))


def test_whether_a_question_that_has_lost_its_turn_is_kept_is_not_known(
    open_store, client, replica
):
    """While it waits for the replica, somebody else gets the conversation."""
    staged = NAMES.commit_marks_pattern(ANN.user, ANN.tenant)

    def take_the_turn() -> None:
        wait_until(lambda: client.keys(staged))
        client.set(LOCK, "another question", px=1_000)

    with pytest.raises(UnconfirmedError, match="may be stored all the same"):
        lose_during_question(open_store(1.5), replica, take_the_turn)
    assert open_store().peek(ANN).questions == 99
    assert client.get(LOCK) in (b"another question", None)


def lose_during_question(
    store: RedisStore, replica: RedisServer, meanwhile: Callable[[], None]
) -> None:
    """A question that loses its replica; what happens while it waits for it at the end."""
    with ExitStack() as after, ThreadPoolExecutor(1) as pool, store.open(ANN, TIMEOUT) as session:
        after.enter_context(suspended(replica))
        session.commit(replace(session.conversation, questions=99))
        pool.submit(meanwhile)


@pytest.mark.parametrize(("script", "marks"), [(STAGE, 1), (UNDO, 0)])
def test_a_commit_or_its_undoing_that_is_sent_again_waits_for_the_replica_again(
    open_store, client, replica, script, marks
):
    """Though it has nothing left to write: its first answer was lost, and then the turn."""
    keys = NAMES.session_keys(ANN, "token")
    connection = open_store(0.2)._connection
    for _ in range(marks):
        client.set(keys.done, "", px=60_000)
    arguments = (script, (keys.lock, keys.record, keys.done), "token", b"{}", 1_000, 60_000)
    with suspended(replica), pytest.raises(NotReplicatedError):
        connection.run_script(*arguments, replicated=True)
    assert open_store()._connection.run_script(*arguments, replicated=True) == 1


def test_notes_and_health_wait_for_replicas_too(open_store, client, replica):
    store = open_store(0.05)
    open_store().put_note("models", "ann", "weather", TIMEOUT)
    for use in (
        lambda: store.put_note("models", "ann", "cafe", TIMEOUT),
        lambda: store.delete_note("models", "ann"),
        store.ping,
    ):
        with suspended(replica), pytest.raises(NotReplicatedError):
            use()
    open_store().ping()


def test_two_replicas_are_more_than_there_are(client, primary):
    url = f"{primary.url}?min_replicas=2&replica_timeout=0.05"
    with (
        closing(store_at(url)) as store,
        pytest.raises(StoreError, match=r"[01] of the 2 replicas"),
    ):
        count_up(store, ANN)


def test_a_server_that_asks_for_replicas_itself_is_understood(client, primary):
    client.config_set("min-replicas-to-write", 2)
    with (
        closing(store_at(primary.url)) as store,
        pytest.raises(StoreError, match="too few of its replicas are up to date"),
    ):
        count_up(store, ANN)
    client.config_set("min-replicas-to-write", 0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("min_replicas=one", "'one' is not a number between 0 and 99"),
        ("min_replicas=-1", "'-1' is not a number"),
        ("min_replicas=1&replica_timeout=0", "'0' is not a number of seconds"),
        ("min_replicas=1&replica_timeout=61", "write up to 60"),
        ("min_replica=1", "did you mean 'min_replicas'"),
    ],
)
def test_what_is_no_number_of_replicas_is_reported(options, message):
    with pytest.raises(StoreError, match=message):
        store_at(f"redis://localhost?{options}")
