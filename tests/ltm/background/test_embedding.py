"""Exchanges get vectors in the background, and vectors of their tokens."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from anaphora import ConversationKey, LongTermMemory, UserKey
from anaphora.ltm.exchange import Exchange
from anaphora.ltm.history.working_history import HistorySettings
from anaphora.ltm.retrieval.sqlite.store import SqliteRecallStore
from anaphora.ltm.retrieval.store import NO_FILTER

ANN, OF_ANN = ConversationKey("ann", "guide"), UserKey("ann")
NOON = datetime(2026, 11, 12, 12, tzinfo=UTC)


class Letters:
    """The tokens of a text are its letters. It refuses texts with one of the words ``refused``."""

    name, dimension = "letters", 26

    def __init__(self, *refused):
        self.refused = refused
        self.texts = []

    def embed(self, texts):
        self.texts += texts
        if any(word in text for word in self.refused for text in texts):
            raise ValueError("this text is none")
        return np.array([self._tokens(text).sum(0) + 1e-9 for text in texts], np.float32)

    def _tokens(self, text):
        return np.eye(26, dtype=np.float32)[[ord(c) - 97 for c in text.lower() if "a" <= c <= "z"]]


class TokenLetters(Letters):
    token_name = "letters tokens"

    def embed_with_tokens(self, texts):
        return self.embed(texts), [self._tokens(text) for text in texts]


@pytest.fixture
def store(tmp_path):
    with closing(SqliteRecallStore(tmp_path / "memory.db", settings=HistorySettings())) as store:
        yield store


@pytest.fixture
def open_memory(store, tmp_path):
    """Opens a memory on the same store, with any embedder."""

    def open_with(embedder):
        return LongTermMemory(store, journal=tmp_path / "journal", embedder=embedder)

    return open_with


def tell(memory, *texts):
    for minute, text in enumerate(texts):
        memory.add(ANN, Exchange(text, "", NOON + timedelta(minutes=minute)))
    assert memory.flush()


def token_counts(store):
    """How many tokens are stored of each exchange, oldest first."""
    ids = sorted(store.list_ids(OF_ANN, NO_FILTER, skip=0, limit=99))
    packed = store.token_vectors(OF_ANN, TokenLetters.token_name, ids)
    return [len(packed[id]) // 13 if id in packed else None for id in ids]


def test_exchanges_have_the_tokens_of_their_own_text(open_memory, store):
    with open_memory(TokenLetters()) as memory:
        tell(memory, "Where?", "Rome")
        assert token_counts(store) == [5, 4]
        assert "Where?\nRome" in memory._embedder.texts  # its vector has the text before, too


def test_an_embedder_without_tokens_works_without_them(open_memory, store):
    with open_memory(Letters()) as memory:
        tell(memory, "Where?", "Rome")
        assert token_counts(store) == [None, None]
        assert memory.recall(OF_ANN, "roem", mode="hybrid").passages[0].exchange.question == "Rome"


def test_exchanges_embedded_without_tokens_get_them_later(open_memory, store):
    with open_memory(Letters()) as memory:
        tell(memory, "Where?", "Rome")
    with open_memory(TokenLetters()) as memory:
        tell(memory, "Oslo")
        assert token_counts(store) == [5, 4, 4]
        assert memory.status().failures == {}


def test_a_rejected_text_is_one_item_of_the_quarantine_and_gets_its_tokens_when_released(
    open_memory, store
):
    with open_memory(TokenLetters("poison")) as memory:
        tell(memory, "good", "better", "one poison")
        (item,) = memory.quarantined()
        assert (item.kind, item.reason) == ("embed", "this text is none")
        assert token_counts(store) == [4, 6, 0]
        memory._embedder.refused = ()
        assert memory.release(item.id)
        assert memory.flush()
        assert token_counts(store) == [4, 6, 9]
        assert memory.status().quarantined == 0


def test_an_unavailable_embedder_leaves_the_tokens_for_later(open_memory, store):
    with open_memory(Letters()) as memory:
        tell(memory, "Where?")
    with open_memory(TokenLetters("")) as memory:
        assert memory.flush()
        assert memory.status().failures == {"embed": 1}
    assert token_counts(store) == [None]
