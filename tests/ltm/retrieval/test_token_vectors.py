"""Vectors of tokens, packed and compared with those of a query."""

from __future__ import annotations

import numpy as np
import pytest

from anaphora.ltm.retrieval.token_vectors import match_tokens, pack_tokens


def directions(count: int, dimension: int = 96, seed: int = 1) -> np.ndarray:
    vectors = np.random.default_rng(seed).standard_normal((count, dimension)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_a_vector_takes_half_a_byte_a_dimension():
    assert len(pack_tokens(directions(7))) == 7 * 48
    assert pack_tokens(directions(0)) == b""


def test_cosines_survive_packing():
    query, tokens = directions(20, seed=2), directions(50)
    tokens[:20] = query + tokens[:20]  # some are near
    tokens /= np.linalg.norm(tokens, axis=1, keepdims=True)
    each = [pack_tokens(token[None]) for token in tokens]
    np.testing.assert_allclose(match_tokens(query, each), tokens @ query.T, atol=0.05)


def test_each_token_of_the_query_is_matched_by_the_nearest_one_of_a_text():
    query = directions(3)
    texts = [query[[0, 2]], query[[1]], query[:0], query[::-1]]
    found = match_tokens(query, [pack_tokens(text) for text in texts])
    near = found > 0.9
    assert near.tolist() == [
        [True, False, True],
        [False, True, False],
        [False, False, False],
        [True, True, True],
    ]
    assert found[2].tolist() == [-1, -1, -1]  # it has no tokens


@pytest.mark.parametrize("packed", [[], [b""], [b"", b""]])
def test_texts_without_tokens_match_nothing(packed):
    assert match_tokens(directions(2), packed).tolist() == [[-1, -1]] * len(packed)
