"""Order of exchanges that arrive late or twice."""

from __future__ import annotations

from itertools import count

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anaphora.ltm.retrieval.store import (
    TermStatistics,
)
from anaphora.stm.conversation import ConversationKey
from tests.ltm.retrieval.store_contract import (
    ANN,
    OF_ANN,
    compress,
    listed,
    make_new_exchange,
    make_question,
    questions,
)
from tests.ltm.retrieval.stored_rows import stored_summary

NUMBERS = count()


def test_a_late_exchange_takes_its_place(store):
    store.add([make_new_exchange(ANN, make_question(clock)) for clock in (10, 30, 50)])
    store.add([make_new_exchange(ANN, make_question(clock)) for clock in (40, 5, 60, 20)])
    kept = store.history(ANN)
    assert [(one.number, one.clock) for one in kept.exchanges] == [
        (1, 5), (2, 10), (3, 20), (4, 30), (5, 40), (6, 50), (7, 60),
    ]  # fmt: skip
    assert kept.size == 7
    assert [one.clock for one in store.latest(ANN, 3)] == [60, 50, 40]


def test_exchanges_of_the_same_time_are_listed_by_clock(store):
    store.add([make_new_exchange(ANN, make_question(clock)) for clock in (20, 10)])
    assert listed(store, OF_ANN) == ["q20", "q10"]


def test_a_duplicate_is_not_stored(store):
    store.add([make_new_exchange(ANN, make_question(clock)) for clock in (10, 20)])
    store.add([make_new_exchange(ANN, make_question(clock)) for clock in (10, 20, 30)])
    assert questions(store.history(ANN).exchanges) == ["q10", "q20", "q30"]
    assert store.history(ANN).size == 3
    assert store.statistics(OF_ANN, ("q10",)).frequency == {"q10": 1}
    assert store.statistics(OF_ANN, ()).documents == 3


def test_exchanges_of_the_same_clock_are_ordered_by_arrival(store):
    for question in ("a", "b", "c"):
        store.add([make_new_exchange(ANN, make_question(10, question))])
    assert questions(store.history(ANN).exchanges) == ["a", "b", "c"]


def test_an_exchange_later_than_its_summary_is_covered_by_it(store):
    store.add([make_new_exchange(ANN, make_question(clock)) for clock in range(10, 60, 10)])
    assert compress(store, ANN, 2)
    size = store.history(ANN).size
    store.add(
        [
            make_new_exchange(ANN, make_question(15)),
            make_new_exchange(ANN, make_question(5)),
            make_new_exchange(ANN, make_question(25)),
        ]
    )
    kept = store.history(ANN)
    (short,) = kept.summaries
    assert (short.first, short.last) == (2, 4)
    assert questions(store.exchanges(ANN, first=2, last=4)) == ["q10", "q15", "q20"]
    assert [(one.number, one.clock) for one in kept.exchanges] == [
        (5, 25), (6, 30), (7, 40), (8, 50),
    ]  # fmt: skip
    assert kept.size == size + 1
    assert stored_summary(store, ANN, short.id) == short
    assert compress(store, ANN, 2)


@given(data=st.data())
@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_exchanges_are_ordered_by_clock_whatever_their_arrival(store, data):
    key = ConversationKey(f"user {next(NUMBERS)}", "weather")
    clocks = data.draw(st.lists(st.integers(1, 40), unique=True, min_size=1, max_size=12))
    repeated = data.draw(st.lists(st.sampled_from(clocks), max_size=4))
    coming = data.draw(st.permutations([*clocks, *repeated]))
    while coming:
        count = data.draw(st.integers(1, len(coming)))
        store.add([make_new_exchange(key, make_question(clock)) for clock in coming[:count]])
        coming = coming[count:]
    kept = store.history(key)
    assert [one.clock for one in kept.exchanges] == sorted(clocks)
    assert [one.number for one in kept.exchanges] == list(range(1, len(clocks) + 1))
    assert kept.size == len(clocks)


@given(data=st.data())
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_summaries_cover_the_same_exchanges_and_late_ones_among_them(store, data):
    key = ConversationKey(f"user {next(NUMBERS)}", "weather")
    clocks = data.draw(st.lists(st.integers(1, 40), unique=True, min_size=4, max_size=16))
    repeated = data.draw(st.lists(st.sampled_from(clocks), max_size=4))
    coming = data.draw(st.permutations([*clocks, *repeated]))
    kept: set[int] = set()
    spans: dict[int, tuple[int, int]] = {}  # of summaries, by id: the clocks from and up to which
    end = 0
    while coming:
        count = data.draw(st.integers(1, len(coming)))
        batch, coming = coming[:count], coming[count:]
        store.add([make_new_exchange(key, make_question(clock)) for clock in batch])
        kept.update(batch)
        assert_spans(store, key, kept, spans, end)
        history = store.history(key)
        level = data.draw(st.sampled_from([1, 1, 2]))
        among = len(history.exchanges if level == 1 else history.summaries)
        count = data.draw(st.integers(0, min(among, 4)))
        if not count:
            continue
        assert compress(store, key, count, level=level)
        if level == 1:
            said = [one.clock for one in history.exchanges[:count]]
            span = said[0], said[-1]
            end = span[1]
            made = store.history(key).summaries[-1]
        else:
            parts = history.summaries[:count]
            span = spans[parts[0].id][0], spans[parts[-1].id][1]
            made = store.history(key).summaries[0]
        spans[made.id] = span
        assert_spans(store, key, kept, spans, end)


def assert_spans(store, key: ConversationKey, kept: set[int], spans, end: int) -> None:
    """Numbers are those by clock, summaries stand for all that was said in their time, and what
    was said after the ``end`` of the last one is verbatim."""
    clocks = sorted(kept)
    all_of_them = store.exchanges(key, first=1, last=99)
    assert [(one.number, one.clock) for one in all_of_them] == list(enumerate(clocks, 1))
    history = store.history(key)
    assert [one.clock for one in history.exchanges] == [each for each in clocks if each > end]
    assert history.size == len(history.exchanges) + 2 * len(history.summaries)
    for id, (since, until) in spans.items():
        short = stored_summary(store, key, id)
        among = store.exchanges(key, first=short.first, last=short.last)
        assert [one.clock for one in among] == [each for each in clocks if since <= each <= until]


def test_a_late_duplicate_within_a_batch_is_stored_once(store):
    store.add([make_new_exchange(ANN, make_question(clock)) for clock in (10, 30)])
    store.add([make_new_exchange(ANN, make_question(clock)) for clock in (20, 40, 20, 10, 40)])
    assert questions(store.history(ANN).exchanges) == ["q10", "q20", "q30", "q40"]
    assert store.statistics(OF_ANN, ("q20",)) == TermStatistics(4, 1.0, {"q20": 1})


def test_exchanges_without_a_clock_come_last_in_their_order(store):
    store.add(
        [
            make_new_exchange(ANN, make_question(10)),
            make_new_exchange(ANN, "a"),
            make_new_exchange(ANN, make_question(30)),
            make_new_exchange(ANN, "b"),
        ]
    )
    store.add(
        [
            make_new_exchange(ANN, "c"),
            make_new_exchange(ANN, make_question(20)),
            make_new_exchange(ANN, make_question(40)),
            make_new_exchange(ANN, "d"),
        ]
    )
    assert [(one.number, one.question) for one in store.history(ANN).exchanges] == list(
        enumerate(["q10", "q20", "q30", "a", "b", "q40", "c", "d"], 1)
    )
