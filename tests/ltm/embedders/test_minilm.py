"""Vectors of tokens by MiniLM."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from anaphora.ltm.embedders.embedder import as_token_embedder
from anaphora.ltm.embedders.minilm import MiniLM
from tests.support.without_torch import with_torch


@pytest.fixture(scope="module")
def minilm() -> MiniLM:
    return MiniLM()


def test_content_words_have_vectors_of_length_one(minilm):
    texts = ["Where does my doctor work?", "", "!?", "What was that?", "\ud800", "unbelievable"]
    vectors, tokens = minilm.embed_with_tokens(texts)
    np.testing.assert_allclose(vectors, minilm.embed(texts), atol=1e-5)
    assert [each.shape for each in tokens[:5]] == [(3, 96), (0, 96), (0, 96), (3, 96), (0, 96)]
    assert {each.dtype for each in tokens} == {np.dtype(np.float32)}
    np.testing.assert_allclose(np.linalg.norm(tokens[0], axis=1), 1, atol=1e-5)


def test_words_of_similar_meaning_have_close_vectors(minilm):
    _, (asked, told, other) = minilm.embed_with_tokens(["doctor", "physician", "banana"])
    assert asked[0] @ told[0] > asked[0] @ other[0] + 0.3


def test_a_text_has_the_same_vectors_of_tokens_alone_and_among_many(minilm):
    texts = [f"Text number {'x ' * (number % 9)}{number}" for number in range(40)]
    _, alone = minilm.embed_with_tokens(texts[7:8])
    _, together = minilm.embed_with_tokens(texts)
    assert (np.sum(alone[0] * together[7], axis=1) > 0.999).all()


def test_every_process_computes_the_same_vectors_of_tokens(minilm):
    """The projection is fitted in each process."""
    code = (
        "from anaphora.ltm.embedders.minilm import MiniLM; "
        "print(MiniLM(device='cpu').embed_with_tokens(['a red bicycle'])[1][0].tolist())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        check=True,
        text=True,
        env=with_torch(),
    )
    _, (own,) = minilm.embed_with_tokens(["a red bicycle"])
    assert (np.sum(np.array(eval(done.stdout)) * own, axis=1) > 0.999).all()


def test_vectors_of_tokens_can_be_turned_off(minilm):
    assert as_token_embedder(minilm) is minilm
    assert as_token_embedder(MiniLM(token_vectors=False)) is None
    assert as_token_embedder(None) is None
