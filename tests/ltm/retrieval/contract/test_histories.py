"""Working histories and summaries in a recall store."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from anaphora.ltm.history.measure import WORDS, Measure
from anaphora.ltm.history.working_history import History, HistorySettings
from anaphora.ltm.retrieval.store import (
    TermStatistics,
)
from tests.ltm.retrieval.store_contract import (
    ANN,
    ANN_HOTELS,
    BEN,
    NO_FILTER,
    OF_ANN,
    add_exchanges,
    compress,
    make_exchange,
    make_summary,
    matching,
    questions,
    vector,
    without_ids,
)
from tests.ltm.retrieval.stored_rows import stored_summary


def test_an_unknown_conversation_is_empty(store):
    add_exchanges(store, BEN, "hello")
    assert store.history(ANN) == History()
    assert list(store.exchanges(ANN, first=1, last=9)) == []
    assert list(store.latest(ANN, 9)) == []
    assert stored_summary(store, ANN, 1) is None
    assert store.fetch(OF_ANN, [1, 2]) == {}
    assert list(store.list_ids(OF_ANN, NO_FILTER, skip=0, limit=9)) == []
    assert list(store.find_matching(OF_ANN, ("hello",), NO_FILTER, 9)) == []
    assert list(store.find_nearest(OF_ANN, "m", vector(1, 0), NO_FILTER, 9)) == []
    assert store.statistics(OF_ANN, ("hello",)) == TermStatistics(0, 0.0, {"hello": 0})
    assert store.erase(OF_ANN) == 0


def test_a_history_has_all_exchanges_and_counts_their_words(store):
    add_exchanges(
        store,
        ANN,
        make_exchange("what is the weather", "rain"),
        make_exchange("and tomorrow", "sun and wind"),
    )
    history = store.history(ANN)
    assert questions(history.exchanges) == ["what is the weather", "and tomorrow"]
    assert history.summaries == ()
    assert history.size == 5 + 5 == WORDS.total(history.parts)


def test_the_oldest_exchange_leaves_a_long_history_but_stays_stored(home):
    store = home.store(HistorySettings(max_exchanges=3))
    add_exchanges(store, ANN, "one", "two two", "three")
    add_exchanges(store, ANN, "four", "five")
    history = store.history(ANN)
    assert questions(history.exchanges) == ["three", "four", "five"]
    assert history.size == 3
    assert questions(store.exchanges(ANN, first=1, last=2)) == ["one", "two two"]
    assert matching(store, OF_ANN, "two") == ["two two"]


def test_a_batch_may_be_longer_than_a_history(home):
    store = home.store(HistorySettings(max_exchanges=3))
    add_exchanges(store, ANN, *(f"say {number}" for number in range(10)))
    history = store.history(ANN)
    assert questions(history.exchanges) == ["say 7", "say 8", "say 9"]
    assert history.size == 6


def test_sizes_are_recounted_in_another_measure(home):
    first = home.store()
    add_exchanges(
        first,
        ANN,
        make_exchange("one two", "three"),
        make_exchange("four", ""),
        make_exchange("five six", ""),
    )
    add_exchanges(first, BEN, "just me")
    assert compress(first, ANN, 1, "all in short")
    assert first.history(ANN).size == 3 + 1 + 2
    letters = Measure("letters", len)
    second = home.store(measure=letters)
    assert second.measure == letters
    assert second.history(ANN).size == 12 + 4 + 8
    assert second.history(BEN).size == 7
    add_exchanges(second, ANN, "six")
    assert second.history(ANN).size == 12 + 4 + 8 + 3


def test_oversized_histories_are_found(home):
    store = home.store(HistorySettings(max_size=3))
    add_exchanges(store, ANN, "one two", "three four")
    add_exchanges(store, BEN, "one two", "three")  # not larger than allowed
    add_exchanges(store, ANN_HOTELS, "one two three four")
    assert set(store.find_oversized(9)) == {ANN, ANN_HOTELS}
    assert len(store.find_oversized(1)) == 1
    assert compress(store, ANN, 2, "short")
    assert list(store.find_oversized(9)) == [ANN_HOTELS]


def test_a_summary_replaces_exchanges(store):
    add_exchanges(store, ANN, "one one", "two two", "three", "four")
    before = store.history(ANN)
    short = make_summary(before.exchanges[:2], "ones and twos")
    assert store.compress(ANN, before.exchanges[:2], [short]) is True
    history = store.history(ANN)
    assert without_ids(history.summaries) == [short]
    assert history.exchanges == before.exchanges[2:]
    assert history.size == 3 + 2
    assert history.summaries[0].id > 0
    assert stored_summary(store, ANN, history.summaries[0].id) == history.summaries[0]
    assert questions(store.exchanges(ANN, first=1, last=2)) == ["one one", "two two"]
    assert matching(store, OF_ANN, "one") == ["one one"]


def test_several_segments_are_replaced_at_once(store):
    add_exchanges(store, ANN, *"abcdef")
    exchanges = store.history(ANN).exchanges
    pair = [make_summary(exchanges[:2], "a and b"), make_summary(exchanges[2:4], "c and d")]
    assert store.compress(ANN, exchanges[:4], pair)
    assert compress(store, ANN, 1, "just e")
    history = store.history(ANN)
    assert [each.text for each in history.summaries] == ["a and b", "c and d", "just e"]
    assert [(each.first, each.last) for each in history.summaries] == [(1, 2), (3, 4), (5, 5)]
    assert questions(history.exchanges) == ["f"]


def test_summaries_replaced_by_a_summary_stay_readable(store):
    add_exchanges(store, ANN, *"abcd")
    assert compress(store, ANN, 2, "a b")
    assert compress(store, ANN, 1, "c")
    replaced = store.history(ANN).summaries
    assert compress(store, ANN, 2, "all", level=2)
    (whole,) = store.history(ANN).summaries
    assert (whole.first, whole.last, whole.level) == (1, 3, 2)
    assert whole.of == tuple(each.id for each in replaced)
    assert tuple(stored_summary(store, ANN, id) for id in whole.of) == replaced
    assert store.history(ANN).size == 2


def test_a_summary_may_replace_summaries_and_exchanges(store):
    add_exchanges(store, ANN, *"abcd")
    assert compress(store, ANN, 2, "a b")
    parts = tuple(store.history(ANN).parts)[:2]
    assert store.compress(ANN, parts, [make_summary(parts, "a b c", level=2)])
    history = store.history(ANN)
    assert [each.text for each in history.summaries] == ["a b c"]
    assert questions(history.exchanges) == ["d"]


def test_parts_that_are_not_the_oldest_are_not_replaced(store):
    add_exchanges(store, ANN, *"abcdef")
    add_exchanges(store, BEN, *"abcdef")
    before = store.history(ANN).exchanges
    assert compress(store, ANN, 2, "first")
    assert compress(store, ANN, 1, "second")
    history = store.history(ANN)
    stale = [
        before[:2],  # replaced already
        before[1:5],  # in part
        before[4:],  # there are older ones
        (before[4], before[3]),  # in another order
        history.summaries[1:],
        (*history.summaries[::-1],),
        (replace(history.summaries[0], id=10_000), *history.exchanges),
        store.history(BEN).exchanges[:2],
        (),
    ]
    for parts in stale:
        by = [make_summary(parts, "stale")] if parts else []
        assert store.compress(ANN, parts, by) is False
    assert store.history(ANN) == history


def test_a_summary_of_erased_exchanges_does_not_replace_new_ones(store):
    add_exchanges(store, ANN, "my secret", "and more")
    before = store.history(ANN).exchanges
    store.erase(OF_ANN)
    add_exchanges(store, ANN, "hello", "again")
    assert store.compress(ANN, before, [make_summary(before, "the secret")]) is False
    assert store.history(ANN).summaries == ()


def test_one_of_two_concurrent_compressions_succeeds(store, home):
    add_exchanges(store, ANN, *"abcd")
    parts = store.history(ANN).exchanges[:2]

    def attempt(who: str) -> bool:
        return home.store().compress(ANN, parts, [make_summary(parts, who)])

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(attempt, "wxyz")) == [False, False, False, True]
    assert len(store.history(ANN).summaries) == 1


def test_a_summary_belongs_to_its_conversation(store):
    add_exchanges(store, ANN, "secret")
    add_exchanges(store, BEN, "hello")
    assert compress(store, ANN, 1)
    (short,) = store.history(ANN).summaries
    assert stored_summary(store, BEN, short.id) is None
    assert stored_summary(store, ANN_HOTELS, short.id) is None
    assert stored_summary(store, ANN, short.id + 1) is None


def test_summaries_stay_when_exchanges_leave_a_history(home):
    store = home.store(HistorySettings(max_exchanges=2))
    add_exchanges(store, ANN, "a", "b")
    assert compress(store, ANN, 1, "just a")
    add_exchanges(store, ANN, "c", "d")
    history = store.history(ANN)
    assert [each.text for each in history.summaries] == ["just a"]
    assert questions(history.exchanges) == ["c", "d"]
    assert history.size == 4
