"""What every store promises, whatever it keeps conversations in."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier, Event

import pytest
from hypothesis import HealthCheck, given, settings
from msgspec.structs import replace

from anaphora import Conflict, Conversation, StoreError
from anaphora.stm.conversation import ConversationKey
from tests.stm.stores.store_homes import (
    ANN,
    BEN,
    PATIENCE,
    TIMEOUT,
    count_up,
    noise,
    questions,
    until,
)
from tests.stm.strategies import conversations
from tests.support.examples import examples

ODD = (
    "",
    " ",
    "a\nb",
    "a\0b",
    "a\0",
    "\ud800",
    "\udfff\ud800",
    "%2F",
    "/",
    "../../etc/passwd",
    ":",
    "{a}",
    "*",
    "a:b",
    "🌧️",
    "é",
    "e\u0301",
    "Ann",
    "ann",
    "'; DROP TABLE conversations; --",
    "x" * 20_000,
)


def test_a_conversation_begins_empty_and_is_kept_once_committed(store):
    assert store.peek(ANN) is None
    with store.open(ANN, TIMEOUT) as session:
        assert session.conversation == Conversation("ann", "weather")
        session.commit(replace(session.conversation, questions=7))
    with store.open(ANN, TIMEOUT) as session:
        assert session.conversation.questions == 7
    assert store.peek(ConversationKey("ann", "cafe")) is None
    assert store.peek(BEN) is None


def test_what_is_committed_last_is_kept(store):
    with store.open(ANN, TIMEOUT) as session:
        session.commit(replace(session.conversation, questions=1))
        session.commit(replace(session.conversation, questions=2))
    assert questions(store, ANN) == 2


def test_without_a_commit_nothing_is_kept(store):
    with store.open(ANN, TIMEOUT):
        pass
    assert store.peek(ANN) is None
    count_up(store, ANN)
    with store.open(ANN, TIMEOUT):
        pass
    assert questions(store, ANN) == 1


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt, GeneratorExit])
def test_an_error_leaves_no_trace_even_after_a_commit(store, error):
    count_up(store, ANN)

    def fail() -> None:
        with store.open(ANN, TIMEOUT) as session:
            session.commit(replace(session.conversation, questions=99))
            raise error

    with pytest.raises(error):
        fail()
    assert questions(store, ANN) == 1
    assert count_up(store, ANN) == 2


def test_a_conversation_with_nothing_in_it_is_not_kept(store):
    count_up(store, ANN)
    with store.open(ANN, TIMEOUT) as session:
        session.commit(Conversation("ann", "weather"))
    assert store.peek(ANN) is None
    assert list(store.keys()) == []


def test_what_is_forgotten_is_gone_and_begins_anew(store):
    count_up(store, ANN)
    count_up(store, BEN)
    store.forget(ANN)
    store.forget(ConversationKey("nobody", "weather"))
    assert store.peek(ANN) is None
    assert list(store.keys()) == [BEN]
    assert count_up(store, ANN) == 1


def test_it_lists_what_it_keeps(store):
    assert list(store.keys()) == []
    keys = {ConversationKey(f"user {number}", "weather", "acme") for number in range(20)}
    for key in keys:
        count_up(store, key)
    assert set(store.keys()) == keys


def test_what_comes_and_goes_while_it_is_listed_is_no_error(store):
    for number in range(20):
        count_up(store, ConversationKey(f"user {number}", "weather"))
    listed = store.keys()
    first = next(listed)
    for key in set(store.keys()) - {first}:
        store.forget(key)
        count_up(store, key._replace(tenant="acme"))
    assert len(set(listed)) <= 40


def test_the_users_of_one_tenant_are_not_those_of_another(store):
    keys = [ConversationKey("ann", "weather", tenant) for tenant in ("", "acme", "Acme")]
    for number, key in enumerate(keys, 1):
        for _ in range(number):
            count_up(store, key)
    assert [questions(store, key) for key in keys] == [1, 2, 3]
    store.forget(keys[1])
    assert [questions(store, key) for key in keys] == [1, 0, 3]


def test_each_session_is_later_than_whatever_was_committed_before(store):
    before = 0
    for key in (ANN, BEN, ANN):
        with store.open(key, TIMEOUT) as session:
            assert session.clock > before
            session.commit(replace(session.conversation, questions=1, clock=session.clock))
            before = session.clock
    store.forget(ANN)
    with store.open(ANN, TIMEOUT) as session:
        assert session.clock > before


def test_whatever_ids_hold_they_are_told_apart_and_read_back(store):
    odd = [ConversationKey(id, "m") for id in ODD]
    odd += [ConversationKey("u", id) for id in ODD] + [ConversationKey("u", "m", id) for id in ODD]
    odd += [
        ConversationKey("a", "b", "c"),
        ConversationKey("a:b", "c"),
        ConversationKey("ab", "", "c"),
        ConversationKey("", "ab", "c"),
    ]
    keys = list(dict.fromkeys(odd))
    for number, key in enumerate(keys, 1):
        with store.open(key, TIMEOUT) as session:
            assert session.conversation == Conversation.empty(key)
            session.commit(replace(session.conversation, questions=number))
    assert [questions(store, key) for key in keys] == list(range(1, len(keys) + 1))
    assert set(store.keys()) == set(keys)


@settings(
    max_examples=examples(40),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(conversation=conversations)
def test_whatever_a_conversation_holds_is_read_back(store, conversation):
    with store.open(conversation.key, TIMEOUT) as session:
        session.commit(conversation)
    found = store.peek(conversation.key)
    assert (found or Conversation.empty(conversation.key)) == conversation


def test_a_long_conversation_is_read_back(store):
    long = replace(Conversation("ann", "weather"), data={"text": noise(1_000_000)})
    with store.open(ANN, TIMEOUT) as session:
        session.commit(long)
    assert store.peek(ANN) == long


def test_what_cannot_be_kept_leaves_the_memory_as_it_was(lasting):
    store = lasting.store()
    count_up(store, ANN)
    with (
        pytest.raises(StoreError, match="ann"),
        store.open(ANN, TIMEOUT) as session,
    ):
        session.commit(replace(session.conversation, data={"file": object()}))
    assert questions(store, ANN) == 1
    assert count_up(store, ANN) == 2


def test_threads_in_one_conversation_lose_no_question(store):
    with ThreadPoolExecutor(16) as pool:
        counted = list(pool.map(lambda _: count_up(store, ANN), range(300)))
    assert sorted(counted) == list(range(1, 301))


def test_threads_in_many_conversations_lose_no_question(store):
    keys = [ConversationKey(f"user {number % 60}", "weather") for number in range(300)]
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda key: count_up(store, key), keys))
    assert {questions(store, key) for key in keys} == {5}


def test_two_stores_of_one_home_take_turns(lasting):
    stores = [lasting.store(), lasting.store()]
    with ThreadPoolExecutor(4) as pool:
        counted = list(pool.map(lambda number: count_up(stores[number % 2], ANN), range(100)))
    assert sorted(counted) == list(range(1, 101))
    assert [questions(store, ANN) for store in stores] == [100, 100]


def test_different_conversations_are_open_side_by_side(store):
    both = Barrier(2, timeout=PATIENCE)

    def hold(key: ConversationKey) -> None:
        with store.open(key, TIMEOUT) as session:
            both.wait()
            session.commit(replace(session.conversation, questions=1))

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(hold, (ANN, BEN)))
    assert questions(store, ANN) == questions(store, BEN) == 1


def test_a_thread_that_opens_what_it_holds_is_told_so_at_once(store):
    with store.open(ANN, TIMEOUT):
        count_up(store, BEN)
        with pytest.raises(Conflict, match="very thread"):
            count_up(store, ANN)
        with pytest.raises(Conflict, match="very thread"):
            store.forget(ANN)
    assert count_up(store, ANN) == 1


@pytest.mark.parametrize("meddle", [count_up, lambda store, key: store.forget(key)])
def test_a_question_waits_only_so_long_for_its_turn(home, meddle):
    store = home.store("wait=0.05")
    held, done = Event(), Event()

    def hold() -> None:
        with store.open(ANN, TIMEOUT) as session:
            held.set()
            assert done.wait(PATIENCE)
            session.commit(replace(session.conversation, questions=7))

    with ThreadPoolExecutor(1) as pool:
        holding = pool.submit(hold)
        assert held.wait(PATIENCE)
        with pytest.raises(Conflict, match="busy"):
            meddle(store, ANN)
        done.set()
        holding.result()
    assert count_up(store, ANN) == 8


def test_another_store_waits_only_so_long_for_its_turn(lasting):
    first, second = lasting.store(), lasting.store("wait=0.05")
    with first.open(ANN, TIMEOUT) as session:
        with pytest.raises(Conflict, match="busy"):
            count_up(second, ANN)
        count_up(second, BEN)
        session.commit(replace(session.conversation, questions=7))
    assert count_up(second, ANN) == 8


def test_to_look_at_a_conversation_waits_for_nobody(store):
    count_up(store, ANN)
    with store.open(ANN, TIMEOUT) as session:
        session.commit(replace(session.conversation, questions=99))
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(store.peek, ANN).result(PATIENCE).questions == 1
            assert pool.submit(lambda: list(store.keys())).result(PATIENCE) == [ANN]
    assert questions(store, ANN) == 99


def test_a_conversation_is_forgotten_after_the_question_that_is_being_answered(store):
    held = Event()

    def hold() -> None:
        with store.open(ANN, TIMEOUT) as session:
            held.set()
            session.commit(replace(session.conversation, questions=7))

    with ThreadPoolExecutor(1) as pool:
        holding = pool.submit(hold)
        assert held.wait(PATIENCE)
        store.forget(ANN)
        holding.result()
    assert store.peek(ANN) is None


def test_an_idle_conversation_leaves(home, store):
    short = timedelta(milliseconds=50)
    count_up(store, ANN, short)
    count_up(store, BEN)
    home.idle(store, short)
    until(lambda: store.peek(ANN) is None)
    assert list(store.keys()) == [BEN]
    assert (count_up(store, ANN), count_up(store, BEN)) == (1, 2)


def test_a_pause_of_exactly_the_timeout_is_none(clocked, clock):
    store = clocked.store()
    count_up(store, ANN)
    clock.pass_time(minutes=5)
    assert questions(store, ANN) == 1
    assert count_up(store, ANN) == 2


def test_what_has_expired_is_found_by_nobody(clocked, clock):
    store = clocked.store()
    count_up(store, ANN)
    store.put_note("shelf", "name", "text", TIMEOUT)
    clock.pass_time(minutes=5, microseconds=1)
    assert store.peek(ANN) is None
    assert list(store.keys()) == []
    assert store.get_note("shelf", "name") is None
    assert store.list_notes("shelf") == {}
    assert count_up(store, ANN) == 1


def test_each_question_puts_the_end_off(clocked, clock):
    store = clocked.store()
    for _ in range(5):
        count_up(store, ANN)
        clock.pass_time(minutes=4)
        count_up(store, BEN)
    assert questions(store, ANN) == 5


def test_a_timeout_beyond_the_calendar_is_no_error(store):
    count_up(store, ANN, timedelta.max)
    store.put_note("shelf", "name", "text", timedelta.max)
    count_up(store, BEN)
    assert questions(store, ANN) == 1
    assert store.get_note("shelf", "name") == "text"


def test_another_store_finds_what_one_has_kept(lasting):
    first = lasting.store()
    count_up(first, ANN)
    first.put_note("shelf", "name", "text", TIMEOUT)
    assert questions(lasting.store(), ANN) == 1
    first.close()
    assert questions(lasting.store(), ANN) == 1
    assert lasting.store().get_note("shelf", "name") == "text"


def test_a_note_is_found_until_it_is_taken_away(store):
    assert store.get_note("models", "ann") is None
    assert store.list_notes("models") == {}
    store.put_note("models", "ann", "weather", TIMEOUT)
    store.put_note("models", "ben", "cafe", TIMEOUT)
    store.put_note("models", "ann", "sales", TIMEOUT)
    store.put_note("others", "ann", "…", TIMEOUT)
    assert store.list_notes("models") == {"ann": "sales", "ben": "cafe"}
    assert store.get_note("models", "ann") == "sales"
    store.delete_note("models", "ann")
    store.delete_note("models", "nobody")
    store.delete_note("nowhere", "ann")
    assert store.get_note("models", "ann") is None
    assert store.list_notes("models") == {"ben": "cafe"}
    assert store.list_notes("others") == {"ann": "…"}
    assert list(store.keys()) == []


def test_whatever_notes_are_called_they_are_told_apart_and_read_back(store):
    for text in ODD:
        store.put_note("shelf", text, text, TIMEOUT)
        store.put_note(text, "name", text, TIMEOUT)
    assert store.list_notes("shelf") == {text: text for text in ODD}
    assert [store.get_note(text, "name") for text in ODD] == list(ODD)


def test_a_shelf_is_cleared_when_nothing_has_been_put_on_it_for_long(home, store):
    short = timedelta(milliseconds=50)
    store.put_note("shelf", "name", "text", short)
    store.put_note("other", "name", "text", TIMEOUT)
    home.idle(store, short)
    until(lambda: store.get_note("shelf", "name") is None)
    store.put_note("shelf", "new", "text", short)
    assert store.list_notes("shelf") == {"new": "text"}
    assert store.list_notes("other") == {"name": "text"}


def test_a_shelf_stays_as_long_as_the_note_that_stays_longest(home, store):
    store.put_note("shelf", "long", "text", TIMEOUT)
    store.put_note("shelf", "short", "text", timedelta(milliseconds=1))
    home.idle(store, timedelta(seconds=1))
    assert store.list_notes("shelf") == {"long": "text", "short": "text"}


def test_a_store_says_that_it_can_be_used(store):
    count_up(store, ANN)
    store.ping()
    assert count_up(store, ANN) == 2


def test_a_store_can_be_closed_twice(store):
    count_up(store, ANN)
    store.close()
    store.close()


@pytest.mark.parametrize(
    "use",
    [
        lambda store: store.peek(ANN),
        lambda store: count_up(store, ANN),
        lambda store: store.forget(ANN),
        lambda store: list(store.keys()),
        lambda store: store.get_note("shelf", "name"),
        lambda store: store.put_note("shelf", "name", "text", TIMEOUT),
        lambda store: store.ping(),
    ],
)
def test_a_store_that_is_closed_says_so(lasting, use):
    store = lasting.store()
    count_up(store, ANN)
    store.close()
    with pytest.raises(StoreError, match="closed"):
        use(store)
