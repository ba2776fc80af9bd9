"""The store in memory: what it keeps beside conversations, and its clock."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from enum import StrEnum
from zoneinfo import ZoneInfo

import pytest
from msgspec.structs import replace

from anaphora import Engine, MemoryStore
from anaphora.frozen import freeze
from anaphora.stm.conversation import ConversationKey
from anaphora.stm.rules import replace_data
from tests.stm.stores.store_homes import ANN

TIMEOUT = timedelta(minutes=5)


def count_up(store: MemoryStore, user: str) -> None:
    with store.open(ConversationKey(user, "weather"), TIMEOUT) as session:
        asked = session.conversation.questions
        session.commit(replace(session.conversation, questions=asked + 1))


@pytest.fixture
def store(clock):
    return MemoryStore(clock)


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
    assert len(store._conversations.expiries) == 1
    assert len(store._locks) == 0


def test_a_thousand_conversations_lose_no_update(store):
    users = [f"user {number % 1_000}" for number in range(3_000)]
    with ThreadPoolExecutor(50) as pool:
        list(pool.map(lambda user: count_up(store, user), users))
    assert {store.peek(ConversationKey(user, "weather")).questions for user in users} == {3}
    assert len(store._locks) == 0


def test_forgetting_again_and_again_leaves_nothing_behind(store, clock):
    for _ in range(1_000):
        count_up(store, "ann")
        store.forget(ConversationKey("ann", "weather"))
    assert len(store._conversations.expiries) == 1
    clock.pass_time(minutes=6)
    store.forget(ConversationKey("ben", "weather"))
    assert (store._conversations.expiries, store._conversations.scheduled) == ([], set())
    assert len(store._locks) == 0


def test_models_chosen_and_left_again_by_very_many_users_leave_nothing_behind(store):
    for number in range(5_000):
        store.put_note(f"user {number}", "model", "weather", timedelta(days=30))
        store.delete_note(f"user {number}", "model")
    assert len(store._namespaces) == 0
    assert len(store._namespaces.expiries) == len(store._namespaces.scheduled) < 100


def test_the_notes_of_too_many_users_make_room_for_each_other(clock):
    store = MemoryStore(clock, max_namespaces=100)
    for number in range(5_000):
        store.put_note(f"user {number}", "model", "weather", timedelta(days=30))
        store.put_note("ann", "model", "lamp", timedelta(days=30))
    assert len(store._namespaces) == 100
    assert len(store._namespaces.expiries) == len(store._namespaces.scheduled) < 300
    assert store.get_note("ann", "model") == "lamp"
    assert store.get_note("user 4999", "model") == "weather"
    assert store.get_note("user 1", "model") is None


def test_too_many_conversations_make_room_for_each_other(clock):
    store = MemoryStore(clock, max_conversations=10)
    for number in range(500):
        count_up(store, str(number))
        count_up(store, "ann")
    assert len(store) == 10
    assert len(store._conversations.expiries) == len(store._conversations.scheduled) < 100
    assert store.peek(ConversationKey("ann", "weather")).questions == 500


def test_what_was_forgotten_and_begun_again_stays_its_full_time(store, clock):
    count_up(store, "ann")
    store.forget(ConversationKey("ann", "weather"))
    clock.pass_time(minutes=3)
    count_up(store, "ann")
    clock.pass_time(minutes=3)
    count_up(store, "ben")
    assert store.peek(ConversationKey("ann", "weather")).questions == 1
    clock.pass_time(minutes=3)
    count_up(store, "ben")
    assert store.peek(ConversationKey("ann", "weather")) is None


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


class Mood(StrEnum):
    GOOD = "good"


def test_replies_are_the_same_whether_conversations_are_packed_or_not(clock):
    packed, live = (
        Engine("cafe", clock=clock, store=MemoryStore(clock, max_unpacked=most))
        for most in (1, 1_000)
    )
    for text in ("How much is a coffee at Starbucks?", "And a large tea?", "And at Costa?", "Hm"):
        for user in ("ann", "ben", "eve"):
            reply, expected = (engine.ask(text, user=user) for engine in (packed, live))
            assert reply == expected
        clock.pass_time(minutes=2)
    assert sum(isinstance(kept, bytes) for kept in kept_in(packed.store)) == 2


def test_conversations_beyond_the_newest_are_packed_one_at_a_time(clock):
    store = MemoryStore(clock, max_unpacked=10)
    for number in range(500):
        count_up(store, str(number))
    count_up(store, "3")
    unpacked = [kept.user for kept in kept_in(store) if not isinstance(kept, bytes)]
    assert unpacked == [*map(str, range(491, 500)), "3"]
    assert store.peek(ConversationKey("3", "weather")).questions == 2
    assert len(store) == 500


def test_packed_conversations_are_forgotten_and_expire_as_others(clock):
    store = MemoryStore(clock, max_unpacked=1, max_conversations=100)
    for number in range(200):
        count_up(store, str(number))
    assert len(store) == 100
    store.forget(ConversationKey("150", "weather"))
    store.forget(ConversationKey("199", "weather"))
    assert (len(store), len(store._conversations.unpacked)) == (98, 0)
    clock.pass_time(minutes=6)
    assert store.peek(ConversationKey("160", "weather")) is None
    store.scrub("160")
    assert (len(store), store._conversations.scheduled) == (0, set())


@pytest.mark.parametrize("value", [(1, 2), {1: 2}, {"a"}, float("nan"), Mood.GOOD, object()])
def test_a_conversation_with_what_json_would_change_is_not_packed(clock, value):
    store = MemoryStore(clock, max_unpacked=0)
    with store.open(ANN, TIMEOUT) as session:
        session.commit(replace_data(session.conversation, {"inner": [value]}))
    (kept,) = store.peek(ANN).data["inner"]
    assert type(kept) is type(freeze(value))
    with store.open(ANN, TIMEOUT) as session:
        session.commit(replace_data(session.conversation, {"inner": [1]}))
    assert isinstance(*kept_in(store), bytes)


def kept_in(store):
    return [kept for kept, _ in store._conversations.entries.values()]
