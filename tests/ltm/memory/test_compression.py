"""Compression of histories in the background."""

from __future__ import annotations

import logging
from datetime import timedelta

from anaphora.ltm.history.working_history import HistorySettings
from anaphora.ltm.retrieval.store import UserKey
from anaphora.ltm.summarizers.first_words import FirstWords
from tests.ltm.memory.doubles import DEADLINE, settled
from tests.ltm.sample_exchanges import ANN, BOB, make_exchange, make_exchanges


def test_a_short_history_is_verbatim(open_memory):
    memory = settled(open_memory())
    for one in make_exchanges(10):
        memory.add(ANN, one)
    history = settled(memory).history(ANN)
    assert (history.summaries, len(history.exchanges), history.size) == ((), 10, 100)


def test_a_long_history_is_compressed_in_the_background(open_memory, summarizer):
    memory = open_memory()
    exchanges = make_exchanges(20)
    for one in exchanges:
        memory.add(ANN, one)
    history = settled(memory).history(ANN)
    assert [(one.first, one.last, one.text) for one in history.summaries] == [
        (1, 5, "question1 question2 question3 question4 question5"),
        (6, 10, "question6 question7 question8 question9 question10"),
        (11, 15, "question11 question12 question13 question14 question15"),
    ]
    assert [one.number for one in history.exchanges] == [16, 17, 18, 19, 20]
    assert history.size == 65
    assert summarizer.calls == [3]  # in one batch
    assert memory.status().summarized == 3


def test_replaced_exchanges_of_a_summary_stay_readable(open_memory):
    memory = open_memory(settings=HistorySettings(max_size=100))
    exchanges = make_exchanges(300)
    for one in exchanges:
        memory.add(ANN, one)
    history = settled(memory).history(ANN)
    upper = max(history.summaries, key=lambda summary: summary.level)
    assert upper.level > 1
    original = memory.original_exchanges(ANN, upper)
    assert [one.question for one in original] == [
        one.question for one in exchanges[upper.first - 1 : upper.last]
    ]
    assert (upper.since, upper.until) == (original[0].at, original[-1].at)


def test_a_slow_summarizer_delays_nothing(open_memory, summarizer):
    memory = open_memory()
    summarizer.may_go.clear()
    for one in make_exchanges(20):
        memory.add(ANN, one)
    assert summarizer.came.wait(DEADLINE)
    memory.add(ANN, make_exchange("and tomorrow", "rain"))
    assert memory.latest(ANN, 1)[0].question == "and tomorrow"
    assert memory.recall(UserKey("ann"), "tomorrow").passages[0].exchange.answer == "rain"
    summarizer.may_go.set()
    history = settled(memory).history(ANN)
    assert history.summaries[-1].last == 15
    assert history.exchanges[-1].question == "and tomorrow"


def test_a_failing_summarizer_leaves_the_history_unchanged(open_memory, summarizer, clock):
    memory = open_memory()
    summarizer.fails = ("",)  # whatever it is given
    for one in make_exchanges(20):
        memory.add(ANN, one)
    history = settled(memory).history(ANN)
    assert (history.summaries, len(history.exchanges)) == ((), 20)
    status = memory.status()
    assert status.failures == {"compress": 1}
    assert status.last_failures == {"compress": "the model is not there"}
    assert status.retry_at == {"compress": clock.now + timedelta(seconds=1)}
    summarizer.fails = ()
    assert settled(memory).history(ANN).summaries == ()  # not before its time
    clock.passes(seconds=1)
    assert len(settled(memory).history(ANN).summaries) == 3
    assert memory.status().retry_at == {}


def test_a_rejected_conversation_does_not_block_others(open_memory, summarizer, clock):
    memory = open_memory()
    summarizer.fails = ("poison",)
    memory.add(ANN, make_exchange("poison"))
    for one in make_exchanges(20):
        memory.add(ANN, one)
        memory.add(BOB, one)
    for _ in range(20):
        clock.passes(minutes=10)
        settled(memory)
    assert memory.history(ANN).summaries == ()
    assert len(memory.history(BOB).summaries) == 3


class Longwinded:
    name = "long-winded"

    def summarize(self, segments):
        return ["and so on " * 100 for _ in segments]


def test_a_summary_that_is_not_shorter_is_replaced_by_the_first_words(open_memory, caplog):
    memory = open_memory(summarizer=Longwinded())
    with caplog.at_level(logging.WARNING):
        for one in make_exchanges(20):
            memory.add(ANN, one)
        history = settled(memory).history(ANN)
    assert {one.by for one in history.summaries} == {FirstWords().name}
    assert history.size <= 100
    assert memory.status().fallbacks == 3
    assert "not shorter" in caplog.text


class Forgetful:
    name = "forgetful"

    def summarize(self, segments):
        return []


def test_a_summarizer_that_skips_a_segment_has_failed(open_memory):
    memory = open_memory(summarizer=Forgetful())
    for one in make_exchanges(20):
        memory.add(ANN, one)
    assert settled(memory).history(ANN).summaries == ()
    assert memory.status().last_failures == {"compress": "forgetful gave 0 summaries of 3 segments"}


def test_without_a_summarizer_only_the_number_of_exchanges_is_limited(open_memory):
    memory = open_memory(summarizer=None)
    for one in make_exchanges(40):
        memory.add(ANN, one)
    history = settled(memory).history(ANN)
    assert [one.number for one in history.exchanges] == list(range(11, 41))
    (first,) = memory.recall(UserKey("ann"), "question1", size=1).passages
    assert first.exchange.number == 1  # it has left the history, and not the store


def test_a_process_without_a_summarizer_does_not_block_summaries(open_memory):
    settled(open_memory(summarizer=None))
    memory = open_memory(retention=timedelta(days=1))
    for one in make_exchanges(20):
        memory.add(ANN, one)
    assert len(settled(memory).history(ANN).summaries) == 3


def test_many_rejected_conversations_do_not_block_others(open_memory, summarizer, clock):
    memory = open_memory()
    summarizer.fails = ("poison",)
    for number in range(20):
        for one in (make_exchange("poison"), *make_exchanges(12)):
            memory.add(ANN._replace(user=f"user {number}"), one)
    for one in make_exchanges(20):
        memory.add(BOB, one)
    for _ in range(25):
        clock.passes(minutes=10)
        settled(memory)
    assert len(memory.history(BOB).summaries) == 3


def test_incompressible_histories_do_not_block_others(open_memory):
    memory = open_memory()
    for number in range(40):
        for one in make_exchanges(5, words=22):  # five are verbatim
            memory.add(ANN._replace(user=f"user {number}"), one)
    for one in make_exchanges(20):
        memory.add(BOB, one)
    assert len(settled(memory).history(BOB).summaries) == 3


def test_a_long_history_does_not_delay_the_others(open_memory, summarizer):
    memory = open_memory(settings=HistorySettings(max_size=100, max_exchanges=2_000))
    memory._worker.stop(DEADLINE)
    for one in make_exchanges(300):
        memory.add(ANN, one)
    for one in make_exchanges(20):
        memory.add(BOB, one)
    memory._ingestion.move_to_store()
    memory._tasks["compress"].run()
    assert len(memory.history(BOB).summaries) == 3
    assert summarizer.calls[0] <= 8
