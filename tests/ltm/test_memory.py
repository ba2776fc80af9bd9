"""The long-term memory as a whole: what is added is kept, compressed and found."""

from __future__ import annotations

import logging
import threading
from datetime import timedelta

import pytest

from anaphora.errors import AnaphoraError, StoreError, SummaryError
from anaphora.ltm.aio import AsyncLongTermMemory
from anaphora.ltm.exchange import Summary
from anaphora.ltm.history import HistorySettings
from anaphora.ltm.memory import LongTermMemory
from anaphora.ltm.recall.sqlite import SqliteRecallStore
from anaphora.ltm.recall.store import Among, Whose
from anaphora.ltm.summarizers.cut import WordCut
from tests.ltm.talk import ANN, BOB, NOON, said, talk

SMALL = HistorySettings(max_size=100, max_exchanges=30)
DEADLINE = 60.0  # seconds: a machine may be busy


class Clock:
    def __init__(self):
        self.now = NOON

    def __call__(self):
        return self.now

    def passes(self, **delta):
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
    memory.add(ANN, said("weather in Tokyo", "sunny"))
    memory.add(BOB, said("weather in Rome", "rain"))
    (exchange,) = memory.latest(ANN, 10)
    assert (exchange.question, exchange.answer, exchange.number) == ("weather in Tokyo", "sunny", 1)
    assert [one.question for one in memory.history(BOB).exchanges] == ["weather in Rome"]
    (passage,) = memory.recall(Whose("ann"), "Tokyo").passages
    assert passage.exchange == exchange


def test_a_short_history_is_verbatim(open_memory):
    memory = settled(open_memory())
    for one in talk(10):
        memory.add(ANN, one)
    history = settled(memory).history(ANN)
    assert (history.summaries, len(history.exchanges), history.size) == ((), 10, 100)


def test_a_long_history_is_compressed_in_the_background(open_memory, summarizer):
    memory = open_memory()
    exchanges = talk(20)
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
    exchanges = talk(300)
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
    for one in talk(20):
        memory.add(ANN, one)
    assert summarizer.came.wait(DEADLINE)
    memory.add(ANN, said("and tomorrow", "rain"))
    assert memory.latest(ANN, 1)[0].question == "and tomorrow"
    assert memory.recall(Whose("ann"), "tomorrow").passages[0].exchange.answer == "rain"
    summarizer.may_go.set()
    history = settled(memory).history(ANN)
    assert history.summaries[-1].last == 15
    assert history.exchanges[-1].question == "and tomorrow"


def test_a_summarizer_that_fails_leaves_the_history_as_it_was(open_memory, summarizer, clock):
    memory = open_memory()
    summarizer.fails = ("question1",)
    for one in talk(20):
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
    memory.add(ANN, said("poison"))
    for one in talk(20):
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
        for one in talk(20):
            memory.add(ANN, one)
        history = settled(memory).history(ANN)
    assert {one.by for one in history.summaries} == {WordCut().name}
    assert history.size <= 100
    assert memory.status().cut == 3
    assert "not shorter" in caplog.text


class Forgetful:
    name = "forgetful"

    def summarize(self, segments):
        return []


def test_a_summarizer_that_forgets_a_segment_has_failed(open_memory):
    memory = open_memory(summarizer=Forgetful())
    for one in talk(20):
        memory.add(ANN, one)
    assert settled(memory).history(ANN).summaries == ()
    assert memory.status().last_failures == {"compress": "forgetful gave 0 summaries of 3 segments"}


def test_without_a_summarizer_only_the_number_of_exchanges_is_bounded(open_memory):
    memory = open_memory(summarizer=None)
    for one in talk(40):
        memory.add(ANN, one)
    history = settled(memory).history(ANN)
    assert [one.number for one in history.exchanges] == list(range(11, 41))
    (first,) = memory.recall(Whose("ann"), "question1", size=1).passages
    assert first.exchange.number == 1  # it has left the history, and not the store


def test_what_is_older_than_the_retention_is_erased(open_memory, clock):
    memory = open_memory(retention=timedelta(days=30))
    memory.add(ANN, said("old", minutes=0))
    settled(memory)
    clock.passes(days=20)
    memory.add(ANN, said("young", minutes=20 * 24 * 60))
    settled(memory)
    assert len(memory.latest(ANN, 10)) == 2
    clock.passes(days=11)
    settled(memory)
    assert [one.question for one in memory.latest(ANN, 10)] == ["young"]


def test_who_is_erased_is_erased_from_the_journal_too(open_memory, tmp_path):
    memory = open_memory()
    memory.add(ANN, said("my sentinel"))
    memory.add(BOB, said("hello"))
    assert memory.erase("ann") == 1
    assert memory.latest(ANN, 10) == []
    assert len(memory.latest(BOB, 10)) == 1
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) >= 3
    assert not [path for path in files if b"sentinel" in path.read_bytes()]


def test_only_one_model_of_a_user_may_be_erased(open_memory):
    memory = open_memory()
    memory.add(ANN, said("weather"))
    memory.add(ANN._replace(model="cafe"), said("pizza"))
    assert memory.erase("ann", model="cafe") == 1
    assert [one.exchange.question for one in memory.recall(Whose("ann")).passages] == ["weather"]


def test_closing_keeps_what_was_added_last(open_memory):
    memory = open_memory()
    for one in talk(50):
        memory.add(ANN, one)
    memory.close()
    memory.close()
    assert len(open_memory().latest(ANN, 100)) == 50


def test_what_comes_after_the_end_is_dropped_and_counted(open_memory):
    memory = open_memory()
    memory.close()
    memory.add(ANN, said("too late"))
    assert memory.status().dropped == 1


class Away:
    """A store that can be away for a while."""

    def __init__(self, store):
        self._store = store
        self.is_away = False

    def __getattr__(self, name):
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
        for one in talk(5):
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
        LongTermMemory(away, journal=tmp_path / "journal", clock=clock, most_waiting=10) as memory,
    ):
        for one in talk(25):
            memory.add(ANN, one)
        assert (memory.status().waiting, memory.status().dropped) == (10, 15)
        assert caplog.text.count("is not kept") == 1  # and not 15 times
        away.is_away = False


def test_a_memory_that_ends_while_its_store_is_away_loses_nothing(away, tmp_path, clock):
    away.is_away = True
    with LongTermMemory(away, journal=tmp_path / "journal", clock=clock) as memory:
        for one in talk(5):
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
        memory.add(ANN, said("hello"))
        assert len(memory.latest(ANN, 10)) == 1
    assert list(tmp_path.iterdir()) == []


def test_two_memories_share_a_file(open_memory):
    one, other = open_memory(), open_memory()
    one.add(ANN, said("first"))
    settled(one)
    other.add(ANN, said("second"))
    settled(other)
    assert [exchange.question for exchange in one.latest(ANN, 10)] == ["second", "first"]


def test_many_threads_add_and_nothing_is_lost(open_memory):
    memory = open_memory(summarizer=None)

    def add(number):
        for one in talk(50):
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
        assert found[0].question == talk(50)[-1].question


async def everything(memory):
    memory.add(ANN, said("weather in Tokyo"))
    assert await memory.flush(DEADLINE)
    (exchange,) = await memory.latest(ANN, 1)
    page = await memory.recall(Whose("ann"), "Tokyo", among=Among(model="weather"))
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
