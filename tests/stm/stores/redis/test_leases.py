"""Turns between processes: a long question keeps its turn, a dead or suspended one loses it."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
import redis
from msgspec.structs import replace

from anaphora import Conflict
from anaphora.stm.stores.redis.keys import KeySpace
from anaphora.stm.stores.redis.store import RedisStore
from tests.stm.stores.redis.lock_holder import KEY, ROOM, count_up, holder
from tests.support.real_server import WAIT_LIMIT, wait_until
from tests.support.redis_server import RedisServer

TIMEOUT = timedelta(minutes=5)
LOCK = KeySpace("anaphora").session_keys(KEY, "").lock


@pytest.fixture(scope="module")
def server() -> Iterator[RedisServer]:
    with RedisServer() as server:
        yield server


@pytest.fixture
def client(server: RedisServer) -> Iterator[redis.Redis]:
    with server.client() as client:
        client.flushall()
        yield client


@pytest.fixture
def open_store(server: RedisServer, client: redis.Redis) -> Iterator[Callable[..., RedisStore]]:
    """Stores that know nothing of each other, as those of different processes."""
    made: list[RedisStore] = []

    def open_one(**options: float) -> RedisStore:
        made.append(RedisStore(server.url, **options))
        return made[-1]

    yield open_one
    for store in made:
        store.close()


def test_a_question_that_takes_long_keeps_its_turn(open_store, client):
    store, other = open_store(lease=3), open_store(wait=0.05)
    renewals, left = 0, 3_000
    with store.open(KEY, TIMEOUT) as session:
        deadline = time.monotonic() + WAIT_LIMIT
        while renewals < 5:  # more than a lease, in all
            assert time.monotonic() < deadline, "the lease is not renewed"
            before, left = left, client.pttl(LOCK)
            renewals += left > before
            time.sleep(0.005)
        with pytest.raises(Conflict, match="busy"):
            count_up(other, KEY)
        session.commit(replace(session.conversation, questions=1))
    assert count_up(other, KEY) == 2


def test_nothing_is_renewed_for_short_questions(open_store, client):
    store = open_store(lease=0.5)
    count_up(store, KEY)
    wait_until(lambda: not renewers())
    client.config_resetstat()
    count_up(store, KEY)
    wait_until(lambda: not renewers())
    assert "cmdstat_pexpire" not in client.info("commandstats")


def renewers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if "leases" in thread.name]


def test_a_process_that_was_suspended_past_its_lease_changes_nothing(server, open_store):
    with holder(server.url, 0.6) as process:
        os.kill(process.pid, signal.SIGSTOP)
        store = open_store(wait=WAIT_LIMIT)
        assert count_up(store, KEY) == 1
        os.kill(process.pid, signal.SIGCONT)
        answer, _ = process.communicate("go on\n", timeout=WAIT_LIMIT)
    assert answer.startswith("Conflict")
    assert "lost to another question" in answer
    assert store.peek(KEY).questions == 1


def test_one_that_comes_back_while_another_answers_does_not_disturb_it(server, open_store):
    with holder(server.url, 0.6) as process:
        os.kill(process.pid, signal.SIGSTOP)
        store = open_store(wait=WAIT_LIMIT)
        with store.open(KEY, TIMEOUT) as session:
            os.kill(process.pid, signal.SIGCONT)
            answer, _ = process.communicate("go on\n", timeout=WAIT_LIMIT)
            assert answer.startswith("Conflict")
            session.commit(replace(session.conversation, questions=5))
    assert store.peek(KEY).questions == 5


def test_a_process_that_comes_back_in_time_is_kept(server, open_store):
    with holder(server.url, 60) as process:
        os.kill(process.pid, signal.SIGSTOP)
        os.kill(process.pid, signal.SIGCONT)
        answer, _ = process.communicate("go on\n", timeout=WAIT_LIMIT)
    assert answer == "kept\n"
    assert open_store().peek(KEY).questions == 1


def test_the_turn_of_a_killed_process_comes_back_within_its_lease(server, open_store, client):
    with holder(server.url, 1.5) as process:
        process.kill()
        process.wait()
        assert 0 < client.pttl(LOCK) <= 1_500
        store = open_store(wait=WAIT_LIMIT)
        assert count_up(store, KEY) == 1


def test_others_wait_for_a_process_that_holds_the_conversation(server, open_store, client):
    store = open_store(wait=WAIT_LIMIT)
    with holder(server.url, 60) as process, ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(count_up, store, KEY)
        wait_until(lambda: client.exists(KeySpace("anaphora").session_keys(KEY, "").next))
        assert not waiting.done()
        assert process.communicate("go on\n", timeout=WAIT_LIMIT)[0] == "kept\n"
        assert waiting.result(WAIT_LIMIT) == 2


def test_whoever_waits_comes_before_who_asks_later(open_store, client):
    first, patient, pushing = (open_store(wait=WAIT_LIMIT) for _ in range(3))
    queue = KeySpace("anaphora").session_keys(KEY, "").next
    order: list[str] = []

    def ask(store: RedisStore, name: str) -> None:
        with store.open(KEY, TIMEOUT):
            order.append(name)

    with ThreadPoolExecutor(2) as pool:
        with first.open(KEY, TIMEOUT):
            waiting = pool.submit(ask, patient, "patient")
            wait_until(lambda: client.exists(queue))
        later = pool.submit(ask, pushing, "pushing")
        waiting.result(WAIT_LIMIT)
        later.result(WAIT_LIMIT)
    assert order == ["patient", "pushing"]


def test_one_that_gives_up_lets_the_others_in(open_store, client):
    first, hasty = open_store(), open_store(wait=0.05)
    with first.open(KEY, TIMEOUT), pytest.raises(Conflict, match=r"busy for 0\.05 seconds"):
        count_up(hasty, KEY)
    assert client.keys() == []
    count_up(first, KEY)


def test_a_dead_one_in_the_queue_is_passed_over(open_store, client):
    store = open_store(wait=WAIT_LIMIT)
    client.set(KeySpace("anaphora").session_keys(KEY, "").next, "dead", px=300)
    assert count_up(store, KEY) == 1


def test_no_waiting_store_starves_in_a_busy_conversation(open_store):
    """Each goes on at once, which without a queue leaves the lock to whoever has just had it."""
    stores, each = [open_store(wait=WAIT_LIMIT) for _ in range(4)], 25
    with ThreadPoolExecutor(8) as pool:
        for asked in [pool.submit(count_up, store, KEY) for store in stores * 2 * each]:
            asked.result(WAIT_LIMIT * 2)
    assert stores[0].peek(KEY).questions == 4 * 2 * each


def test_a_handler_that_asks_in_its_own_conversation_is_told_so(open_store):
    store = open_store()
    with store.open(KEY, TIMEOUT):
        count_up(store, ROOM)
        with pytest.raises(Conflict, match="very thread"):
            count_up(store, KEY)


def test_a_forked_process_has_turns_of_its_own(server, open_store):
    with holder(server.url, 10, "fork") as process:
        answer, _ = process.communicate(timeout=WAIT_LIMIT)
    assert answer == "kept, and the child has ended with 0\n"
    assert open_store().peek(KEY).questions == 7
    assert open_store().peek(ROOM).questions == 1
