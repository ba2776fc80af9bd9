"""Erasure of users and expiry of exchanges."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from anaphora.ltm.retrieval.store import UserKey
from tests.ltm.memory.doubles import DEADLINE, questions, settled
from tests.ltm.sample_exchanges import ANN, BOB, make_exchange


def test_exchanges_older_than_the_retention_are_erased(open_memory, clock):
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


def test_a_momentarily_wrong_clock_erases_nothing(open_memory, clock):
    memory = settled(open_memory(retention=timedelta(days=30)))
    memory.add(ANN, make_exchange("young"))
    for wrong_by in ({"days": 3_650}, {"minutes": 2}, {"days": -3_650}):
        clock.passes(minutes=2)
        clock.is_set(**wrong_by)
        settled(memory)
        assert len(memory.latest(ANN, 10)) == 1


def test_expiry_works_after_the_clock_was_years_ahead(open_memory, clock):
    memory = settled(open_memory(retention=timedelta(days=30)))
    memory.add(ANN, make_exchange("old"))
    clock.is_set(days=3_650)
    settled(memory)
    clock.is_set(days=-3_650)
    settled(memory)
    clock.passes(days=31)
    settled(memory)
    assert memory.latest(ANN, 10) == []


def test_expiry_works_after_the_clock_was_corrected(open_memory, clock):
    memory = settled(open_memory(retention=timedelta(days=30)))
    memory.add(ANN, make_exchange("old"))
    clock.is_set(days=31)
    settled(memory)
    clock.passes(minutes=2)
    settled(memory)
    assert memory.latest(ANN, 10) == []


@pytest.mark.parametrize("restarted", [False, True])
def test_exchanges_after_an_erasure_are_stored_though_the_clock_goes_back(
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


def test_erased_exchanges_stay_erased_after_a_clock_was_years_ahead(open_memory, clock):
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


def test_erasure_includes_the_journal(open_memory, tmp_path):
    memory = open_memory()
    memory.add(ANN, make_exchange("my sentinel"))
    memory.add(BOB, make_exchange("hello"))
    assert memory.erase("ann") == 1
    assert memory.latest(ANN, 10) == []
    assert len(memory.latest(BOB, 10)) == 1
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) >= 3
    assert not [path for path in files if b"sentinel" in path.read_bytes()]


def test_erasure_can_be_limited_to_one_model(open_memory):
    memory = open_memory()
    memory.add(ANN, make_exchange("weather"))
    memory.add(ANN._replace(model="cafe"), make_exchange("pizza"))
    assert memory.erase("ann", model="cafe") == 1
    assert [one.exchange.question for one in memory.recall(UserKey("ann")).passages] == ["weather"]


def test_erased_exchanges_do_not_return_from_the_journal_of_another_process(open_memory):
    busy = open_memory()
    busy._worker.stop(DEADLINE)  # with a long summary, say
    busy.add(ANN, make_exchange("my secret"))
    busy.add(BOB, make_exchange("hello"))
    memory = open_memory()
    memory.erase("ann")
    busy.add(ANN, make_exchange("here I am again"))
    busy._ingestion.move_to_store()
    assert (questions(memory), questions(memory, BOB)) == (["here I am again"], ["hello"])
