"""Vectors in memory: one contiguous matrix per user and embedder, searched exhaustively."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anaphora.ltm.embedders.embedder import Vectors
from anaphora.ltm.embedders.products import multiply
from anaphora.storage.forks import ForkAware, fork_safe_lock, register_fork_aware

__all__ = ["Ids", "VectorCache", "VectorMatrix"]

Ids = NDArray[np.int64]

_MIN_ROWS = 16


class VectorMatrix:
    """The vectors of one user, one row per exchange, as far as they have been read.

    Every row has the number of its vector in the store. Numbers only grow, so ``last`` tells which
    rows are still missing, and ``generation`` whether rows were deleted since. Updates need
    ``lock``; searches do not.
    """

    def __init__(self, dimension: int) -> None:
        self.lock = fork_safe_lock()
        self.generation = 0
        self.last = 0
        self._rows = _Rows.empty(dimension)

    @property
    def nbytes(self) -> int:
        """The memory in bytes."""
        rows = self._rows
        return rows.vectors.nbytes + rows.numbers.nbytes + rows.ids.nbytes

    def extend(self, numbers: Sequence[int], ids: Sequence[int], data: Sequence[bytes]) -> None:
        """Append rows: their numbers, which must be greater than all before, the ids of their
        exchanges, and the vectors as little-endian float32."""
        if numbers:
            self._rows = self._rows.with_more(numbers, ids, data)
            self.last = numbers[-1]

    def retain(self, numbers: Ids) -> None:
        """Drop all rows but those with these numbers, which must be sorted."""
        self._rows = self._rows.select(np.isin(self._rows.numbers, numbers, assume_unique=True))

    def find_nearest(
        self, vector: Vectors, limit: int, candidates: Ids | None
    ) -> list[tuple[int, float]]:
        """Return at most ``limit`` ids (among ``candidates`` if given) with their cosines, greatest
        first."""
        rows = self._rows
        count = rows.count
        if not count or limit < 1:
            return []
        ids = rows.ids[:count]
        cosines = multiply(rows.vectors[:count], vector)
        if candidates is not None:
            chosen = np.isin(ids, candidates, assume_unique=True)
            ids, cosines = ids[chosen], cosines[chosen]
        best = top_k(cosines, ids, limit)
        return list(zip(ids[best].tolist(), cosines[best].tolist(), strict=True))


class VectorCache(ForkAware):
    """The most recently searched matrices, within ``limit`` bytes."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lock = fork_safe_lock()
        self._all: OrderedDict[Hashable, VectorMatrix] = OrderedDict()
        register_fork_aware(self)

    def get(self, scope: Hashable, dimension: int) -> VectorMatrix:
        """Return the matrix of a scope, a new one if it is not in memory."""
        with self._lock:
            matrix = self._all.get(scope)
            if matrix is None:
                matrix = self._all[scope] = VectorMatrix(dimension)
            self._all.move_to_end(scope)
            return matrix

    def trim(self) -> None:
        """Drop the least recently searched matrices until the others fit."""
        with self._lock:
            total = sum(matrix.nbytes for matrix in self._all.values())
            while total > self._limit:
                _, oldest = self._all.popitem(last=False)
                total -= oldest.nbytes

    def clear(self) -> None:
        """Drop all matrices."""
        with self._lock:
            self._all.clear()

    def after_fork_in_child(self) -> None:
        """Start empty: a thread of the parent may have been updating a matrix."""
        self._all = OrderedDict()


def top_k(scores: NDArray[np.floating[Any]], ids: Ids, limit: int) -> NDArray[np.intp]:
    """Return the places of the ``limit`` greatest scores, greatest first; ties: greatest id."""
    if len(scores) > limit > 0:
        least = np.partition(scores, len(scores) - limit)[len(scores) - limit]
        chosen = np.flatnonzero(scores >= least)
    else:
        chosen = np.arange(len(scores))
    return chosen[np.lexsort((-ids[chosen], -scores[chosen]))][:limit]


class _Rows:
    """Rows with spare capacity. Existing rows never change, so that a running search can continue
    with the rows it started with."""

    __slots__ = ("count", "ids", "numbers", "vectors")

    def __init__(self, numbers: Ids, ids: Ids, vectors: Vectors, count: int) -> None:
        self.numbers, self.ids, self.vectors, self.count = numbers, ids, vectors, count

    @classmethod
    def empty(cls, dimension: int, room: int = 0) -> _Rows:
        ids = np.empty(room, dtype=np.int64)
        return cls(ids, ids.copy(), np.empty((room, dimension), dtype=np.float32), 0)

    def with_more(self, numbers: Sequence[int], ids: Sequence[int], data: Sequence[bytes]) -> _Rows:
        count = self.count + len(numbers)
        rows = self if count <= len(self.ids) else self._with_capacity(count)
        new = slice(self.count, count)
        rows.numbers[new] = numbers
        rows.ids[new] = ids
        rows.vectors[new] = np.frombuffer(b"".join(data), dtype="<f4").reshape(len(ids), -1)
        return _Rows(rows.numbers, rows.ids, rows.vectors, count)

    def select(self, kept: NDArray[np.bool_]) -> _Rows:
        kept = kept[: self.count]
        numbers, ids = self.numbers[: self.count][kept], self.ids[: self.count][kept]
        return _Rows(numbers, ids, self.vectors[: self.count][kept], len(ids))

    def _with_capacity(self, count: int) -> _Rows:
        """Return the same rows with capacity for ``count`` and a quarter more, which bounds both
        copies and memory."""
        dimension = self.vectors.shape[1]
        rows = _Rows.empty(dimension, max(_MIN_ROWS, count + self.count // 4))
        old = slice(0, self.count)
        rows.numbers[old], rows.ids[old] = self.numbers[old], self.ids[old]
        rows.vectors[old] = self.vectors[old]
        return rows
