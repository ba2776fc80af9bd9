"""Indexes of the vectors of users with very many, in the recall store in PostgreSQL."""

from __future__ import annotations

import numpy as np
import pytest

from anaphora.ltm.retrieval.store import SearchFilter
from tests.ltm.retrieval.postgres.database import opened
from tests.ltm.retrieval.store_contract import ANN, BEN, NO_FILTER, OF_ANN, add_exchanges

MANY = 60


@pytest.fixture(params=[0, 2], ids=["one table", "partitions"])
def filled(request, postgres_server, schema):
    """A store with an index for Ann, who has many vectors; Ben has few."""
    with opened(postgres_server, schema=schema, index_vectors_from=MANY) as store:
        if request.param:
            store.partition(request.param)
        made = np.random.default_rng(5).standard_normal((MANY, 16)).astype(np.float32)
        made /= np.linalg.norm(made, axis=1, keepdims=True)
        ids = add_exchanges(store, ANN, *map(str, range(MANY)))
        store.put_vectors("m", ids, made)
        store.put_vectors("m", add_exchanges(store, BEN, "b"), made[:1])
        yield store, ids, made


def test_very_many_vectors_of_one_user_are_searched_by_an_index(filled, postgres_server, schema):
    store, ids, made = filled
    exact = store.find_nearest(OF_ANN, "m", made[7], NO_FILTER, 10)
    assert store.index_vectors("m")
    assert not store.index_vectors("m")  # there is nothing left to do
    assert indexes(postgres_server, schema) == [True]
    near = store.find_nearest(OF_ANN, "m", made[7], NO_FILTER, 10)
    assert [id for id, _ in near] == [id for id, _ in exact]
    assert dict(near) == pytest.approx(dict(exact), abs=1e-6)
    assert scans(store, schema) == 1
    of_weather = SearchFilter(model="weather")  # exact: an index might find too few
    assert len(store.find_nearest(OF_ANN, "m", made[7], of_weather, MANY)) == MANY
    assert scans(store, schema) == 1
    store.put_vectors("m", ids[7:8], -made[7:8])
    assert store.find_nearest(OF_ANN, "m", made[7], NO_FILTER, 1)[0][0] != ids[7]


def test_an_unfinished_index_is_replaced_and_that_of_an_erased_user_dropped(
    filled, postgres_server, schema
):
    store, ids, made = filled
    assert store.index_vectors("m")
    with postgres_server.client() as client:  # as a process leaves it that dies
        client.execute(f"SET search_path TO {schema}, public")
        client.execute("UPDATE vector_indexes SET ready = false")
        client.execute(
            "UPDATE pg_index SET indisvalid = false WHERE indexrelid = "
            "(SELECT oid FROM pg_class WHERE relname ~ '^vectors_hnsw_' "
            "AND relnamespace = current_schema()::regnamespace)"
        )
    assert store.find_nearest(OF_ANN, "m", made[7], NO_FILTER, 1)[0][0] == ids[7]
    assert store.index_vectors("m")
    assert indexes(postgres_server, schema) == [True]
    store.erase(OF_ANN)
    assert store.index_vectors("m")
    assert indexes(postgres_server, schema) == []
    assert not store.index_vectors("m")


def indexes(server, schema: str) -> list[bool]:
    """Whether each index of vectors is valid."""
    with server.client() as client:
        return [
            valid
            for (valid,) in client.execute(
                "SELECT indisvalid FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid "
                "WHERE relname ~ '^vectors_hnsw_' AND relnamespace = %s::regnamespace",
                (schema,),
            )
        ]


def scans(store, schema: str) -> int:
    """How often the store has used an index of vectors."""
    store._pool.query("SELECT pg_stat_force_next_flush()")
    ((count,),) = store._pool.query(
        "SELECT sum(idx_scan) FROM pg_stat_user_indexes "
        "WHERE indexrelname ~ '^vectors_hnsw_' AND schemaname = %s",
        schema,
    )
    return int(count)
