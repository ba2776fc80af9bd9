"""What does the SQLite recall store cost: adding to stores of any size, and searching 100,000
exchanges of one user or of a thousand?"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import cycle

import numpy as np
import pytest

from anaphora.ltm.exchange import Exchange
from anaphora.ltm.history.working_history import HistorySettings
from anaphora.ltm.retrieval.search import search
from anaphora.ltm.retrieval.sqlite.store import SqliteRecallStore
from anaphora.ltm.retrieval.store import NewExchange, SearchFilter, UserKey
from anaphora.stm.conversation import ConversationKey

BEGIN = datetime(2026, 1, 5, 9, tzinfo=UTC)
EXCHANGES, USERS, DIMENSION = 100_000, (1, 1_000), 384
TOKENS, TOKEN_DIMENSION = 16, 96  # of an exchange
STOP_WORDS = tuple(f"stop{number}" for number in range(10))  # each in half of all exchanges
WORDS, RANKS = 20_000, (20, 50, 100, 200, 500, 1_000, 5_000)
FILTERS = {
    "all": SearchFilter(),
    "one intent": SearchFilter(intent="intent 0"),
    "one slot value": SearchFilter(slots={"city": "city 0"}),
    "the last half": SearchFilter(since=BEGIN + timedelta(minutes=EXCHANGES // 2)),
}


class Talker:
    """Generates exchanges of some seventeen terms: stop words, and words with Zipf frequencies."""

    def __init__(self, users: int) -> None:
        self.users = users
        self.random = np.random.default_rng(1)
        frequencies = 1 / np.arange(1, WORDS + 1)
        self.shares = np.cumsum(frequencies) / frequencies.sum()

    def say(self, number: int) -> NewExchange:
        drawn = np.searchsorted(self.shares, self.random.random(12))
        stop_words = np.array(STOP_WORDS)[self.random.random(len(STOP_WORDS)) < 0.5]
        terms = (*stop_words.tolist(), *(f"word{rank}" for rank in drawn))
        exchange = Exchange(
            " ".join(terms[:8]),
            " ".join(terms[8:]),
            BEGIN + timedelta(minutes=number),
            intent=f"intent {number % 20}",
            slots={"city": (f"city {number % 50}",)},
        )
        return NewExchange(ConversationKey(f"user {number % self.users}", "bench"), exchange, terms)

    def ask(self) -> tuple[str, ...]:
        """A question of ten words, five of them stop words."""
        rare = (f"word{rank + self.random.integers(9)}" for rank in self.random.choice(RANKS, 5))
        return (*self.random.choice(STOP_WORDS, 5, replace=False).tolist(), *rare)


@pytest.fixture(scope="module", params=USERS, ids=lambda users: f"{users} users")
def filled(request, tmp_path_factory) -> Iterator[tuple[SqliteRecallStore, Talker]]:
    path = tmp_path_factory.mktemp("recall") / "memory.db"
    talker = Talker(request.param)
    with closing(opened(path)) as store:
        for start in range(0, EXCHANGES, 1_000):
            store.add([talker.say(number) for number in range(start, start + 1_000)])
        while waiting := store.find_unembedded("bench", 5_000):
            ids = [id for id, _ in waiting]
            store.put_vectors("bench", ids, directions(talker.random, len(ids)))
            packed = [talker.random.bytes(TOKENS * TOKEN_DIMENSION // 2) for _ in ids]
            store.put_token_vectors(Dice.token_name, ids, packed)
        yield store, talker


def opened(path) -> SqliteRecallStore:
    return SqliteRecallStore(path, settings=HistorySettings(), synchronous="normal")


def directions(random: np.random.Generator, count: int, dimension: int = DIMENSION) -> np.ndarray:
    vectors = random.standard_normal((count, dimension), dtype=np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.mark.parametrize("before", [10, 10_000])
def test_add(benchmark, tmp_path, before):
    """Add an exchange to a conversation of the given length, in its own transaction."""
    talker = Talker(1)
    with closing(opened(tmp_path / "memory.db")) as store:
        store.add([talker.say(number) for number in range(before)])
        benchmark.pedantic(
            store.add, setup=lambda: (([talker.say(before)],), {}), rounds=300, warmup_rounds=10
        )


def test_statistics(benchmark, filled):
    store, talker = filled
    found = benchmark(lambda: store.statistics(UserKey("user 0"), talker.ask()))
    assert found.documents == EXCHANGES // talker.users


@pytest.mark.parametrize("among", FILTERS.values(), ids=FILTERS)
def test_matching(benchmark, filled, among):
    store, talker = filled
    found = benchmark(lambda: store.find_matching(UserKey("user 0"), talker.ask(), among, 400))
    assert found


def test_around(benchmark, filled):
    """The neighbours of 400 candidates."""
    store, talker = filled
    found = [
        store.find_matching(UserKey("user 0"), talker.ask(), SearchFilter(), 400) for _ in range(20)
    ]
    turn = cycle(found)
    assert benchmark(lambda: store.with_neighbours(UserKey("user 0"), next(turn), 1))


@pytest.mark.parametrize("among", FILTERS.values(), ids=FILTERS)
def test_nearest(benchmark, filled, among):
    store, talker = filled
    (vector,) = directions(talker.random, 1)
    found = benchmark(lambda: store.find_nearest(UserKey("user 0"), "bench", vector, among, 400))
    assert found


class Dice:
    """An embedder of meaningless vectors at no cost, to time the search alone."""

    name, dimension, token_name = "bench", DIMENSION, "bench tokens"

    def __init__(self, *, token_vectors: bool) -> None:
        self.vectors = cycle(directions(np.random.default_rng(2), 100))
        self.tokens = directions(np.random.default_rng(3), 8, TOKEN_DIMENSION)
        self.token_name = Dice.token_name if token_vectors else ""

    def embed(self, texts):
        return np.stack([next(self.vectors) for _ in texts])

    def embed_with_tokens(self, texts):
        return self.embed(texts), [self.tokens for _ in texts]


@pytest.mark.parametrize("how", ["text", "meaning", "hybrid", "hybrid with tokens"])
def test_search(benchmark, filled, how):
    """A page of ten passages, each with a neighbour before and after it."""
    store, talker = filled
    mode, _, tokens = how.partition(" with ")
    embedder = Dice(token_vectors=bool(tokens))

    def look():
        text = " ".join(talker.ask())
        return search(store, UserKey("user 0"), text, mode=mode, language="none", embedder=embedder)

    assert len(benchmark(look).passages) == 10


def test_matching_by_fts5(benchmark, tmp_path):
    """SQLite's own index with the candidates of :func:`test_matching`, of one user."""
    talker = Talker(1)
    with closing(sqlite3.connect(tmp_path / "fts5.db")) as connection:
        connection.execute("CREATE VIRTUAL TABLE said USING fts5(terms)")
        rows = ((" ".join(talker.say(number).terms),) for number in range(EXCHANGES))
        connection.executemany("INSERT INTO said VALUES (?)", rows)
        query = "SELECT rowid FROM said WHERE said MATCH ? ORDER BY bm25(said) LIMIT 400"

        def look():
            return connection.execute(query, (" OR ".join(talker.ask()),)).fetchall()

        assert benchmark(look)
