"""Quarantine of rejected items in a recall store."""

from __future__ import annotations

from datetime import timedelta

import pytest

from anaphora.ltm.history.working_history import HistorySettings
from tests.ltm.retrieval.store_contract import (
    ANN,
    BEGIN,
    BEN,
    OF_ANN,
    add_exchanges,
    stack_vectors,
    vector,
)


def test_an_exchange_rejected_by_the_embedder_can_be_released(store):
    one, two, three = add_exchanges(store, ANN, "one", "two", "three")
    assert len(store.find_unembedded("m", 9)) == 3
    store.quarantine_embedding("m", two, "too strange")
    assert [id for id, _ in store.find_unembedded("m", 9)] == [one, three]
    assert [id for id, _ in store.find_unembedded("other", 9)] == [one, two, three]
    store.put_vectors("m", [one, three], stack_vectors(vector(1, 0), vector(0, 1)))
    (item,) = store.quarantined(9)
    assert (item.kind, item.key, item.reason) == ("embed", ANN, "too strange")
    assert store.find_unembedded("m", 9) == []
    assert store.release(item.id)
    assert (store.quarantined(9), store.release(item.id)) == ([], False)
    assert [id for id, _ in store.find_unembedded("m", 9)] == [two]
    store.quarantine_embedding("m", two, "still too strange")
    assert store.find_unembedded("m", 9) == []
    (item,) = store.quarantined(9)
    assert store.discard(item.id)
    assert (store.count_quarantined(), store.discard(item.id)) == (0, False)
    assert store.find_unembedded("m", 9) == []


def test_a_conversation_rejected_by_the_summarizer_is_quarantined(make_store):
    store = make_store(HistorySettings(max_size=1))
    add_exchanges(store, ANN, "one two")
    add_exchanges(store, BEN, "three four")
    store.quarantine_compression(ANN, "too long")
    assert set(store.find_oversized(9)) == {BEN}
    (item,) = store.quarantined(9)
    assert (item.kind, item.key, item.reason) == ("compress", ANN, "too long")
    assert store.release(item.id)
    assert set(store.find_oversized(9)) == {ANN, BEN}


def test_erasure_and_expiry_apply_to_the_quarantine(store):
    (one,), (two,) = add_exchanges(store, ANN, "one"), add_exchanges(store, BEN, "two")
    store.quarantine_embedding("m", one, "no")
    store.quarantine_embedding("m", two, "no")
    store.quarantine_compression(ANN, "no")
    assert store.count_quarantined() == 3
    store.erase(OF_ANN)
    assert [item.key for item in store.quarantined(9)] == [BEN]
    assert store.expire(BEGIN + timedelta(days=1)) == 1
    assert store.quarantined(9) == []


@pytest.mark.parametrize("id", ["", "7", "seven", "-1"])
def test_unknown_items_can_neither_be_released_nor_discarded(store, id):
    assert (store.release(id), store.discard(id)) == (False, False)
