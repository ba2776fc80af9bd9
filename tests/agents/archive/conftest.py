"""Archives in any kind of store, and an embedder that knows what a few words mean."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import numpy as np
import pytest

from anaphora.agents.archive.archive import Archive
from anaphora.errors import AnaphoraError
from anaphora.ltm.retrieval.store import UserKey
from tests.support.postgres_server import postgres_server  # noqa: F401 - a fixture

ANN, BEN, SHARED = UserKey("ann", "acme"), UserKey("ben", "acme"), UserKey("", "acme")

MEANINGS = (
    {"dessert", "cake", "tart", "pudding"},
    {"car", "race", "lap", "ferrari"},
    {"tea", "matcha", "sencha"},
)


class MeaningEmbedder:
    """Embeds by the meanings of words. While ``fails`` it rejects everything; while ``may_go`` is
    not set, the background thread waits."""

    name, dimension = "meanings", len(MEANINGS) + 1

    def __init__(self) -> None:
        self.fails = False
        self.texts: list[str] = []
        self.may_go = threading.Event()
        self.may_go.set()

    def embed(self, texts):
        if self.fails:
            raise AnaphoraError("the embedder is away")
        if threading.current_thread().name == "anaphora-archive":
            assert self.may_go.wait(60)
        self.texts += texts
        return np.stack([self._embed(text) for text in texts])

    def _embed(self, text: str) -> np.ndarray:
        words = {word.strip(".,?!") for word in text.lower().split()}
        vector = np.array([len(words & meaning) for meaning in MEANINGS] + [0.1], np.float32)
        return vector / np.linalg.norm(vector)


class WordEmbedder(MeaningEmbedder):
    """Embeds each word as well."""

    token_name = "meanings of words"

    def embed_with_tokens(self, texts):
        return self.embed(texts), [
            np.stack([self._embed(word) for word in text.split()]) for text in texts
        ]


@pytest.fixture
def embedder() -> MeaningEmbedder:
    return MeaningEmbedder()


@pytest.fixture
def word_embedder() -> WordEmbedder:
    return WordEmbedder()


@pytest.fixture(params=["sqlite", "postgres"])
def url(request, tmp_path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/archive.db?synchronous=normal"
    server = request.getfixturevalue("postgres_server")
    return f"{server.url}{'&' if '?' in server.url else '?'}schema={server.schema()}"


@pytest.fixture
def open_archive(clock, tmp_path, monkeypatch) -> Iterator[Callable[..., Archive]]:
    """Opens archives with the clock of the test, and closes them."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with ExitStack() as opened:

        def open_archive(store, **options) -> Archive:
            archive = Archive(store, clock=clock, **options)
            opened.callback(archive.close)
            return archive

        yield open_archive


@pytest.fixture
def archive(open_archive, url) -> Archive:
    return open_archive(url)
