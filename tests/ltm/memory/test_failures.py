"""Failures of the store, of the clock and of parent processes."""

from __future__ import annotations

import logging
import os
import signal
import threading
from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest

from anaphora.errors import PermanentStoreError, StoreError
from anaphora.ltm.memory import LongTermMemory
from tests.ltm.memory.doubles import DEADLINE, SMALL, questions, settled
from tests.ltm.sample_exchanges import ANN, BOB, make_exchange, make_exchanges
from tests.support.real_server import wait_until


def test_a_momentary_store_failure_quarantines_nothing(open_memory, clock, monkeypatch):
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


def test_pending_exchanges_are_stored_once_the_store_is_available_again(away, tmp_path, clock):
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


def test_the_number_of_pending_exchanges_is_limited(away, tmp_path, clock, caplog):
    away.is_away = True
    with (
        caplog.at_level(logging.ERROR),
        LongTermMemory(away, journal=tmp_path / "journal", clock=clock, max_waiting=10) as memory,
    ):
        for one in make_exchanges(25):
            memory.add(ANN, one)
        assert (memory.status().waiting, memory.status().dropped) == (10, 15)
        assert caplog.text.count("was not stored") == 1  # and not 15 times
        away.is_away = False


def test_closing_while_the_store_is_unavailable_loses_nothing(away, tmp_path, clock):
    away.is_away = True
    with LongTermMemory(away, journal=tmp_path / "journal", clock=clock) as memory:
        for one in make_exchanges(5):
            memory.add(ANN, one)
    away.is_away = False
    with LongTermMemory(away, journal=tmp_path / "journal", clock=clock) as memory:
        assert memory.flush(DEADLINE)
        assert len(memory.latest(ANN, 10)) == 5


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
def test_an_exchange_that_cannot_be_stored_does_not_block_others(open_memory, bad):
    memory = open_memory()
    memory.add(ANN, bad)
    memory.add(BOB, make_exchange("next"))
    assert memory.flush(DEADLINE)
    assert questions(memory, BOB) == ["next"]
    status = memory.status()
    assert (status.waiting, status.stored, status.dropped) == (0, 1, 1)


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("error", [StoreError("locked"), RuntimeError("what?")])
def test_an_unreliable_store_neither_loses_nor_duplicates_exchanges(
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


def test_only_permanent_failures_drop_exchanges(failing, tmp_path):
    with LongTermMemory(failing, journal=tmp_path / "journal", summarizer=None) as memory:
        memory._worker.stop(DEADLINE)
        for word in ("one", "two", "three"):
            memory.add(ANN, make_exchange(word))
        no = ("before", PermanentStoreError("no such value"))
        failing.fails = [no, ("", None), no]
        assert questions(memory) == ["three", "one"]
        assert memory.status().dropped == 1


def test_a_journal_that_cannot_be_deleted_is_ingested_once(open_memory, tmp_path, monkeypatch):
    memory = open_memory()
    memory._worker.stop(DEADLINE)
    memory.add(ANN, make_exchange("once"))
    memory._ingestion.close()
    monkeypatch.setattr(
        "anaphora.ltm.ingestion.journal.JournalSegment.delete", lambda segment: None
    )
    other = open_memory()
    for _ in range(3):
        settled(other)
    assert questions(other) == ["once"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks")
def test_a_forked_child_does_not_affect_the_memory_of_its_parent():
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


def test_a_clock_that_is_set_back_does_not_stop_ingestion(away, tmp_path, clock):
    with LongTermMemory(away, settings=SMALL, journal=tmp_path / "journal", clock=clock) as memory:
        away.is_away = True
        memory.add(ANN, make_exchange("hello"))
        assert not memory.flush(DEADLINE)
        away.is_away = False
        clock.passes(days=-2)
        assert memory.flush(DEADLINE)


def test_reads_work_while_writes_fail(away, tmp_path, clock):
    with LongTermMemory(away, settings=SMALL, journal=tmp_path / "journal", clock=clock) as memory:
        memory.add(ANN, make_exchange("before"))
        settled(memory)
        away.is_full = True
        memory.add(ANN, make_exchange("later"))
        assert questions(memory) == ["before"]
        away.is_full = False


def test_reads_do_not_wait_for_a_write_that_takes_long(away, tmp_path, clock, monkeypatch):
    may_go, came, add = threading.Event(), threading.Event(), away.add

    def add_slowly(*arguments, **options):
        came.set()
        assert may_go.wait(DEADLINE)
        return add(*arguments, **options)

    with LongTermMemory(away, settings=SMALL, journal=tmp_path / "journal", clock=clock) as memory:
        memory.add(ANN, make_exchange("before"))
        settled(memory)
        monkeypatch.setattr(away, "add", add_slowly, raising=False)
        memory.add(ANN, make_exchange("later"))
        assert came.wait(DEADLINE)
        assert questions(memory) == ["before"]
        may_go.set()
        assert questions(settled(memory)) == ["later", "before"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks")
def test_a_child_forked_during_a_summary_ends(tmp_path):
    with LongTermMemory(f"sqlite:///{tmp_path}/memory.db", settings=SMALL) as memory:
        for turn in range(6):
            for number in range(500):
                user = f"{turn} {number % 10}"
                memory.add(ANN._replace(user=user), make_exchange("Tokyo is warm. " * 9))
            # What is summarized next is all that there is to do.
            wait_until(lambda turn=turn: memory.status().stored == 500 * (turn + 1))
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
