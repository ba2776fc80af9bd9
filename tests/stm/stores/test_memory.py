"""The store in memory: turns, threads, idle conversations."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta
from threading import Barrier, Event
from zoneinfo import ZoneInfo

import pytest

from anaphora import Conflict, Conversation, MemoryStore
from anaphora.stm.conversation import Key

TIMEOUT = timedelta(minutes=5)


def count_up(store: MemoryStore, user: str) -> None:
    with store.open(Key(user, "weather"), TIMEOUT) as session:
        asked = session.conversation.questions
        session.commit(replace(session.conversation, questions=asked + 1))


@pytest.fixture
def store(clock):
    return MemoryStore(clock)


def test_a_conversation_begins_empty_and_is_kept_once_committed(store):
    with store.open(Key("ann", "weather"), TIMEOUT) as session:
        assert session.conversation == Conversation("ann", "weather")
        session.commit(replace(session.conversation, questions=7))
    with store.open(Key("ann", "weather"), TIMEOUT) as session:
        assert session.conversation.questions == 7
    assert store.peek(Key("ann", "cafe")) is None
    assert store.peek(Key("ben", "weather")) is None


def test_without_a_commit_nothing_is_kept(store):
    with store.open(Key("ann", "weather"), TIMEOUT):
        pass
    assert len(store) == 0


def test_an_error_leaves_no_trace_even_after_a_commit(store):
    count_up(store, "ann")

    def fail() -> None:
        with store.open(Key("ann", "weather"), TIMEOUT) as session:
            session.commit(replace(session.conversation, questions=99))
            raise OSError("no route")

    with pytest.raises(OSError, match="no route"):
        fail()
    assert store.peek(Key("ann", "weather")).questions == 1
    count_up(store, "ann")
    assert store.peek(Key("ann", "weather")).questions == 2


def test_a_hundred_threads_in_one_conversation_lose_no_update(store):
    with ThreadPoolExecutor(100) as pool:
        list(pool.map(lambda _: count_up(store, "ann"), range(2_000)))
    assert store.peek(Key("ann", "weather")).questions == 2_000


def test_different_conversations_are_open_side_by_side(store):
    both = Barrier(2, timeout=10)

    def hold(user: str) -> str:
        with store.open(Key(user, "weather"), TIMEOUT):
            both.wait()
        return user

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(hold, ("ann", "ben"))) == ["ann", "ben"]


def test_a_thread_that_opens_what_it_holds_is_told_so_at_once(store):
    with store.open(Key("ann", "weather"), TIMEOUT):
        with store.open(Key("ann", "cafe"), TIMEOUT):
            pass
        ann = Key("ann", "weather")
        with pytest.raises(Conflict, match="very thread"), store.open(ann, TIMEOUT):
            pass
    count_up(store, "ann")


def test_a_question_waits_only_so_long_for_its_turn(clock):
    store = MemoryStore(clock, wait=0.01)
    held, done = Event(), Event()

    def hold() -> None:
        with store.open(Key("ann", "weather"), TIMEOUT):
            held.set()
            done.wait(10)

    with ThreadPoolExecutor(1) as pool:
        holding = pool.submit(hold)
        held.wait(10)
        with pytest.raises(Conflict, match="busy"), store.open(Key("ann", "weather"), TIMEOUT):
            pass
        done.set()
        holding.result()
    count_up(store, "ann")


def test_an_idle_conversation_leaves_after_its_timeout_and_not_before(store, clock):
    count_up(store, "ann")
    clock.pass_time(minutes=5)
    count_up(store, "ben")
    assert len(store) == 2
    clock.pass_time(microseconds=1)
    count_up(store, "ben")
    assert store.peek(Key("ann", "weather")) is None
    assert store.peek(Key("ben", "weather")).questions == 2


def test_each_question_puts_the_end_off(store, clock):
    for _ in range(10):
        count_up(store, "ann")
        clock.pass_time(minutes=4)
        count_up(store, "ben")
    assert store.peek(Key("ann", "weather")).questions == 10


def test_many_idle_conversations_all_leave(store, clock):
    for number in range(1_000):
        count_up(store, str(number))
    clock.pass_time(minutes=6)
    for number in range(200):
        count_up(store, f"new {number}")
    assert len(store) == 200


def test_nothing_is_kept_beside_the_conversations(store):
    for _ in range(1_000):
        count_up(store, "ann")
    assert len(store._expiries) == 1
    assert len(store._turns) == 0


def test_a_thousand_conversations_lose_no_update(store):
    users = [f"user {number % 1_000}" for number in range(3_000)]
    with ThreadPoolExecutor(50) as pool:
        list(pool.map(lambda user: count_up(store, user), users))
    assert {store.peek(Key(user, "weather")).questions for user in users} == {3}
    assert len(store._turns) == 0


def test_it_lists_what_it_keeps(store):
    assert list(store.keys()) == []
    count_up(store, "ann")
    count_up(store, "ben")
    assert set(store.keys()) == {Key("ann", "weather"), Key("ben", "weather")}


def test_what_is_forgotten_is_gone_and_begins_anew(store):
    count_up(store, "ann")
    count_up(store, "ben")
    store.forget(Key("ann", "weather"))
    store.forget(Key("nobody", "weather"))
    assert list(store.keys()) == [Key("ben", "weather")]
    count_up(store, "ann")
    assert store.peek(Key("ann", "weather")).questions == 1


def test_nothing_can_be_forgotten_by_the_thread_that_is_answering_in_it(store):
    with store.open(Key("ann", "weather"), TIMEOUT), pytest.raises(Conflict):
        store.forget(Key("ann", "weather"))


def test_a_conversation_with_nothing_in_it_is_not_kept(store):
    count_up(store, "ann")
    with store.open(Key("ann", "weather"), TIMEOUT) as session:
        session.commit(Conversation("ann", "weather"))
    assert len(store) == 0


def test_forgetting_again_and_again_leaves_nothing_behind(store, clock):
    for _ in range(1_000):
        count_up(store, "ann")
        store.forget(Key("ann", "weather"))
    assert len(store._expiries) == 1
    clock.pass_time(minutes=6)
    store.forget(Key("ben", "weather"))
    assert (store._expiries, store._queued, len(store._turns)) == ([], set(), 0)


def test_what_was_forgotten_and_begun_again_stays_its_full_time(store, clock):
    count_up(store, "ann")
    store.forget(Key("ann", "weather"))
    clock.pass_time(minutes=3)
    count_up(store, "ann")
    clock.pass_time(minutes=3)
    count_up(store, "ben")
    assert store.peek(Key("ann", "weather")).questions == 1
    clock.pass_time(minutes=3)
    count_up(store, "ben")
    assert store.peek(Key("ann", "weather")) is None


def test_a_timeout_beyond_the_calendar_is_no_error(store):
    with store.open(Key("ann", "weather"), timedelta.max) as session:
        session.commit(replace(session.conversation, questions=1))
    count_up(store, "ben")
    assert len(store) == 2


def test_a_conversation_stays_when_the_clocks_go_forward(clock):
    berlin = ZoneInfo("Europe/Berlin")
    store = MemoryStore(clock)
    clock.now = datetime(2026, 3, 29, 1, 59, tzinfo=berlin)
    count_up(store, "ann")
    clock.now = datetime(2026, 3, 29, 3, 1, tzinfo=berlin)
    count_up(store, "ben")
    assert len(store) == 2


def test_a_clock_without_a_time_zone_is_refused():
    with pytest.raises(ValueError, match="time zone"):
        count_up(MemoryStore(lambda: datetime(2026, 1, 1)), "ann")
