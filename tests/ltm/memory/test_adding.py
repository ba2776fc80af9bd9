"""Adding exchanges to a long-term memory, and closing it."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from anaphora.errors import AnaphoraError
from anaphora.ltm.async_memory import AsyncLongTermMemory
from anaphora.ltm.history.working_history import HistorySettings
from anaphora.ltm.memory import LongTermMemory
from anaphora.ltm.retrieval.store import SearchFilter, UserKey
from tests.ltm.memory.doubles import DEADLINE, questions, settled
from tests.ltm.sample_exchanges import ANN, BOB, make_exchange, make_exchanges


def test_added_exchanges_are_readable_at_once(open_memory):
    memory = open_memory()
    memory.add(ANN, make_exchange("weather in Tokyo", "sunny"))
    memory.add(BOB, make_exchange("weather in Rome", "rain"))
    (exchange,) = memory.latest(ANN, 10)
    assert (exchange.question, exchange.answer, exchange.number) == ("weather in Tokyo", "sunny", 1)
    assert [one.question for one in memory.history(BOB).exchanges] == ["weather in Rome"]
    (passage,) = memory.recall(UserKey("ann"), "Tokyo").passages
    assert passage.exchange == exchange


def test_two_processes_order_a_conversation_by_its_clock(open_memory):
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


def test_closing_stores_pending_exchanges(open_memory):
    memory = open_memory()
    for one in make_exchanges(50):
        memory.add(ANN, one)
    memory.close()
    memory.close()
    assert len(open_memory().latest(ANN, 100)) == 50


def test_exchanges_added_after_close_are_dropped_and_counted(open_memory):
    memory = open_memory()
    memory.close()
    memory.add(ANN, make_exchange("too late"))
    assert memory.status().dropped == 1


def test_a_store_object_needs_a_journal_folder(away):
    with pytest.raises(AnaphoraError, match="journal=Path"):
        LongTermMemory(away)


def test_a_memory_without_a_file_leaves_no_files(tmp_path, monkeypatch):
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


def test_nothing_is_lost_if_many_threads_add(open_memory):
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
    page = await memory.recall(UserKey("ann"), "Tokyo", filters=SearchFilter(model="weather"))
    assert page.passages[0].exchange == exchange
    assert (await memory.history(ANN)).exchanges == (exchange,)
    assert await memory.erase("ann") == 1
    assert memory.status().stored == 1


def test_async_memory_has_the_methods_of_a_memory(open_memory):
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
def test_invalid_arguments_are_rejected_at_once(wrong, message):
    with pytest.raises(AnaphoraError, match=message):
        LongTermMemory("memory:", **wrong)


def test_async_memory_requires_a_memory():
    with pytest.raises(TypeError, match="LongTermMemory\\('memory:'\\)"):
        AsyncLongTermMemory("memory:")


@pytest.mark.parametrize(
    "wrong",
    [{"segment": 0}, {"max_size": 0}, {"verbatim": -1}, {"share": 1.0}, {"low_water": 1.5}],
)
def test_invalid_history_settings_are_rejected(wrong):
    with pytest.raises(ValueError, match=r"at least 1|low_water"):
        HistorySettings(**wrong)


def test_stores_with_a_common_journal_folder_stay_separate(tmp_path):
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


def test_closing_deletes_journal_files_of_stored_exchanges(open_memory, tmp_path):
    memory = open_memory()
    memory.add(ANN, make_exchange("hello"))
    memory.close()
    assert not [path for path in tmp_path.rglob("*") if path.suffix in (".journal", ".lock")]
