"""Quarantine of items that cannot be processed."""

from __future__ import annotations

import numpy as np

from anaphora.errors import PermanentStoreError
from anaphora.ltm.memory import LongTermMemory
from tests.ltm.memory.doubles import DEADLINE, questions, settled
from tests.ltm.sample_exchanges import ANN, make_exchange, make_exchanges


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


def test_a_text_rejected_by_the_embedder_does_not_block_others(open_memory, caplog):
    memory = open_memory(embedder=Embedder("poison"), summarizer=None)
    for word in ("one", "poison", "three", "four"):
        memory.add(ANN._replace(user=word), make_exchange(word))
    settled(memory)
    assert [len(said) for _, said in memory.store.find_unembedded("letters", 9)] == []
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


def test_an_unavailable_embedder_quarantines_nothing(open_memory, clock):
    memory = open_memory(embedder=Embedder(""), summarizer=None)
    memory.add(ANN, make_exchange("hello"))
    settled(memory)
    assert memory.quarantined() == []
    assert memory.status().failures == {"embed": 1}
    memory._embedder.refused = ()
    clock.passes(seconds=1)
    settled(memory)
    assert memory.store.find_unembedded("letters", 9) == []


def test_a_conversation_rejected_by_the_summarizer_can_be_released(open_memory, summarizer):
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


def test_only_the_damaged_entry_of_a_journal_is_missing(open_memory, tmp_path):
    left = open_memory()
    left._worker.stop(DEADLINE)
    for number in range(100):
        left.add(ANN, make_exchange(f"number {number} of many"))
    left._ingestion.close()
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


def test_an_entry_rejected_by_the_store_can_be_released(failing, tmp_path):
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
