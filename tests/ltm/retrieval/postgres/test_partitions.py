"""Tables of the recall store in PostgreSQL that are spread over partitions."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from anaphora.errors import StoreError
from anaphora.ltm.history.measure import Measure
from anaphora.ltm.history.working_history import HistorySettings
from anaphora.ltm.retrieval.postgres.store import PostgresRecallStore
from anaphora.ltm.retrieval.store import JournalPosition
from anaphora.stm.conversation import ConversationKey
from tests.ltm.retrieval.contract.test_state_machine import Stores
from tests.ltm.retrieval.postgres.database import assert_consistent, opened, shorten
from tests.ltm.retrieval.store_contract import (
    ANN,
    BEN,
    NO_FILTER,
    OF_ANN,
    Home,
    make_new_exchange,
    matching,
    questions,
    stack_vectors,
    vector,
)

COPIED = ("exchanges", "words", "summaries", "vectors", "token_vectors", "unembedded", "quarantine")


@pytest.mark.parametrize("pgvector", [True, False])
def test_existing_tables_are_spread_over_partitions_without_a_loss(
    postgres_server, schema, pgvector
):
    with opened(postgres_server, schema=schema, pgvector=pgvector) as store:
        for key in (ANN, BEN):
            store.add(
                [make_new_exchange(key, word) for word in ("sun", "rain", "wind", "fog")],
                mark=JournalPosition(key.user, 7),
            )
            shorten(store, key, 2)
        ids = [id for id, _ in store.find_unembedded("m", 9)]
        store.put_vectors("m", ids[:5], stack_vectors(*[vector(1, n) for n in range(5)]))
        store.put_token_vectors("t", ids[:1], [b"packed"])
        store.quarantine_embedding("m", ids[6], "no")
        before = rows(postgres_server, schema)
        for count in (3, 2):
            store.partition(count)
            assert rows(postgres_server, schema) == before
        store.partition(2)  # nothing to do
        assert questions(store.history(ANN).exchanges) == ["wind", "fog"]
        assert matching(store, OF_ANN, "rain") == ["rain"]
        assert store.find_nearest(OF_ANN, "m", vector(1, 2), NO_FILTER, 1)[0][0] == ids[2]
        assert store.journal_position("ann") == 7
        # What is new gets new ids, and what an erased user leaves is nothing.
        store.add([make_new_exchange(ANN, "snow")])
        (new, *_) = store.find_matching(OF_ANN, ["snow"], NO_FILTER, 9)
        assert (new.number, new.id > max(ids)) == (5, True)
        store.quarantined(9)
        assert store.erase(OF_ANN) == 5
        assert len(store.latest(BEN, 9)) == 4
    with postgres_server.client() as client:
        found = client.execute(
            "SELECT count(*) FROM pg_tables WHERE schemaname = %s AND tablename ~ '_2_[01]$'",
            (schema,),
        ).fetchone()
    assert found == (2 * 5,)


def test_partitions_behave_like_one_table(postgres_server):
    schema = postgres_server.schema()

    def make(place: int, settings: HistorySettings, measure: Measure) -> PostgresRecallStore:
        store = PostgresRecallStore(
            postgres_server.url, settings=settings, measure=measure, schema=f"{schema}_{place}"
        )
        store.partition(2)
        return store

    with Home(make) as home:
        run_state_machine_as_test(
            lambda: Stores(home),
            settings=settings(
                max_examples=3,
                stateful_step_count=25,
                deadline=None,
                suppress_health_check=[HealthCheck.too_slow],
            ),
        )


def test_a_question_reads_the_partition_of_its_user_alone(postgres_server, schema, store):
    store.partition(4)
    store.add([make_new_exchange(ConversationKey(f"u{n}", "weather"), "sun") for n in range(4)])
    store.history(ANN)
    assert_consistent(postgres_server, schema)
    seen = []
    query = store._pool.query

    def explained(text, *values):
        plan = query(f"EXPLAIN (FORMAT JSON) {text}", *values)
        seen.append({*re.findall(r'"\w+_4_([0-3])"', json.dumps(plan))})
        return query(text, *values)

    store._pool.query = explained
    key = ConversationKey("u1", "weather")
    of_user = OF_ANN._replace(user="u1")
    assert questions(store.history(key).exchanges) == ["sun"]
    assert questions(store.latest(key, 9)) == ["sun"]
    (found,) = store.find_matching(of_user, ["sun"], NO_FILTER, 9)
    assert store.with_neighbours(of_user, [found], 1) == [found]
    assert list(store.fetch(of_user, [found.id])) == [found.id]
    assert store.count_by_model(of_user) == {"weather": 1}
    assert max(map(len, seen)) == 1


@pytest.mark.parametrize("count", [0, 1_025])
def test_an_impossible_number_of_partitions_is_refused(store, count):
    with pytest.raises(StoreError, match="1 to 1024 partitions"):
        store.partition(count)


def rows(server, schema: str) -> dict[str, set[str]]:
    with server.client() as client:
        client.execute(f"SET search_path TO {schema}, public")
        return {
            table: {
                row for (row,) in client.execute(f"SELECT to_jsonb(it)::text FROM {table} AS it")
            }
            for table in COPIED
        }
