"""What does the recall store in PostgreSQL cost? The same as in
:mod:`benchmarks.ltm.test_recall_store`, with a real server on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from itertools import cycle

import pytest

from anaphora.ltm.history.working_history import HistorySettings
from anaphora.ltm.retrieval.postgres.store import PostgresRecallStore
from anaphora.ltm.retrieval.store import SearchFilter, UserKey
from benchmarks.ltm.test_recall_store import (
    EXCHANGES,
    FILTERS,
    STOP_WORDS,
    USERS,
    Talker,
    directions,
)
from tests.support.postgres_server import PostgresServer, with_pgvector

USER = UserKey("user 0")


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with PostgresServer(with_pgvector(), shared_buffers="512MB", fsync="on") as server:
        yield server


@pytest.fixture(scope="module", params=USERS, ids=lambda users: f"{users} users")
def filled(request, server) -> Iterator[tuple[PostgresRecallStore, Talker]]:
    talker = Talker(request.param)
    with closing(opened(server, f"bench_{talker.users}")) as store:
        for start in range(0, EXCHANGES, 1_000):
            store.add([talker.say(number) for number in range(start, start + 1_000)])
        while waiting := store.find_unembedded("bench", 5_000):
            ids = [id for id, _ in waiting]
            store.put_vectors("bench", ids, directions(talker.random, len(ids)))
        with server.client() as client:  # as the server does by itself sooner or later
            client.execute("VACUUM ANALYZE")
        yield store, talker


def opened(server: PostgresServer, schema: str, **options) -> PostgresRecallStore:
    return PostgresRecallStore(server.url, settings=HistorySettings(), schema=schema, **options)


@pytest.mark.parametrize("before", [10, 10_000])
def test_add(benchmark, server, before):
    """Add an exchange to a conversation of the given length, in its own transaction."""
    talker = Talker(1)
    with closing(opened(server, f"adding_{before}")) as store:
        store.add([talker.say(number) for number in range(before)])
        benchmark.pedantic(
            store.add, setup=lambda: (([talker.say(before)],), {}), rounds=300, warmup_rounds=10
        )


def test_statistics(benchmark, filled):
    store, talker = filled
    found = benchmark(lambda: store.statistics(USER, talker.ask()))
    assert found.documents == EXCHANGES // talker.users


@pytest.mark.parametrize("among", FILTERS.values(), ids=FILTERS)
def test_matching(benchmark, filled, among):
    store, talker = filled
    # Not every one of a thousand users has a matching exchange.
    assert benchmark(lambda: store.find_matching(USER, talker.ask(), among, 400)) is not None


def test_matching_stop_words_alone(benchmark, filled):
    store, _ = filled
    assert benchmark(lambda: store.find_matching(USER, STOP_WORDS[:5], SearchFilter(), 400))


@pytest.mark.parametrize("reach", [1, 5])
def test_around(benchmark, filled, reach):
    """The neighbours of 400 candidates."""
    store, talker = filled
    turn = cycle([store.find_matching(USER, talker.ask(), SearchFilter(), 400) for _ in range(20)])
    assert benchmark(lambda: store.with_neighbours(USER, next(turn), reach))


@pytest.mark.parametrize("among", FILTERS.values(), ids=FILTERS)
def test_nearest(benchmark, filled, among):
    store, talker = filled
    (vector,) = directions(talker.random, 1)
    assert benchmark(lambda: store.find_nearest(USER, "bench", vector, among, 400)) is not None


def test_nearest_by_pgvector_alone(benchmark, filled, server):
    _, talker = filled
    (vector,) = directions(talker.random, 1)
    with closing(opened(server, f"bench_{talker.users}", memory=0)) as store:
        assert benchmark(lambda: store.find_nearest(USER, "bench", vector, SearchFilter(), 400))
