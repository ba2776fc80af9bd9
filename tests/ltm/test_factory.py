"""A long-term memory from plain settings: which names there are, and what is said of others."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from anaphora.errors import AnaphoraError
from anaphora.ltm.embedders.embedder import as_token_embedder
from anaphora.ltm.exchange import Exchange
from anaphora.ltm.factory import (
    EMBEDDERS,
    MemoryConfig,
    build_embedder,
    build_memory,
    build_summarizer,
    check_embedder,
    check_summarizer,
)
from anaphora.ltm.summarizers.process_summarizer import ProcessSummarizer
from anaphora.stm.conversation import ConversationKey

KEY = ConversationKey("ann", "weather")
NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)


def said(number: int) -> Exchange:
    return Exchange(f"What is the weather on day {number}?", "It is fine there.", NOON)


def test_a_configuration_sets_store_limits_and_retention(tmp_path: Path) -> None:
    now = NOON
    plan = MemoryConfig(
        f"sqlite:///{tmp_path / 'memory.db'}",
        summarizer="cut",
        max_words=100,
        max_exchanges=12,
        retention=timedelta(days=90),
        journal=tmp_path / "journal",
    )
    with build_memory(plan, clock=lambda: now) as memory:
        for number in range(20):
            memory.add(KEY, said(number))
        assert memory.flush(60)
        history = memory.history(KEY)
        assert history.size <= 100
        assert len(history.exchanges) <= 12
        assert {summary.by for summary in history.summaries} == {"cut"}
        assert len(memory.latest(KEY, 100)) == 20
    assert (tmp_path / "journal").is_dir()
    now = NOON + timedelta(days=91)
    with build_memory(
        plan, clock=lambda: now, monotonic=lambda: (now - NOON).total_seconds()
    ) as memory:
        assert memory.flush(60)
        now += timedelta(minutes=2)
        assert memory.flush(60)
        assert not memory.latest(KEY, 100)  # what is too old is gone


def test_without_a_summarizer_nothing_is_summarized(tmp_path: Path) -> None:
    with build_memory(MemoryConfig("memory:", summarizer="none", max_words=10)) as memory:
        for number in range(20):
            memory.add(KEY, said(number))
        assert memory.flush(60)
        assert len(memory.history(KEY).exchanges) == 20


@pytest.mark.parametrize(
    ("name", "called"),
    [
        ("extractive", "extractive"),
        ("cut", "cut"),
        ("http://localhost:8000/v1#llama-3", "chat: llama-3"),
    ],
)
def test_summarizers_are_built_by_name(name: str, called: str) -> None:
    summarizer = build_summarizer(name)
    assert summarizer is not None
    assert summarizer.name == called
    assert build_summarizer("none") is None


def test_a_missing_bart_folder_is_reported(tmp_path: Path) -> None:
    with pytest.raises(AnaphoraError, match="nowhere"):
        build_summarizer(f"bart:{tmp_path / 'nowhere'}")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("extractiv", "'extractiv' is no summarizer: expected extractive, cut, none, bart, "),
        ("extractiv", "did you mean 'extractive'?"),
        ("", "'' is no summarizer: expected extractive, cut, none, bart, "),
        ("bart:", "'bart:' is no summarizer"),
        ("https://me:secret@host/v1", "this URL is no summarizer: a URL needs its model behind #"),
        ("http://#model", "this URL is no summarizer: a URL needs its model behind #"),
    ],
)
def test_an_unknown_summarizer_is_reported_with_the_known_ones(name: str, said: str) -> None:
    with pytest.raises(AnaphoraError) as caught:
        build_summarizer(name)
    assert said in str(caught.value)
    assert "secret" not in str(caught.value)
    with pytest.raises(ValueError, match=r"expected|its model"):
        check_summarizer(name)


def test_an_unknown_embedder_is_reported_with_the_known_ones() -> None:
    assert build_embedder("none") is None
    assert [check_embedder(name) for name in EMBEDDERS] == list(EMBEDDERS)
    with pytest.raises(AnaphoraError, match=r"expected none, minilm, .*; did you mean 'minilm'\?"):
        build_embedder("minilmm")
    with pytest.raises(AnaphoraError, match="expected none, minilm, "):
        build_embedder("sentence-transformers:")


def test_embedders_are_built_by_name(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    embedder = build_embedder(f"sentence-transformers:{tmp_path}")
    assert embedder is not None
    assert embedder.name.startswith(tmp_path.name)


def test_a_configuration_turns_vectors_of_tokens_off() -> None:
    for token_vectors in (True, False):
        plan = MemoryConfig("memory:", embedder="minilm", token_vectors=token_vectors)
        with build_memory(plan) as memory:
            assert bool(as_token_embedder(memory._embedder)) is token_vectors


def test_an_invalid_url_is_reported() -> None:
    with pytest.raises(AnaphoraError, match="sqlite:///"):
        build_memory(MemoryConfig("mysql://localhost"))


def test_the_default_summarizer_runs_in_a_separate_process():
    with build_memory(MemoryConfig("memory:")) as memory:
        assert isinstance(memory._tasks["compress"].summarizer, ProcessSummarizer)
