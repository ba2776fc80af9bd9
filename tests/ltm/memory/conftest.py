"""Long-term memories with test doubles."""

from __future__ import annotations

import pytest

from anaphora.ltm.memory import LongTermMemory
from anaphora.ltm.retrieval.sqlite.store import SqliteRecallStore
from tests.ltm.memory.doubles import DEADLINE, SMALL, Away, Clock, Failing, Summarizer


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def summarizer():
    return Summarizer()


@pytest.fixture
def open_memory(tmp_path, clock, summarizer, monkeypatch):
    """Readers wait until all is stored, however busy the machine is."""
    monkeypatch.setattr("anaphora.ltm.memory._READ_WAIT", DEADLINE)
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


@pytest.fixture
def away(tmp_path):
    store = SqliteRecallStore(tmp_path / "away.db", settings=SMALL, synchronous="normal")
    yield Away(store)
    store.close()


@pytest.fixture
def failing(tmp_path):
    store = SqliteRecallStore(tmp_path / "failing.db", settings=SMALL, synchronous="normal")
    yield Failing(store)
    store.close()
