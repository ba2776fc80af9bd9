"""Matrices of vectors: exact, contiguous, and not more of them than may be in memory."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anaphora.ltm.retrieval.vector_cache import VectorCache, VectorMatrix, top_k
from tests.support.examples import examples

DIMENSION = 3


def filled(count: int) -> VectorMatrix:
    matrix = VectorMatrix(DIMENSION)
    for number in range(1, count + 1):
        add(matrix, number)
    return matrix


def add(matrix: VectorMatrix, number: int) -> None:
    row = np.array([number, 1, 0], dtype="<f4")
    matrix.extend([number], [number * 10], [(row / np.linalg.norm(row)).tobytes()])


@settings(max_examples=examples(40), deadline=None)
@given(
    st.lists(st.one_of(st.integers(1, 30), st.sets(st.integers(1, 200))), max_size=12),
    st.integers(0, 40),
)
def test_remaining_rows_are_found_after_additions_and_removals(steps, limit):
    matrix, there, last = VectorMatrix(DIMENSION), [], 0
    for step in steps:
        if isinstance(step, int):
            for number in range(last + 1, last + step + 1):
                add(matrix, number)
                there.append(number)
            last += step
        else:
            there = [number for number in there if number in step]
            matrix.retain(np.array(sorted(step), dtype=np.int64))
    direction = np.array([1, 0, 0], dtype=np.float32)
    assert [id for id, _ in matrix.find_nearest(direction, limit, None)] == [
        number * 10 for number in sorted(there, reverse=True)[:limit]
    ]
    among = np.array([20, 30, 50], dtype=np.int64)
    assert [id for id, _ in matrix.find_nearest(direction, 9, among)] == [
        number * 10 for number in (5, 3, 2) if number in there
    ]


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.integers(-3, 3)), st.integers(0, 10))
def test_top_k_equals_sorting(values, limit):
    scores = np.array(values, dtype=np.float32)
    ids = np.arange(len(values), dtype=np.int64)
    expected = sorted(range(len(values)), key=lambda place: (-values[place], -place))[:limit]
    assert top_k(scores, ids, limit).tolist() == expected


def test_the_least_recently_searched_matrix_is_dropped_first():
    room = filled(3).nbytes
    matrices = VectorCache(2 * room)
    for scope in "abc":
        matrix = matrices.get(scope, DIMENSION)
        for number in (1, 2, 3):
            add(matrix, number)
        matrices.get("a", DIMENSION)
    matrices.trim()
    assert [matrices.get(scope, DIMENSION).last for scope in "ac"] == [3, 3]
    assert matrices.get("b", DIMENSION).last == 0


def test_an_oversized_matrix_is_searched_and_dropped():
    matrices = VectorCache(1)
    matrix = matrices.get("a", DIMENSION)
    add(matrix, 1)
    matrices.trim()
    assert matrix.find_nearest(np.array([1, 0, 0], dtype=np.float32), 1, None)
    assert matrices.get("a", DIMENSION) is not matrix


def test_a_cleared_cache_has_no_matrices():
    matrices = VectorCache(1 << 20)
    matrix = matrices.get("a", DIMENSION)
    assert matrices.get("a", DIMENSION) is matrix
    matrices.clear()
    assert matrices.get("a", DIMENSION) is not matrix


def test_rows_of_another_length_are_rejected():
    with pytest.raises(ValueError, match=r"shape|broadcast"):
        filled(1).extend([2], [20], [b"\0" * 16])
