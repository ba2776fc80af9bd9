"""Erasure and expiry in a recall store."""

from __future__ import annotations

from datetime import timedelta

from anaphora.ltm.history.working_history import History, HistorySettings
from anaphora.ltm.retrieval.store import (
    JournalPosition,
    TermStatistics,
)
from anaphora.stm.conversation import ConversationKey
from tests.ltm.retrieval.contract.helpers import fill
from tests.ltm.retrieval.store_contract import (
    ANN,
    ANN_ELSEWHERE,
    ANN_HOTELS,
    BEGIN,
    BEN,
    NO_FILTER,
    OF_ANN,
    OF_BEN,
    add_exchanges,
    compress,
    ids_of,
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
from tests.ltm.retrieval.stored_rows import stored_keys, stored_summary


def assert_nothing_of(store, key: ConversationKey) -> None:
    assert store.history(key) == History()
    assert list(store.latest(key, 9)) == []
    assert key not in set(stored_keys(store))
    assert [stored_summary(store, key, id) for id in range(1, 30)] == [None] * 29


def test_a_user_is_erased_completely_and_others_stay(store, home):
    fill(store)
    other = home.store()
    ids = {key: ids_of(store, key) for key in (ANN, BEN)}
    before = [(store.history(key), store.latest(key, 9)) for key in (BEN, ANN_ELSEWHERE)]
    assert store.erase(OF_ANN) == 6
    for each in (store, other):
        assert_nothing_of(each, ANN)
        assert_nothing_of(each, ANN_HOTELS)
        assert listed(each, OF_ANN) == matching(each, OF_ANN, "secret", "two") == []
        assert each.statistics(OF_ANN, ("secret",)) == TermStatistics(0, 0.0, {"secret": 0})
        assert list(each.find_nearest(OF_ANN, "m", vector(1, 0), NO_FILTER, 9)) == []
        after = [(each.history(key), each.latest(key, 9)) for key in (BEN, ANN_ELSEWHERE)]
        assert after == before
        assert each.token_vectors(OF_ANN, "t", ids[ANN]) == {}
        assert len(each.find_nearest(OF_BEN, "m", vector(1, 0), NO_FILTER, 9)) == 3
        assert each.token_vectors(OF_BEN, "t", ids[BEN]).keys() == set(ids[BEN])
        assert each.statistics(OF_BEN, ("secret",)).frequency == {"secret": 1}
    assert set(stored_keys(store)) == {BEN, ANN_ELSEWHERE}
    assert store.erase(OF_ANN) == 0


def test_erasure_can_be_limited_to_one_model(store):
    fill(store)
    assert store.erase(OF_ANN, model="weather") == 3
    assert_nothing_of(store, ANN)
    assert len(store.latest(ANN_HOTELS, 9)) == 3
    assert matching(store, OF_ANN, "secret") == ["secret one"]
    assert store.statistics(OF_ANN, ("secret", "two")) == TermStatistics(
        3, 5 / 3, {"secret": 1, "two": 1}
    )
    assert len(store.find_nearest(OF_ANN, "m", vector(1, 0), NO_FILTER, 9)) == 3
    assert store.erase(OF_ANN, model="weather") == 0
    assert store.erase(OF_ANN) == 3
    assert set(stored_keys(store)) == {BEN, ANN_ELSEWHERE}


def test_an_erased_conversation_starts_over(store):
    old = add_exchanges(store, ANN, "a", "b")
    store.erase(OF_ANN)
    (id,) = add_exchanges(store, ANN, "c")
    assert [each.number for each in store.latest(ANN, 9)] == [1]
    assert id not in old
    assert store.history(ANN).size == 1
    assert store.fetch(OF_ANN, old) == {}


def test_expiry_keeps_the_numbers_of_the_rest(store):
    ids = add_exchanges(
        store,
        ANN,
        make_exchange("a a", minute=0),
        make_exchange("b", minute=1),
        make_exchange("c", minute=2),
    )
    add_exchanges(store, BEN, make_exchange("old", minute=0))
    store.put_vectors("m", ids, stack_vectors(*[vector(1, 0)] * 3))
    store.put_token_vectors("t", ids, [b"a", b"b", b"c"])
    assert store.expire(BEGIN + timedelta(minutes=1)) == 2
    assert store.token_vectors(OF_ANN, "t", ids) == {ids[1]: b"b", ids[2]: b"c"}
    assert [(each.number, each.question) for each in store.exchanges(ANN, first=1, last=9)] == [
        (2, "b"),
        (3, "c"),
    ]
    history = store.history(ANN)
    assert (questions(history.exchanges), history.size) == (["b", "c"], 2)
    assert list(stored_keys(store)) == [ANN]
    assert matching(store, OF_ANN, "a", "b") == ["b"]
    assert store.statistics(OF_ANN, ("a", "b")) == TermStatistics(2, 1.0, {"a": 0, "b": 1})
    assert len(store.find_nearest(OF_ANN, "m", vector(1, 0), NO_FILTER, 9)) == 2
    add_exchanges(store, ANN, "d")
    assert [each.number for each in store.latest(ANN, 1)] == [4]
    add_exchanges(store, BEN, "new")
    assert [each.number for each in store.latest(BEN, 1)] == [1]


def test_the_oldest_expire_first_up_to_the_limit(store):
    add_exchanges(store, ANN, *(make_exchange(str(number), minute=number) for number in range(5)))
    add_exchanges(store, BEN, make_exchange("in between", minute=1.5))
    before = BEGIN + timedelta(minutes=4)
    assert store.expire(before, limit=3) == 3
    assert (listed(store, OF_ANN), listed(store, OF_BEN)) == (["4", "3", "2"], [])
    assert store.expire(before, limit=3) == 2
    assert store.expire(before, limit=3) == 0
    assert listed(store, OF_ANN) == ["4"]


def test_a_summary_expires_with_the_last_exchange_it_covers(store):
    add_exchanges(
        store, ANN, *(make_exchange(letter, minute=place) for place, letter in enumerate("abcdef"))
    )
    assert compress(store, ANN, 2, "a and b")
    assert compress(store, ANN, 2, "c and d")
    first, second = store.history(ANN).summaries
    assert compress(store, ANN, 2, "a to d", level=2)
    (whole,) = store.history(ANN).summaries
    assert store.expire(BEGIN + timedelta(minutes=3)) == 3
    assert stored_summary(store, ANN, first.id) is None
    assert stored_summary(store, ANN, second.id) == second
    assert store.history(ANN).summaries == (whole,)
    assert store.history(ANN).size == 3 + 2
    assert store.expire(BEGIN + timedelta(minutes=4)) == 1
    assert stored_summary(store, ANN, second.id) is stored_summary(store, ANN, whole.id) is None
    history = store.history(ANN)
    assert (history.summaries, questions(history.exchanges), history.size) == ((), ["e", "f"], 2)


def test_a_late_old_exchange_expires_alone(store):
    add_exchanges(
        store,
        ANN,
        make_exchange("new", minute=5),
        make_exchange("old", minute=0),
        make_exchange("newer", minute=6),
    )
    assert store.expire(BEGIN + timedelta(minutes=1)) == 1
    history = store.history(ANN)
    assert (questions(history.exchanges), history.size) == (["new", "newer"], 2)
    assert [each.number for each in history.exchanges] == [1, 3]
    parts = history.exchanges
    assert store.compress(ANN, parts, [make_summary(parts, "both")])
    assert store.history(ANN).size == 1


def test_a_history_with_gaps_is_shortened_correctly(home):
    store = home.store(HistorySettings(max_exchanges=3))
    add_exchanges(
        store,
        ANN,
        make_exchange("a", minute=9),
        make_exchange("old", minute=0),
        make_exchange("c", minute=9),
    )
    assert store.expire(BEGIN + timedelta(minutes=1)) == 1
    store.add([make_new_exchange(ANN, make_exchange("d", minute=10))])
    assert questions(store.history(ANN).exchanges) == ["a", "c", "d"]
    store.add(
        [
            make_new_exchange(ANN, make_exchange("e", minute=11)),
            make_new_exchange(ANN, make_exchange("f", minute=12)),
        ]
    )
    history = store.history(ANN)
    assert (questions(history.exchanges), history.size) == (["d", "e", "f"], 3)
    assert store.expire(BEGIN + timedelta(minutes=10, seconds=1)) == 3
    store.add([make_new_exchange(ANN, make_exchange("g", minute=13))])
    history = store.history(ANN)
    assert (questions(history.exchanges), history.size) == (["e", "f", "g"], 3)


def test_exchanges_from_before_an_erasure_are_ignored(store):
    store.add([make_new_exchange(ANN, make_question(10))])
    assert store.erase(OF_ANN, clock=20) == 1
    later = [
        make_new_exchange(ANN, make_question(15)),
        make_new_exchange(ANN, make_question(20)),
        make_new_exchange(ANN, make_question(21)),
        make_new_exchange(BEN, make_question(15)),
    ]
    store.add(later, mark=JournalPosition("journal", 7))
    assert questions(store.latest(ANN, 9)) == ["q21"]
    assert questions(store.latest(BEN, 9)) == ["q15"]
    assert store.journal_position("journal") == 7
    assert store.clock() == 21


def test_an_erasure_applies_up_to_the_last_exchange(store):
    store.add([make_new_exchange(ANN, make_question(10))])
    store.erase(OF_ANN, clock=5)
    store.add([make_new_exchange(ANN, make_question(9)), make_new_exchange(ANN, make_question(11))])
    assert questions(store.latest(ANN, 9)) == ["q11"]


def test_a_late_erasure_does_not_revoke_a_later_one(store):
    store.erase(OF_ANN, clock=20)
    store.erase(OF_ANN, clock=10)
    store.add([make_new_exchange(ANN, make_question(15))])
    assert store.latest(ANN, 9) == []


def test_after_erasure_of_one_model_others_continue(store):
    other = ANN._replace(model="other")
    store.erase(OF_ANN, model=ANN.model, clock=20)
    store.add([make_new_exchange(key, make_question(15)) for key in (ANN, other)])
    assert (list(store.latest(ANN, 9)), len(store.latest(other, 9))) == ([], 1)


def test_several_models_are_erased_at_once(store):
    third = ANN._replace(model="flights")
    for key in (ANN, ANN_HOTELS, third, BEN):
        add_exchanges(store, key, "one", "two")
    assert store.count_by_model(OF_ANN) == {ANN.model: 2, ANN_HOTELS.model: 2, "flights": 2}
    assert store.erase(OF_ANN, model=frozenset((ANN.model, "flights", "unknown")), clock=20) == 4
    assert store.count_by_model(OF_ANN) == {ANN_HOTELS.model: 2}
    assert store.count_by_model(OF_BEN) == {BEN.model: 2}
    assert store.statistics(OF_ANN, ("one",)) == TermStatistics(2, 1.0, {"one": 1})
    store.add([make_new_exchange(key, make_question(15)) for key in (ANN, ANN_HOTELS, third)])
    assert store.count_by_model(OF_ANN) == {ANN_HOTELS.model: 3}
    assert store.erase(OF_ANN, model=frozenset()) == 0
    assert store.erase(OF_ANN, model=frozenset((ANN_HOTELS.model,))) == 3
    assert store.count_by_model(OF_ANN) == {}
