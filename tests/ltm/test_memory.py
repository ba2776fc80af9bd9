"""The long-term memory as a whole: what is added is kept, compressed and found."""

from __future__ import annotations

import logging
import os
import signal
import threading
from dataclasses import replace
from datetime import datetime, timedelta, timezone

import numpy as np
import pytest

from anaphora.errors import AnaphoraError, PermanentStoreError, StoreError, SummaryError
from anaphora.ltm.async_memory import AsyncLongTermMemory
from anaphora.ltm.exchange import Summary
from anaphora.ltm.history.working_history import HistorySettings
from anaphora.ltm.memory import LongTermMemory
from anaphora.ltm.retrieval.sqlite.store import SqliteRecallStore
from anaphora.ltm.retrieval.store import SearchFilter, UserKey
from anaphora.ltm.summarizers.first_words import FirstWords
from tests.ltm.sample_exchanges import ANN, BOB, NOON, make_exchange, make_exchanges
from tests.support.real_server import wait_until

SMALL = HistorySettings(max_size=100, max_exchanges=30)
DEADLINE = 60.0  # seconds: a machine may be busy


class Clock:
    """One on the wall, which may be set, and the seconds that really pass."""

    def __init__(self):
        self.now = NOON
        self.seconds = 0.0

    def __call__(self):
        return self.now

    def monotonic(self):
        return self.seconds

    def passes(self, **delta):
        self.now += timedelta(**delta)
        self.seconds += timedelta(**delta).total_seconds()

    def is_set(self, **delta):
        self.now += timedelta(**delta)


class Summarizer:
    """Keeps the first word of each part. ``fails`` says for which texts it cannot be had; while
    ``may_go`` is not set it takes its time."""

    name = "first words"

    def __init__(self):
        self.fails = ()
        self.calls = []
        self.may_go = threading.Event()
        self.may_go.set()
        self.came = threading.Event()

    def summarize(self, segments):
        self.came.set()
        assert self.may_go.wait(DEADLINE)
        self.calls.append(len(segments))
        texts = [
            " ".join(
                (part.text if isinstance(part, Summary) else part.question).split()[0]
                for part in segment.parts
            )
            for segment in segments
        ]
        if any(word in text for word in self.fails for text in texts):
            raise SummaryError("the model is not there")
        return texts


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def summarizer():
    return Summarizer()


@pytest.fixture
def open_memory(tmp_path, clock, summarizer):
    opened = []

    def open_memory(**options):
        given = {"settings": SMALL, "clock": clock, "summarizer": summarizer} | options
        given |= {"monotonic": clock.monotonic}
        memory = LongTermMemory(f"sqlite:///{tmp_path}/memory.db?synchronous=normal", **given)
        opened.append(memory)
        return memory

    yield open_memory
    for memory in opened:
        memory.close()


def settled(memory):
    assert memory.flush(DEADLINE)
    return memory


def test_what_was_said_is_there_at_once(open_memory):
    memory = open_memory()
    memory.add(ANN, make_exchange("weather in Tokyo", "sunny"))
    memory.add(BOB, make_exchange("weather in Rome", "rain"))
    (exchange,) = memory.latest(ANN, 10)
    assert (exchange.question, exchange.answer, exchange.number) == ("weather in Tokyo", "sunny", 1)
    assert [one.question for one in memory.history(BOB).exchanges] == ["weather in Rome"]
    (passage,) = memory.recall(UserKey("ann"), "Tokyo").passages
    assert passage.exchange == exchange


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


def test_the_original_of_a_summary_can_always_be_shown(open_memory):
    memory = open_memory(settings=HistorySettings(max_size=100))
    exchanges = make_exchanges(300)
    for one in exchanges:
        memory.add(ANN, one)
    history = settled(memory).history(ANN)
    upper = max(history.summaries, key=lambda summary: summary.level)
    assert upper.level > 1
    original = memory.original(ANN, upper)
    assert [one.question for one in original] == [
        one.question for one in exchanges[upper.first - 1 : upper.last]
    ]
    assert (upper.since, upper.until) == (original[0].at, original[-1].at)


def test_nothing_waits_for_a_summarizer_that_takes_its_time(open_memory, summarizer):
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


def test_a_summarizer_that_fails_leaves_the_history_as_it_was(open_memory, summarizer, clock):
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


def test_one_conversation_that_cannot_be_summarized_holds_up_no_other(
    open_memory, summarizer, clock
):
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


def test_a_summary_that_is_not_shorter_gives_way_to_the_first_words(open_memory, caplog):
    memory = open_memory(summarizer=Longwinded())
    with caplog.at_level(logging.WARNING):
        for one in make_exchanges(20):
            memory.add(ANN, one)
        history = settled(memory).history(ANN)
    assert {one.by for one in history.summaries} == {FirstWords().name}
    assert history.size <= 100
    assert memory.status().cut == 3
    assert "not shorter" in caplog.text


class Forgetful:
    name = "forgetful"

    def summarize(self, segments):
        return []


def test_a_summarizer_that_forgets_a_segment_has_failed(open_memory):
    memory = open_memory(summarizer=Forgetful())
    for one in make_exchanges(20):
        memory.add(ANN, one)
    assert settled(memory).history(ANN).summaries == ()
    assert memory.status().last_failures == {"compress": "forgetful gave 0 summaries of 3 segments"}


def test_without_a_summarizer_only_the_number_of_exchanges_is_bounded(open_memory):
    memory = open_memory(summarizer=None)
    for one in make_exchanges(40):
        memory.add(ANN, one)
    history = settled(memory).history(ANN)
    assert [one.number for one in history.exchanges] == list(range(11, 41))
    (first,) = memory.recall(UserKey("ann"), "question1", size=1).passages
    assert first.exchange.number == 1  # it has left the history, and not the store


def test_what_is_older_than_the_retention_is_erased(open_memory, clock):
    memory = open_memory(retention=timedelta(days=30))
    memory.add(ANN, make_exchange("old", minutes=0))
    settled(memory)
    clock.passes(days=20)
    memory.add(ANN, make_exchange("young", minutes=20 * 24 * 60))
    settled(memory)
    assert len(memory.latest(ANN, 10)) == 2
    clock.passes(days=11)
    settled(memory)
    assert [one.question for one in memory.latest(ANN, 10)] == ["young"]


def test_a_clock_that_is_wrong_for_a_moment_erases_nothing(open_memory, clock):
    memory = settled(open_memory(retention=timedelta(days=30)))
    memory.add(ANN, make_exchange("young"))
    for wrong_by in ({"days": 3_650}, {"minutes": 2}, {"days": -3_650}):
        clock.passes(minutes=2)
        clock.is_set(**wrong_by)
        settled(memory)
        assert len(memory.latest(ANN, 10)) == 1


def test_after_a_clock_was_years_ahead_what_is_too_old_is_still_erased(open_memory, clock):
    memory = settled(open_memory(retention=timedelta(days=30)))
    memory.add(ANN, make_exchange("old"))
    clock.is_set(days=3_650)
    settled(memory)
    clock.is_set(days=-3_650)
    settled(memory)
    clock.passes(days=31)
    settled(memory)
    assert memory.latest(ANN, 10) == []


def test_a_clock_that_was_set_right_erases_what_is_too_old(open_memory, clock):
    memory = settled(open_memory(retention=timedelta(days=30)))
    memory.add(ANN, make_exchange("old"))
    clock.is_set(days=31)
    settled(memory)
    clock.passes(minutes=2)
    settled(memory)
    assert memory.latest(ANN, 10) == []


@pytest.mark.parametrize("restarted", [False, True])
def test_what_is_said_after_an_erasure_is_kept_though_the_clock_goes_back(
    open_memory, clock, restarted
):
    memory = open_memory()
    memory.add(ANN, make_exchange("erased"))
    memory.erase("ann")
    clock.is_set(hours=-3)
    if restarted:
        memory.close()
        memory = settled(open_memory())
    memory.add(ANN, make_exchange("kept"))
    assert [one.question for one in settled(memory).latest(ANN, 10)] == ["kept"]


def test_after_an_erasure_years_ahead_of_time_nothing_erased_comes_back(open_memory, clock):
    """Another process has what was said before an erasure still waiting."""
    memory, other = open_memory(), open_memory()
    late = replace(make_exchange("erased"), clock=memory.clock + 5)
    memory.erase("ann", clock=late.clock)
    clock.is_set(days=3_650)
    memory.erase("bob")
    memory.erase("carol")
    clock.is_set(days=-3_650)
    memory.erase("dave")
    other.add(ANN, late)
    assert settled(other).latest(ANN, 10) == []


def test_a_store_that_fails_for_a_moment_puts_no_conversation_in_quarantine(
    open_memory, clock, monkeypatch
):
    memory = settled(open_memory())
    compress = memory.store.compress

    def fail_once(*parts):
        monkeypatch.setattr(memory.store, "compress", compress)
        raise StoreError("the server closed the connection")

    monkeypatch.setattr(memory.store, "compress", fail_once)
    for one in make_exchanges(20):
        memory.add(ANN, one)
    settled(memory)
    assert memory.status().last_failures == {"compress": "the server closed the connection"}
    clock.passes(minutes=1)
    assert len(settled(memory).history(ANN).summaries) == 3
    assert memory.status().quarantined == 0


def test_two_processes_keep_a_conversation_in_the_order_of_its_clock(open_memory):
    one, other = open_memory(), open_memory()
    told = [replace(make_exchange(f"question {clock}"), clock=clock) for clock in range(1, 13)]
    for exchange in told[1::2]:
        other.add(ANN, exchange)
    settled(other)
    for exchange in told[::2]:
        one.add(ANN, exchange)
    history = settled(one).history(ANN).exchanges
    assert [exchange.question for exchange in history] == [each.question for each in told]
    assert [exchange.number for exchange in history] == list(range(1, 13))


def test_who_is_erased_is_erased_from_the_journal_too(open_memory, tmp_path):
    memory = open_memory()
    memory.add(ANN, make_exchange("my sentinel"))
    memory.add(BOB, make_exchange("hello"))
    assert memory.erase("ann") == 1
    assert memory.latest(ANN, 10) == []
    assert len(memory.latest(BOB, 10)) == 1
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) >= 3
    assert not [path for path in files if b"sentinel" in path.read_bytes()]


def test_only_one_model_of_a_user_may_be_erased(open_memory):
    memory = open_memory()
    memory.add(ANN, make_exchange("weather"))
    memory.add(ANN._replace(model="cafe"), make_exchange("pizza"))
    assert memory.erase("ann", model="cafe") == 1
    assert [one.exchange.question for one in memory.recall(UserKey("ann")).passages] == ["weather"]


def test_closing_keeps_what_was_added_last(open_memory):
    memory = open_memory()
    for one in make_exchanges(50):
        memory.add(ANN, one)
    memory.close()
    memory.close()
    assert len(open_memory().latest(ANN, 100)) == 50


def test_what_comes_after_the_end_is_dropped_and_counted(open_memory):
    memory = open_memory()
    memory.close()
    memory.add(ANN, make_exchange("too late"))
    assert memory.status().dropped == 1


class Away:
    """A store that can be away for a while."""

    def __init__(self, store):
        self._store = store
        self.is_away = self.is_full = False

    def __getattr__(self, name):
        if self.is_full and name == "add":
            raise StoreError("the disk is full")
        if self.is_away and name in ("add", "ping", "latest"):
            raise StoreError("the store is away")
        return getattr(self._store, name)


@pytest.fixture
def away(tmp_path):
    store = SqliteRecallStore(tmp_path / "away.db", settings=SMALL, synchronous="normal")
    yield Away(store)
    store.close()


def test_a_store_that_is_away_is_caught_up_with_when_it_is_back(away, tmp_path, clock):
    with LongTermMemory(away, settings=SMALL, journal=tmp_path / "journal", clock=clock) as memory:
        away.is_away = True
        for one in make_exchanges(5):
            memory.add(ANN, one)
        assert not memory.flush(DEADLINE)
        assert memory.status().waiting == 5
        assert memory.status().last_failures == {"keep": "the store is away"}
        with pytest.raises(StoreError, match="the store is away"):
            memory.latest(ANN, 1)
        away.is_away = False
        clock.passes(hours=1)
        assert memory.flush(DEADLINE)
        assert [one.number for one in memory.latest(ANN, 10)] == [5, 4, 3, 2, 1]
        assert memory.status().waiting == 0


def test_what_waits_is_bounded(away, tmp_path, clock, caplog):
    away.is_away = True
    with (
        caplog.at_level(logging.ERROR),
        LongTermMemory(away, journal=tmp_path / "journal", clock=clock, max_waiting=10) as memory,
    ):
        for one in make_exchanges(25):
            memory.add(ANN, one)
        assert (memory.status().waiting, memory.status().dropped) == (10, 15)
        assert caplog.text.count("is not kept") == 1  # and not 15 times
        away.is_away = False


def test_a_memory_that_ends_while_its_store_is_away_loses_nothing(away, tmp_path, clock):
    away.is_away = True
    with LongTermMemory(away, journal=tmp_path / "journal", clock=clock) as memory:
        for one in make_exchanges(5):
            memory.add(ANN, one)
    away.is_away = False
    with LongTermMemory(away, journal=tmp_path / "journal", clock=clock) as memory:
        assert memory.flush(DEADLINE)
        assert len(memory.latest(ANN, 10)) == 5


def test_a_store_of_ones_own_needs_a_folder_for_what_waits(away):
    with pytest.raises(AnaphoraError, match="journal=Path"):
        LongTermMemory(away)


def test_a_memory_in_this_process_alone_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with LongTermMemory() as memory:
        memory.add(ANN, make_exchange("hello"))
        assert len(memory.latest(ANN, 10)) == 1
    assert list(tmp_path.iterdir()) == []


def test_two_memories_share_a_file(open_memory):
    one, other = open_memory(), open_memory()
    one.add(ANN, make_exchange("first"))
    settled(one)
    other.add(ANN, make_exchange("second"))
    settled(other)
    assert [exchange.question for exchange in one.latest(ANN, 10)] == ["second", "first"]


def test_many_threads_add_and_nothing_is_lost(open_memory):
    memory = open_memory(summarizer=None)

    def add(number):
        for one in make_exchanges(50):
            memory.add(ANN._replace(user=f"user {number}"), one)

    threads = [threading.Thread(target=add, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    settled(memory)
    for number in range(8):
        found = memory.latest(ANN._replace(user=f"user {number}"), 100)
        assert [one.number for one in found] == list(range(50, 0, -1))
        assert found[0].question == make_exchanges(50)[-1].question


async def everything(memory):
    memory.add(ANN, make_exchange("weather in Tokyo"))
    assert await memory.flush(DEADLINE)
    (exchange,) = await memory.latest(ANN, 1)
    page = await memory.recall(UserKey("ann"), "Tokyo", among=SearchFilter(model="weather"))
    assert page.passages[0].exchange == exchange
    assert (await memory.history(ANN)).exchanges == (exchange,)
    assert await memory.erase("ann") == 1
    assert memory.status().kept == 1


def test_in_an_event_loop_its_methods_are_awaited(open_memory):
    import asyncio

    async def run():
        async with AsyncLongTermMemory(open_memory()) as memory:
            await everything(memory)

    asyncio.run(run())


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"summarizer": "bart"}, "a summarizer is an object, such as Bart"),
        ({"embedder": "minilm"}, "an embedder is an object, such as MiniLM"),
        ({"retention": 90}, "a retention is a timedelta"),
    ],
)
def test_what_could_only_fail_later_is_refused_at_once(wrong, message):
    with pytest.raises(AnaphoraError, match=message):
        LongTermMemory("memory:", **wrong)


def test_an_asynchronous_memory_is_made_of_a_memory():
    with pytest.raises(TypeError, match="LongTermMemory\\('memory:'\\)"):
        AsyncLongTermMemory("memory:")


@pytest.mark.parametrize(
    "wrong",
    [{"segment": 0}, {"max_size": 0}, {"verbatim": -1}, {"share": 1.0}, {"low_water": 1.5}],
)
def test_settings_by_which_nothing_is_shortened_are_refused(wrong):
    with pytest.raises(ValueError, match=r"from 1|parts of a whole"):
        HistorySettings(**wrong)


def questions(memory, key=ANN):
    return [one.question for one in memory.latest(key, 1000)]


@pytest.mark.parametrize(
    "bad",
    [
        make_exchange("hello", slots={"count": (5,)}),
        replace(
            make_exchange("hello"),
            at=datetime(9999, 12, 31, 23, tzinfo=timezone(-timedelta(hours=5))),
        ),
    ],
    ids=["slots that are no texts", "a time after the last one"],
)
def test_an_exchange_that_cannot_be_kept_holds_up_no_other(open_memory, bad):
    memory = open_memory()
    memory.add(ANN, bad)
    memory.add(BOB, make_exchange("next"))
    assert memory.flush(DEADLINE)
    assert questions(memory, BOB) == ["next"]
    status = memory.status()
    assert (status.waiting, status.kept, status.dropped) == (0, 1, 1)


class Failing:
    """A store whose ``add`` fails as the errors in ``fails`` say, one after another: ``before``
    it has kept something, or ``after``."""

    def __init__(self, store):
        self._store = store
        self.fails = []

    def __getattr__(self, name):
        return getattr(self._store, name)

    def add(self, new, *, mark=None):
        when, error = self.fails.pop(0) if self.fails and new else ("", None)
        if when != "before":
            self._store.add(new, mark=mark)
        if error is not None:
            raise error


@pytest.fixture
def failing(tmp_path):
    store = SqliteRecallStore(tmp_path / "failing.db", settings=SMALL, synchronous="normal")
    yield Failing(store)
    store.close()


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("error", [StoreError("locked"), RuntimeError("what?")])
def test_a_store_that_fails_now_and_then_loses_nothing_and_doubles_nothing(
    failing, tmp_path, clock, when, error
):
    with LongTermMemory(
        failing, journal=tmp_path / "journal", clock=clock, summarizer=None
    ) as memory:
        failing.fails = [(when, error)] * 2
        for word in ("one", "two", "three"):
            memory.add(ANN, make_exchange(word))
            clock.passes(hours=1)
            memory.flush(DEADLINE)
        assert memory.flush(DEADLINE)
        assert questions(memory) == ["three", "two", "one"]
        assert memory.status().dropped == 0


def test_only_what_can_never_be_kept_is_dropped(failing, tmp_path):
    with LongTermMemory(failing, journal=tmp_path / "journal", summarizer=None) as memory:
        memory._worker.stop(DEADLINE)
        for word in ("one", "two", "three"):
            memory.add(ANN, make_exchange(word))
        no = ("before", PermanentStoreError("no such value"))
        failing.fails = [no, ("", None), no]
        assert questions(memory) == ["three", "one"]
        assert memory.status().dropped == 1


def test_a_journal_that_cannot_be_deleted_is_not_taken_over_twice(
    open_memory, tmp_path, monkeypatch
):
    memory = open_memory()
    memory._background.stop(DEADLINE)
    memory.add(ANN, make_exchange("once"))
    memory._intake.close()
    monkeypatch.setattr("anaphora.ltm.ingestion.journal.Segment.delete", lambda segment: None)
    other = open_memory()
    for _ in range(3):
        settled(other)
    assert questions(other) == ["once"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks")
def test_a_child_leaves_the_memory_of_its_parent_alone():
    with LongTermMemory("memory:", summarizer=None) as memory:
        memory.add(ANN, make_exchange("one"))
        settled(memory)
        child = os.fork()
        if not child:
            memory.close()
            os._exit(0)
        os.waitpid(child, 0)
        memory.add(ANN, make_exchange("two"))
        assert questions(memory) == ["two", "one"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks")
def test_a_closed_memory_may_be_forked(open_memory):
    memory = open_memory()
    memory.close()
    child = os.fork()
    if not child:
        memory.add(ANN, make_exchange("too late"))
        os._exit(memory.status().dropped)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1


def test_who_has_no_summarizer_keeps_nobody_from_summarizing(open_memory):
    settled(open_memory(summarizer=None))
    memory = open_memory(retention=timedelta(days=1))
    for one in make_exchanges(20):
        memory.add(ANN, one)
    assert len(settled(memory).history(ANN).summaries) == 3


def test_many_conversations_that_cannot_be_summarized_hold_up_no_other(
    open_memory, summarizer, clock
):
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


def test_histories_that_cannot_become_shorter_hold_up_no_other(open_memory):
    memory = open_memory()
    for number in range(40):
        for one in make_exchanges(5, words=22):  # five are verbatim
            memory.add(ANN._replace(user=f"user {number}"), one)
    for one in make_exchanges(20):
        memory.add(BOB, one)
    assert len(settled(memory).history(BOB).summaries) == 3


def test_a_clock_that_is_set_back_does_not_stop_it(away, tmp_path, clock):
    with LongTermMemory(away, settings=SMALL, journal=tmp_path / "journal", clock=clock) as memory:
        away.is_away = True
        memory.add(ANN, make_exchange("hello"))
        assert not memory.flush(DEADLINE)
        away.is_away = False
        clock.passes(days=-2)
        assert memory.flush(DEADLINE)


def test_who_is_erased_does_not_come_back_from_the_journal_of_another_process(open_memory):
    busy = open_memory()
    busy._background.stop(DEADLINE)  # with a long summary, say
    busy.add(ANN, make_exchange("my secret"))
    busy.add(BOB, make_exchange("hello"))
    memory = open_memory()
    memory.erase("ann")
    busy.add(ANN, make_exchange("here I am again"))
    busy._intake.move()
    assert (questions(memory), questions(memory, BOB)) == (["here I am again"], ["hello"])


def test_stores_that_are_told_the_same_folder_take_nothing_from_each_other(tmp_path):
    def opened(name):
        return LongTermMemory(
            f"sqlite:///{tmp_path}/{name}.db", summarizer=None, journal=tmp_path / "journal"
        )

    left = opened("one")
    left._worker.stop(DEADLINE)
    left.add(ANN, make_exchange("my secret"))
    left._ingestion.close()
    with opened("other") as other:
        assert questions(settled(other)) == []
    with opened("one") as one:
        assert questions(settled(one)) == ["my secret"]


def test_closing_leaves_no_files_of_what_is_kept(open_memory, tmp_path):
    memory = open_memory()
    memory.add(ANN, make_exchange("hello"))
    memory.close()
    assert not [path for path in tmp_path.rglob("*") if path.suffix in (".journal", ".lock")]


def test_what_is_kept_can_be_read_while_nothing_can_be_written(away, tmp_path, clock):
    with LongTermMemory(away, settings=SMALL, journal=tmp_path / "journal", clock=clock) as memory:
        memory.add(ANN, make_exchange("before"))
        settled(memory)
        away.is_full = True
        memory.add(ANN, make_exchange("later"))
        assert questions(memory) == ["before"]
        away.is_full = False


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks")
def test_a_child_ends_though_a_summary_was_being_made_when_it_was_forked(tmp_path):
    with LongTermMemory(f"sqlite:///{tmp_path}/memory.db", settings=SMALL) as memory:
        for turn in range(6):
            for number in range(500):
                user = f"{turn} {number % 10}"
                memory.add(ANN._replace(user=user), make_exchange("Tokyo is warm. " * 9))
            # What is summarized next is all that there is to do.
            wait_until(lambda turn=turn: memory.status().kept == 500 * (turn + 1))
            child = os.fork()
            if not child:
                memory.close()
                os._exit(0)
            try:
                wait_until(lambda child=child: os.waitpid(child, os.WNOHANG)[0])
            except AssertionError:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                pytest.fail("the child hangs")


# -- quarantine --------------------------------------------------------------------------------


class Embedder:
    """One that refuses some texts, or all of them."""

    name = "letters"

    def __init__(self, *refused):
        self.refused = refused
        self.asked = []

    def embed(self, texts):
        self.asked += texts
        if any(word in text for word in self.refused for text in texts):
            raise ValueError("this text is none")
        return np.array([[len(text), 1.0] for text in texts], dtype=np.float32)


def test_a_text_that_the_embedder_refuses_stops_no_other(open_memory, caplog):
    memory = open_memory(embedder=Embedder("poison"), summarizer=None)
    for word in ("one", "poison", "three", "four"):
        memory.add(ANN._replace(user=word), make_exchange(word))
    settled(memory)
    assert [len(said) for _, said in memory.store.unembedded("letters", 9)] == []
    (item,) = memory.quarantined()
    assert (item.kind, item.key.user, item.reason) == ("embed", "poison", "this text is none")
    assert memory.status().quarantined == 1
    assert memory.status().retry_at == {}
    assert "quarantine" in caplog.text
    asked = len(memory._embedder.asked)
    settled(memory)
    assert len(memory._embedder.asked) == asked  # it is not tried for ever
    memory._embedder.refused = ()
    assert memory.release(item.id)
    assert settled(memory).status().quarantined == 0


def test_an_embedder_that_is_away_refuses_no_text(open_memory, clock):
    memory = open_memory(embedder=Embedder(""), summarizer=None)
    memory.add(ANN, make_exchange("hello"))
    settled(memory)
    assert memory.quarantined() == []
    assert memory.status().failures == {"embed": 1}
    memory._embedder.refused = ()
    clock.passes(seconds=1)
    settled(memory)
    assert memory.store.unembedded("letters", 9) == []


def test_a_conversation_that_the_summarizer_refuses_can_be_tried_again(open_memory, summarizer):
    memory = open_memory()
    summarizer.fails = ("question3",)
    for one in make_exchanges(20):
        memory.add(ANN, one)
    settled(memory)
    (item,) = memory.quarantined()
    assert (item.kind, item.key) == ("compress", ANN)
    calls = len(summarizer.calls)
    settled(memory)
    assert len(summarizer.calls) == calls
    summarizer.fails = ()
    assert memory.release(item.id)
    assert len(settled(memory).history(ANN).summaries) == 3


def test_of_a_damaged_journal_only_the_damaged_entry_is_missing(open_memory, tmp_path):
    left = open_memory()
    left._background.stop(DEADLINE)
    for number in range(100):
        left.add(ANN, make_exchange(f"number {number} of many"))
    left._intake.close()
    (path,) = tmp_path.rglob("*.journal")
    data = path.read_bytes()
    path.write_bytes(data.replace(b"number 50 of", b"numbes 50 of"))
    memory = open_memory()
    settled(memory)
    kept = [number for number in range(100) if number != 50]
    assert questions(memory)[::-1] == [f"number {number} of many" for number in kept]
    (item,) = memory.quarantined()
    assert (item.kind, item.key) == ("entry", ANN)
    assert "checksum" in item.reason
    assert memory.status().quarantined == 1
    assert not memory.release(item.id)  # it is still damaged
    memory.erase("bob")
    assert len(memory.quarantined()) == 1
    memory.erase("ann")
    assert memory.quarantined() == []
    assert not [each for each in tmp_path.rglob("*") if b"numbes" in _bytes(each)]


def _bytes(path):
    return path.read_bytes() if path.is_file() else b""


def test_an_entry_that_a_store_does_not_take_can_be_tried_again(failing, tmp_path):
    with LongTermMemory(failing, journal=tmp_path / "journal", summarizer=None) as memory:
        memory._worker.stop(DEADLINE)
        memory.add(ANN, make_exchange("one"))
        no = ("before", PermanentStoreError("no such value"))
        failing.fails = [no, no]
        assert questions(memory) == []
        (item,) = memory.quarantined()
        assert (item.key, item.reason) == (ANN, "no such value")
        assert memory.release(item.id)
        assert questions(memory) == ["one"]
        assert memory.quarantined() == []


def test_a_long_history_does_not_delay_the_others(open_memory, summarizer):
    memory = open_memory(settings=HistorySettings(max_size=100, max_exchanges=2_000))
    memory._background.stop(DEADLINE)
    for one in make_exchanges(300):
        memory.add(ANN, one)
    for one in make_exchanges(20):
        memory.add(BOB, one)
    memory._intake.move()
    memory._chores["compress"].do()
    assert len(memory.history(BOB).summaries) == 3
    assert summarizer.calls[0] <= 8
