"""Vector and word search in the recall store in PostgreSQL."""

from __future__ import annotations

import numpy as np
import pytest

from anaphora.ltm.retrieval.store import SearchFilter
from tests.ltm.retrieval.postgres.database import opened
from tests.ltm.retrieval.store_contract import (
    ANN,
    BEGIN,
    BEN,
    NO_FILTER,
    OF_ANN,
    add_exchanges,
    make_exchange,
    make_new_exchange,
    matching,
    stack_vectors,
    vector,
)
from tests.support.postgres_server import without_pgvector


def test_both_vector_searches_find_the_same(postgres_server, schema):
    made = np.random.default_rng(7).standard_normal((300, 24)).astype(np.float32)
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    found = {}
    for name, options in {
        "pgvector": {"vector_memory": 0},
        "matrix of bytes": {"pgvector": False, "schema": f"{schema}_b"},
    }.items():
        with opened(postgres_server, **({"schema": schema} | options)) as store:
            for key in (ANN, BEN):
                ids = add_exchanges(
                    store,
                    key,
                    *(make_exchange("x", slots={"n": (str(n % 7),)}) for n in range(300)),
                )
                store.put_vectors("m", ids, made)
            at = {id: place for place, id in enumerate(ids_of_ann(store))}
            near = [
                store.find_nearest(OF_ANN, "m", made[7], among, 20)
                for among in (NO_FILTER, SearchFilter(slots={"n": "3"}))
            ]
            found[name] = [[(at[id], round(cosine, 5)) for id, cosine in each] for each in near]
    assert found["pgvector"] == found["matrix of bytes"]
    everywhere, some = found["pgvector"]
    assert everywhere[0] == (7, pytest.approx(1))
    assert {place % 7 for place, _ in some} == {3}
    assert len(some) == 20


def test_many_vectors_are_searched_in_memory_with_the_same_result(
    postgres_server, schema, monkeypatch
):
    made = np.random.default_rng(8).standard_normal((50, 24)).astype(np.float32)
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    with opened(postgres_server, schema=schema) as store:
        ids = add_exchanges(store, ANN, *(make_exchange("x") for _ in range(50)))
        store.put_vectors("m", ids, made)
        by_server = store.find_nearest(OF_ANN, "m", made[7], NO_FILTER, 20)
        monkeypatch.setattr("anaphora.ltm.retrieval.postgres.search._MATRIX_THRESHOLD", 10)
        in_memory = store.find_nearest(OF_ANN, "m", made[7], NO_FILTER, 20)
        assert [id for id, _ in in_memory] == [id for id, _ in by_server]
        assert dict(in_memory) == pytest.approx(dict(by_server), abs=1e-6)
        store.put_vectors("m", ids[7:8], -made[7:8])
        later = store.find_nearest(OF_ANN, "m", made[7], NO_FILTER, 50)
        assert later[-1] == (ids[7], pytest.approx(-1, abs=1e-6))
        store.erase(OF_ANN)
        assert list(store.find_nearest(OF_ANN, "m", made[7], NO_FILTER, 20)) == []


def test_common_words_do_not_hide_rare_ones(store, monkeypatch):
    for limit in ("_MAX_SCORED", "_SCAN_THRESHOLD"):
        monkeypatch.setattr(f"anaphora.ltm.retrieval.postgres.search.{limit}", 10)
    store.add([make_new_exchange(ANN, f"the only {n}") for n in range(2)])
    store.add([make_new_exchange(ANN, f"the {'big ' * (n % 2)}{n}") for n in range(60)])
    assert sorted(matching(store, OF_ANN, "the", "only", "big", limit=2)) == [
        "the only 0",
        "the only 1",
    ]
    found = matching(store, OF_ANN, "the", "only", "big", limit=20)
    assert {"the only 0", "the only 1"} < set(found)
    assert len(set(found)) == 20
    assert len(matching(store, OF_ANN, "the", limit=5)) == 5
    assert len(matching(store, OF_ANN, "the", "big", "only")) == 62
    early = SearchFilter(until=BEGIN)
    assert matching(store, OF_ANN, "the", "only", filters=early) == []


def test_the_store_works_without_pgvector():
    with without_pgvector() as server, opened(server) as store:
        with server.client() as client:
            ((there,),) = client.execute(
                "SELECT count(*) FROM pg_available_extensions WHERE name = 'vector'"
            ).fetchall()
        assert not there
        first, second = add_exchanges(store, ANN, "rain in tokyo", "sun")
        store.put_vectors("m", [first, second], stack_vectors(vector(1, 0), vector(0, 1)))
        assert [id for id, _ in store.find_nearest(OF_ANN, "m", vector(1, 1e-3), NO_FILTER, 9)] == [
            first,
            second,
        ]
        assert matching(store, OF_ANN, "tokyo") == ["rain in tokyo"]
        assert store.erase(OF_ANN) == 2


def ids_of_ann(store) -> list[int]:
    return sorted(store.list_ids(OF_ANN, NO_FILTER, skip=0, limit=10_000))
