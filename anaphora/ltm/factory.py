"""A long-term memory from plain texts, as the command line and files of settings have them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from anaphora.errors import AnaphoraError
from anaphora.grammar.suggestions import did_you_mean

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
_CLASS_PATHS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "extractive": ("anaphora.ltm.summarizers.extractive.summarizer", "Extractive"),
        "cut": ("anaphora.ltm.summarizers.first_words", "WordCut"),
        "minilm": ("anaphora.ltm.embedders.minilm", "MiniLM"),
    }
)


def _utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class MemoryConfig:
    """What a long-term memory is made by: the ``url`` of its store, the names of its
    ``summarizer`` and its ``embedder``, and how long a working history may be (in words, and in
    exchanges). What is older than ``retention`` is erased; ``journal`` is the folder for what
    waits (None: where it usually is)."""

    url: str
    summarizer: str = "extractive"
    embedder: str = "none"
    max_words: int = 1_000
    max_exchanges: int = 2_000
    retention: timedelta | None = None
    journal: Path | None = None


def build_memory(
    config: MemoryConfig,
    *,
    clock: Callable[[], datetime] = _utc_now,
    monotonic: Callable[[], float] = time.monotonic,
) -> LongTermMemory:
    """The long-term memory of a plan. Models are loaded when they are first needed.

    Raises :class:`AnaphoraError` for names that there are not, a package that is missing, and a
    store or a journal that cannot be used.
    """
    from anaphora.ltm.history.working_history import HistorySettings
    from anaphora.ltm.memory import LongTermMemory

    return LongTermMemory(
        config.url,
        # The usual one is left to the memory, which lets it work in a process of its own.
        summarizer="extractive"
        if config.summarizer == "extractive"
        else build_summarizer(config.summarizer),
        embedder=build_embedder(config.embedder),
        settings=HistorySettings(max_exchanges=config.max_exchanges, max_size=config.max_words),
        retention=config.retention,
        journal=config.journal,
        clock=clock,
        monotonic=monotonic,
    )


def check_summarizer(name: str) -> str:
    """``name`` if it may be that of a summarizer; ValueError with what is allowed if not."""
    kind, _, of = name.partition(":")
    if name in SUMMARIZERS or (kind == "bart" and of):
        return name
    if kind in ("http", "https"):
        _split_endpoint(name)
        return name
    hint = did_you_mean(name, SUMMARIZERS)
    raise ValueError(f"expected {_SUMMARIZERS_ALLOWED}{f'; {hint}' if hint else ''}")


def check_embedder(name: str) -> str:
    """``name`` if it is that of an embedder; ValueError with what is allowed if not."""
    kind, _, of = name.partition(":")
    if name in EMBEDDERS or (kind == "sentence-transformers" and of):
        return name
    hint = did_you_mean(name, EMBEDDERS)
    raise ValueError(f"expected {_EMBEDDERS_ALLOWED}{f'; {hint}' if hint else ''}")


def build_summarizer(name: str) -> Summarizer | None:
    """The summarizer of a name (see :func:`check_summarizer`), None for "none".

    Raises :class:`AnaphoraError`.
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
    module, found = _CLASS_PATHS[name]
    summarizer: Summarizer = getattr(import_module(module), found)()
    return summarizer


def build_embedder(name: str) -> Embedder | None:
    """The embedder of a name (see :func:`check_embedder`), None for "none".

    Raises :class:`AnaphoraError`.
    """
    _check_name("embedder", check_embedder, name)
    if name == "none":
        return None
    kind, _, of = name.partition(":")
    if of:
        from anaphora.ltm.embedders.sentence_transformers import SentenceTransformers

        return SentenceTransformers(of)
    module, found = _CLASS_PATHS[kind]
    embedder: Embedder = getattr(import_module(module), found)()
    return embedder


def _check_name(what: str, check: Callable[[str], str], name: str) -> None:
    try:
        check(name)
    except ValueError as error:
        said = "this URL" if "://" in name else f"'{name}'"  # which may have a password in it
        raise AnaphoraError(f"{said} is no {what}: {error}") from None


def _split_endpoint(url: str) -> tuple[str, str]:
    """The URL of an endpoint, and the model behind it."""
    begin, _, model = url.rpartition("#")
    if not model or not begin or not urlsplit(begin).netloc:
        raise ValueError("a URL needs its model behind #: http://localhost:8000/v1#MODEL")
    return begin, model
