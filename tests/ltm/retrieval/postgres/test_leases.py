"""Workers on several machines share the background work of a memory in PostgreSQL."""

from __future__ import annotations

from contextlib import closing, contextmanager

from anaphora.ltm.history.working_history import HistorySettings
from anaphora.ltm.retrieval.postgres.store import PostgresRecallStore
from tests.ltm.retrieval.postgres.database import opened
from tests.ltm.retrieval.store_contract import (
    ANN,
    ANN_HOTELS,
    BEN,
    add_exchanges,
    make_summary,
    stack_vectors,
    vector,
)


def test_two_workers_never_embed_the_same_exchange(postgres_server, schema, store):
    ids = add_exchanges(store, ANN, *"abcdef")
    with opened(postgres_server, schema=schema) as other:
        assert waiting(store, 2) == ids[:2]
        assert waiting(other, 2) == ids[2:4]
        assert waiting(store, 2) == ids[:2]  # still its own
        store.put_vectors("m", ids[:2], stack_vectors(vector(1), vector(2)))
        assert waiting(store, 9) == ids[4:]
        assert waiting(other, 9) == ids[2:4]


def test_the_work_of_a_dead_worker_is_done_by_another_once(postgres_server, schema, store):
    ids = add_exchanges(store, ANN, *"abc")
    dead = PostgresRecallStore(postgres_server.url, settings=HistorySettings(), schema=schema)
    assert waiting(dead, 2) == ids[:2]
    assert waiting(store, 9) == ids[2:]
    end_leases(postgres_server, schema)
    assert waiting(store, 9) == ids
    store.put_vectors("m", ids, stack_vectors(*[vector(1)] * 3))
    # It was only suspended, and stores what it had computed: there is still one vector of each.
    dead.put_vectors("m", ids[:2], stack_vectors(vector(1), vector(1)))
    dead.close()
    with postgres_server.client() as client:
        counted = client.execute(f"SELECT count(*) FROM {schema}.vectors").fetchone()
        left = client.execute(f"SELECT count(*) FROM {schema}.leases").fetchone()
    assert (counted, left) == ((3,), (0,))


def test_a_worker_that_stops_leaves_its_work_to_the_others_at_once(postgres_server, schema, store):
    ids = add_exchanges(store, ANN, *"ab")
    with opened(postgres_server, schema=schema) as other:
        assert waiting(other, 9) == ids
        assert waiting(store, 9) == []
    assert waiting(store, 9) == ids


def test_two_workers_never_compress_the_same_history(postgres_server, schema):
    with short_histories(postgres_server, schema) as store:
        for key in (ANN, ANN_HOTELS, BEN):
            add_exchanges(store, key, *"abc")
        with short_histories(postgres_server, schema) as other:
            assert store.claim_oversized([ANN, BEN]) == [ANN, BEN]
            assert other.claim_oversized([BEN, ANN_HOTELS]) == [ANN_HOTELS]
            assert set(store.find_oversized(9)) == {ANN, BEN}
            assert set(other.find_oversized(9)) == {ANN_HOTELS}
            parts = store.history(ANN).exchanges[:2]
            assert store.compress(ANN, parts, [make_summary(parts)])
            end_leases(postgres_server, schema)  # the worker with Ben's history is dead
            assert other.claim_oversized([BEN]) == [BEN]
            parts = other.history(BEN).exchanges[:2]
            assert other.compress(BEN, parts, [make_summary(parts)])
            assert not store.compress(BEN, parts, [make_summary(parts)])  # it lives, but is late


def test_two_workers_never_reindex_the_same_exchange(postgres_server, schema, store):
    ids = add_exchanges(store, ANN, *"abc")
    with opened(postgres_server, schema=schema) as other:
        assert [id for id, _ in store.find_outdated(99, 2)] == ids[:0:-1]
        assert [id for id, _ in other.find_outdated(99, 2)] == ids[:1]


def waiting(store: PostgresRecallStore, limit: int) -> list[int]:
    return [id for id, _ in store.find_unembedded("m", limit)]


def end_leases(server, schema: str) -> None:
    with server.client() as client:
        client.execute(f"UPDATE {schema}.leases SET until = clock_timestamp()")


@contextmanager
def short_histories(server, schema: str):
    settings = HistorySettings(max_size=2)
    with closing(PostgresRecallStore(server.url, settings=settings, schema=schema)) as store:
        yield store
