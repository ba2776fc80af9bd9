"""What does an archive of 100,000 passages cost: loading documents, searching, counting?"""

from __future__ import annotations

import string
from collections.abc import Iterator
from contextlib import closing
from itertools import count, cycle

import numpy as np
import pytest

from anaphora.agents.archive.archive import Archive
from anaphora.agents.archive.document import Document
from anaphora.agents.archive.passages import Section
from anaphora.ltm.retrieval.store import UserKey

PASSAGES, PER_DOCUMENT, BATCH = 100_000, 100, 4_000
VOCABULARY, DIMENSION = 20_000, 384
TOKENS, TOKEN_DIMENSION = 80, 96  # of a passage
SENTENCES, WORDS = 10, 14  # of a passage, of a sentence
RANKS = (100, 200, 500, 1_000, 2_000, 5_000)
SHARED, ANN = UserKey("", "library"), UserKey("ann", "library")


class Author:
    """Writes passages of 140 words with Zipf frequencies."""

    def __init__(self) -> None:
        self.random = np.random.default_rng(1)
        letters = np.array(list(string.ascii_lowercase))
        lengths = self.random.integers(3, 9, VOCABULARY)
        self.words = np.array(["".join(self.random.choice(letters, size)) for size in lengths])
        frequencies = 1 / np.arange(1, VOCABULARY + 1)
        self.shares = np.cumsum(frequencies) / frequencies.sum()
        self.numbers = count()

    def write(self) -> Document:
        paragraphs = [self._write_paragraph() for _ in range(PER_DOCUMENT)]
        title = f"Volume {next(self.numbers)}"
        return Document(title, title, (Section("\n\n".join(paragraphs), ("Chapter",)),))

    def ask(self) -> str:
        """A question of ten words, five of them among the ten most frequent."""
        common = self.random.choice(10, 5, replace=False)
        rare = self.random.choice(RANKS, 5) + self.random.integers(9, size=5)
        return " ".join(self.words[[*common, *rare]])

    def _write_paragraph(self) -> str:
        drawn = np.searchsorted(self.shares, self.random.random((SENTENCES, WORDS)))
        return " ".join(f"{' '.join(words).capitalize()}." for words in self.words[drawn])


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


def directions(random: np.random.Generator, number: int, dimension: int = DIMENSION) -> np.ndarray:
    vectors = random.standard_normal((number, dimension), dtype=np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.fixture(scope="module")
def author() -> Author:
    return Author()


@pytest.fixture(scope="module")
def url(author, tmp_path_factory) -> str:
    url = f"sqlite:///{tmp_path_factory.mktemp('archive')}/archive.db"
    with closing(Archive(url)) as archive:
        archive.load(SHARED, (author.write() for _ in range(PASSAGES // PER_DOCUMENT)))
        archive.insert(ANN, "A note of her own.")
        while waiting := archive.store.find_unembedded("bench", 5_000):
            ids = [id for id, _ in waiting]
            archive.store.put_vectors("bench", ids, directions(author.random, len(ids)))
            packed = [author.random.bytes(TOKENS * TOKEN_DIMENSION // 2) for _ in ids]
            archive.store.put_token_vectors(Dice.token_name, ids, packed)
    return url


@pytest.fixture(scope="module")
def filled(url) -> Iterator[Archive]:
    with closing(Archive(url, embedder=Dice(token_vectors=False))) as archive:
        yield archive


@pytest.fixture(scope="module")
def filled_with_tokens(url) -> Iterator[Archive]:
    with closing(Archive(url, embedder=Dice(token_vectors=True))) as archive:
        yield archive


def test_load(benchmark, author, tmp_path):
    """Load 4,000 passages: splitting, index terms, and one transaction."""
    with closing(Archive(f"sqlite:///{tmp_path}/archive.db")) as archive:

        def documents():
            return (SHARED, [author.write() for _ in range(BATCH // PER_DOCUMENT)]), {}

        loaded = benchmark.pedantic(archive.load, setup=documents, rounds=5, warmup_rounds=1)
        assert loaded == BATCH
        benchmark.extra_info["passages per second"] = round(BATCH / benchmark.stats.stats.median)


def test_insert(benchmark, filled):
    """Insert a fact into a large archive, with its vector."""
    numbers = count()
    benchmark(lambda: filled.insert(ANN, f"Note {next(numbers)}: the tea was good."))


@pytest.mark.parametrize("mode", ["text", "meaning", "hybrid"])
@pytest.mark.parametrize("owners", [[SHARED], [SHARED, ANN]], ids=["one owner", "two owners"])
def test_search(benchmark, filled, author, owners, mode):
    """The first page of five."""
    page = benchmark(lambda: filled.search(owners, author.ask(), mode=mode))
    assert len(page.passages) == 5


@pytest.mark.parametrize("owners", [[SHARED], [SHARED, ANN]], ids=["one owner", "two owners"])
def test_search_with_tokens(benchmark, filled_with_tokens, author, owners):
    page = benchmark(lambda: filled_with_tokens.search(owners, author.ask(), mode="hybrid"))
    assert len(page.passages) == 5


def test_next_page(benchmark, filled, author):
    query = author.ask()
    filled.search([SHARED], query)
    assert benchmark(lambda: filled.search([SHARED], query, page=3)).passages


@pytest.mark.parametrize("passages", [1, PASSAGES])
def test_count(benchmark, filled, passages, tmp_path):
    """The time must not depend on the number of passages."""
    if passages == PASSAGES:
        assert benchmark(lambda: filled.count(SHARED)) == PASSAGES
        return
    with closing(Archive(f"sqlite:///{tmp_path}/archive.db")) as archive:
        archive.insert(ANN, "A single note.")
        assert benchmark(lambda: archive.count(ANN)) == 1
