"""Embeddings come from sentence-transformers, which is imported only when asked for."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from anaphora import AnaphoraError
from anaphora.suggestions.embeddings import Embeddings


class Fake:
    """Stands for ``SentenceTransformer`` and knows two models."""

    def __init__(self, name: str, *, local_files_only: bool = False) -> None:
        if name != "mini":
            raise OSError(f"{name} is not in the cache\nand much more")
        self.local_files_only = local_files_only

    def encode(self, texts: list[str], **options: object) -> list[list[float]]:
        assert self.local_files_only
        assert options["normalize_embeddings"]
        return [[1.0, 0.0] for _ in texts]


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    fake = SimpleNamespace(SentenceTransformer=Fake)
    monkeypatch.setitem(sys.modules, "sentence_transformers", fake)
    return fake


def test_without_the_library_the_message_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(AnaphoraError, match=r"pip install 'anaphora\[embeddings\]'"):
        Embeddings("mini")


def test_a_row_for_each_text_and_nothing_is_downloaded(library):
    rows = Embeddings("mini")(["rain", "weather"])
    assert rows.dtype == np.float32
    assert rows.shape == (2, 2)


def test_a_model_that_is_not_there(library):
    with pytest.raises(AnaphoraError, match=r"'big': big is not in the cache\n.*hint: nothing is"):
        Embeddings("big")


def test_an_old_version_that_would_download_gets_folders_only(library, tmp_path):
    class Old:
        def __init__(self, name: str) -> None:
            self.name = name

    library.SentenceTransformer = Old
    Embeddings(str(tmp_path))
    with pytest.raises(AnaphoraError, match="would download"):
        Embeddings("mini")
