"""Build a long-term memory from plain strings, as in settings and on the command line."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from anaphora.core.name_hints import did_you_mean
from anaphora.errors import AnaphoraError
from anaphora.storage.logical_clock import utc_now

if TYPE_CHECKING:
    from anaphora.ltm.embedders.embedder import Embedder
    from anaphora.ltm.memory import LongTermMemory
    from anaphora.ltm.summarizers.summarizer import Summarizer

__all__ = [
    "EMBEDDERS",
    "SUMMARIZERS",
    "MemoryConfig",
    "build_embedder",
    "build_memory",
    "build_summarizer",
    "check_embedder",
    "check_summarizer",
]

SUMMARIZERS = ("extractive", "cut", "bart", "none")
EMBEDDERS = ("none", "minilm")
_SUMMARIZERS_ALLOWED = (
    "extractive, cut, none, bart, bart:FOLDER (or an id on the hub), or the URL of a "
    "chat-completions endpoint with the model behind #: http://localhost:8000/v1#MODEL"
)
_EMBEDDERS_ALLOWED = "none, minilm, or sentence-transformers:FOLDER (or an id on the hub)"


@dataclass(frozen=True, slots=True)
class MemoryConfig:
    """Configuration of a long-term memory: the ``url`` of the store, the names of the
    ``summarizer`` and the ``embedder``, and the maximum length of a working history in words and
    in exchanges. ``token_vectors`` says whether the embedder "minilm" also computes vectors of
    tokens. Exchanges older than ``retention`` are erased. ``journal`` is the journal folder
    (None: the default one)."""

    url: str
    summarizer: str = "extractive"
    embedder: str = "none"
    token_vectors: bool = True
    max_words: int = 1_000
    max_exchanges: int = 2_000
    retention: timedelta | None = None
    journal: Path | None = None


def build_memory(
    config: MemoryConfig,
    *,
    clock: Callable[[], datetime] = utc_now,
    monotonic: Callable[[], float] = time.monotonic,
) -> LongTermMemory:
    """Build the configured long-term memory. Models are loaded on first use.

    Raises :class:`AnaphoraError` for unknown names, a missing package, and a store or journal
    that cannot be used.
    """
    from anaphora.ltm.history.working_history import HistorySettings
    from anaphora.ltm.memory import LongTermMemory

    return LongTermMemory(
        config.url,
        # The memory runs the default summarizer in a separate process.
        summarizer="extractive"
        if config.summarizer == "extractive"
        else build_summarizer(config.summarizer),
        embedder=build_embedder(config.embedder, token_vectors=config.token_vectors),
        settings=HistorySettings(max_exchanges=config.max_exchanges, max_size=config.max_words),
        retention=config.retention,
        journal=config.journal,
        clock=clock,
        monotonic=monotonic,
    )


def check_summarizer(name: str) -> str:
    """Return ``name`` if it is a valid summarizer name; else raise ValueError listing what is
    allowed."""
    if name.partition(":")[0] in ("http", "https"):
        _split_endpoint(name)
        return name
    return _check_kind(name, SUMMARIZERS, "bart", _SUMMARIZERS_ALLOWED)


def check_embedder(name: str) -> str:
    """Return ``name`` if it is a valid embedder name; else raise ValueError listing what is
    allowed."""
    return _check_kind(name, EMBEDDERS, "sentence-transformers", _EMBEDDERS_ALLOWED)


def _check_kind(name: str, names: tuple[str, ...], with_model: str, allowed: str) -> str:
    kind, _, model = name.partition(":")
    if name in names or (kind == with_model and model):
        return name
    hint = did_you_mean(name, names)
    raise ValueError(f"expected {allowed}{f'; {hint}' if hint else ''}")


def build_summarizer(name: str) -> Summarizer | None:
    """Build the summarizer of that name (see :func:`check_summarizer`); None for "none".

    Raises :class:`AnaphoraError` for an invalid name or a missing package.
    """
    _check_name("summarizer", check_summarizer, name)
    kind, _, of = name.partition(":")
    if name == "none":
        return None
    if kind == "bart":
        from anaphora.ltm.summarizers.bart.summarizer import Bart

        return Bart(of) if of else Bart()
    if kind in ("http", "https"):
        from anaphora.ltm.summarizers.chat_completions import ChatCompletions

        return ChatCompletions(*_split_endpoint(name))
    if name == "cut":
        from anaphora.ltm.summarizers.first_words import FirstWords

        return FirstWords()
    from anaphora.ltm.summarizers.extractive.summarizer import Extractive

    return Extractive()


def build_embedder(name: str, *, token_vectors: bool = True) -> Embedder | None:
    """Build the embedder of that name (see :func:`check_embedder`); None for "none".
    ``token_vectors`` says whether "minilm" also computes vectors of tokens.

    Raises :class:`AnaphoraError` for an invalid name or a missing package.
    """
    _check_name("embedder", check_embedder, name)
    if name == "none":
        return None
    model = name.partition(":")[2]
    if model:
        from anaphora.ltm.embedders.sentence_transformers import SentenceTransformers

        return SentenceTransformers(model)
    from anaphora.ltm.embedders.minilm import MiniLM

    return MiniLM(token_vectors=token_vectors)


def _check_name(what: str, check: Callable[[str], str], name: str) -> None:
    try:
        check(name)
    except ValueError as error:
        shown = "this URL" if "://" in name else f"'{name}'"  # a URL may contain a password
        raise AnaphoraError(f"{shown} is no {what}: {error}") from None


def _split_endpoint(url: str) -> tuple[str, str]:
    """Split the URL of an endpoint from the model behind #."""
    begin, _, model = url.rpartition("#")
    if not model or not begin or not urlsplit(begin).netloc:
        raise ValueError("a URL needs its model behind #: http://localhost:8000/v1#MODEL")
    return begin, model
