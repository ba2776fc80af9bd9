"""Turns between processes: a long question keeps its turn, a dead or suspended one loses it."""

from __future__ import annotations

import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from msgspec.structs import replace

from anaphora import Conflict
from tests.stm.stores.redis.lock_holder import KEY, ROOM, count_up, holder
from tests.support.real_server import WAIT_LIMIT, wait_until

TIMEOUT = timedelta(minutes=5)


@pytest.fixture
def url(postgres_server, schema) -> str:
    return f"{postgres_server.url}?schema={schema}"


def column(client, name: str) -> object:
    """A column of the only row of the conversations; None if there is no row."""
    row = client.execute(f"SELECT {name} FROM stm_conversations").fetchone()
    return row and row[0]


def test_a_question_that_takes_long_keeps_its_turn(open_store, client):
    store, other = open_store(lease=3), open_store(wait=0.05)
    renewals, until = 0, 0
    with store.open(KEY, TIMEOUT) as session:
        deadline = time.monotonic() + WAIT_LIMIT
        while renewals < 5:  # more than a lease, in all
            assert time.monotonic() < deadline, "the lease is not renewed"
            before, until = until, column(client, "held_until")
            renewals += until > before
            time.sleep(0.005)
        with pytest.raises(Conflict, match="busy"):
            count_up(other, KEY)
        session.commit(replace(session.conversation, questions=1))
    assert count_up(other, KEY) == 2


def test_the_thread_that_renews_ends_by_itself(open_store):
    store = open_store(lease=0.5)
    count_up(store, KEY)
    wait_until(lambda: not any("leases" in thread.name for thread in threading.enumerate()))


def test_a_process_that_was_suspended_past_its_lease_changes_nothing(url, open_store):
    with holder(url, 0.6) as process:
        os.kill(process.pid, signal.SIGSTOP)
        store = open_store(wait=WAIT_LIMIT)
        assert count_up(store, KEY) == 1
        os.kill(process.pid, signal.SIGCONT)
        answer, _ = process.communicate("go on\n", timeout=WAIT_LIMIT)
    assert answer.startswith("Conflict")
    assert "lost to another question" in answer
    assert store.peek(KEY).questions == 1


def test_one_that_comes_back_while_another_answers_does_not_disturb_it(url, open_store):
    with holder(url, 0.6) as process:
        os.kill(process.pid, signal.SIGSTOP)
        store = open_store(wait=WAIT_LIMIT)
        with store.open(KEY, TIMEOUT) as session:
            os.kill(process.pid, signal.SIGCONT)
            answer, _ = process.communicate("go on\n", timeout=WAIT_LIMIT)
            assert answer.startswith("Conflict")
            session.commit(replace(session.conversation, questions=5))
    assert store.peek(KEY).questions == 5


def test_one_that_comes_back_after_the_conversation_was_forgotten_does_not_bring_it_back(
    url, open_store
):
    with holder(url, 0.6) as process:
        os.kill(process.pid, signal.SIGSTOP)
        store = open_store(wait=WAIT_LIMIT)
        store.forget(KEY)
        os.kill(process.pid, signal.SIGCONT)
        answer, _ = process.communicate("go on\n", timeout=WAIT_LIMIT)
    assert answer.startswith("Conflict")
    assert store.peek(KEY) is None


def test_a_process_that_comes_back_in_time_is_kept(url, open_store):
    with holder(url, 60) as process:
        os.kill(process.pid, signal.SIGSTOP)
        os.kill(process.pid, signal.SIGCONT)
        answer, _ = process.communicate("go on\n", timeout=WAIT_LIMIT)
    assert answer == "kept\n"
    assert open_store().peek(KEY).questions == 1


def test_the_turn_of_a_killed_process_comes_back_within_its_lease(url, open_store, client):
    with holder(url, 1.5) as process:
        process.kill()
        process.wait()
        left = column(client, "held_until - stm_now()")
        assert 0 < left <= 1_500_000
        assert count_up(open_store(wait=WAIT_LIMIT), KEY) == 1


def test_whoever_waits_comes_before_who_asks_later(open_store, client):
    first, patient, pushing = (open_store(wait=WAIT_LIMIT) for _ in range(3))
    order: list[str] = []

    def ask(store, name: str) -> None:
        with store.open(KEY, TIMEOUT):
            order.append(name)

    with ThreadPoolExecutor(2) as pool:
        with first.open(KEY, TIMEOUT) as session:
            waiting = pool.submit(ask, patient, "patient")
            wait_until(lambda: column(client, "next") is not None)
            session.commit(replace(session.conversation, questions=1))
        later = pool.submit(ask, pushing, "pushing")
        waiting.result(WAIT_LIMIT)
        later.result(WAIT_LIMIT)
    assert order == ["patient", "pushing"]


def test_one_that_gives_up_lets_the_others_in(open_store, client):
    first, hasty = open_store(), open_store(wait=0.05)
    with first.open(KEY, TIMEOUT), pytest.raises(Conflict, match=r"busy for 0\.05 seconds"):
        count_up(hasty, KEY)
    assert column(client, "name") is None
    count_up(first, KEY)
    with first.open(KEY, TIMEOUT), pytest.raises(Conflict):
        count_up(hasty, KEY)
    assert (column(client, "holder"), column(client, "next")) == (None, None)


def test_a_dead_one_in_the_queue_is_passed_over(open_store, client):
    store = open_store(wait=WAIT_LIMIT)
    count_up(store, KEY)
    client.execute("UPDATE stm_conversations SET next = 'dead', next_until = stm_now() + 300000")
    assert count_up(store, KEY) == 2


def test_no_waiting_store_starves_in_a_busy_conversation(open_store):
    """Each goes on at once, which without a queue leaves the lock to whoever has just had it."""
    stores, each = [open_store(wait=WAIT_LIMIT) for _ in range(4)], 10
    with ThreadPoolExecutor(8) as pool:
        for asked in [pool.submit(count_up, store, KEY) for store in stores * 2 * each]:
            asked.result(WAIT_LIMIT * 2)
    assert stores[0].peek(KEY).questions == 4 * 2 * each


def test_a_forked_process_has_turns_of_its_own(url, open_store):
    with holder(url, 10, "fork") as process:
        answer, _ = process.communicate(timeout=WAIT_LIMIT)
    assert answer == "kept, and the child has ended with 0\n"
    assert open_store().peek(KEY).questions == 7
    assert open_store().peek(ROOM).questions == 1
