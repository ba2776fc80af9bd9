"""Vectors in memory: one contiguous matrix for each user and embedder, searched exactly."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anaphora.ltm.embedders.embedder import Vectors
from anaphora.storage.forks import ForkAware, fork_safe_lock, register_fork_aware

__all__ = ["Ids", "VectorCache", "VectorMatrix"]

Ids = NDArray[np.int64]

_MIN_ROWS = 16


class VectorMatrix:
    """The vectors of one user, a row for each exchange, as far as they have been read.

    Every row has the number under which the store keeps it; these only grow, so that ``last``
    tells which rows are still to be read, and ``generation`` whether some have gone since.
    Whoever reads into it has its ``lock``; to search it nobody needs that.
    """

    def __init__(self, dimension: int) -> None:
        self.lock = fork_safe_lock()
        self.generation = 0
        self.last = 0
        self._rows = _Rows.empty(dimension)

    @property
    def dimension(self) -> int:
        dimension: int = self._rows.vectors.shape[1]
        return dimension

    @property
    def nbytes(self) -> int:
        """The memory it takes."""
        rows = self._rows
        return rows.vectors.nbytes + rows.numbers.nbytes + rows.ids.nbytes

    def extend(self, numbers: Sequence[int], ids: Sequence[int], data: Sequence[bytes]) -> None:
        """Append rows, each of a number greater than all before, the id of its exchange and its
        vector as the bytes of float32, the lowest byte first."""
        if numbers:
            self._rows = self._rows.with_more(numbers, ids, data)
            self.last = numbers[-1]

    def retain(self, numbers: Ids) -> None:
        """Drop all rows but those of these numbers, which are sorted."""
        self._rows = self._rows.select(np.isin(self._rows.numbers, numbers, assume_unique=True))

    def find_nearest(
        self, vector: Vectors, limit: int, candidates: Ids | None
    ) -> list[tuple[int, float]]:
        """At most ``limit`` ids (of those ``among``, if it is given) and their cosines, the
        greatest first."""
        rows = self._rows
        count = rows.count
        if not count or limit < 1:
            return []
        ids = rows.ids[:count]
        cosines = rows.vectors[:count] @ vector
        if candidates is not None:
            chosen = np.isin(ids, candidates, assume_unique=True)
            ids, cosines = ids[chosen], cosines[chosen]
        best = top_k(cosines, ids, limit)
        return list(zip(ids[best].tolist(), cosines[best].tolist(), strict=True))


class VectorCache(ForkAware):
    """The matrices that were searched last, as many as ``limit`` bytes hold."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lock = fork_safe_lock()
        self._all: OrderedDict[Hashable, VectorMatrix] = OrderedDict()
        register_fork_aware(self)

    def get(self, scope: Hashable, dimension: int) -> VectorMatrix:
        """The matrix of a scope, empty if it is not in memory."""
        with self._lock:
            matrix = self._all.get(scope)
            if matrix is None:
                matrix = self._all[scope] = VectorMatrix(dimension)
            self._all.move_to_end(scope)
            return matrix

    def drop(self, scope: Hashable) -> None:
        """Forget the matrix of a scope."""
        with self._lock:
            self._all.pop(scope, None)

    def trim(self) -> None:
        """Forget those that were not searched for longest, until the others fit."""
        with self._lock:
            total = sum(matrix.nbytes for matrix in self._all.values())
            while total > self._limit:
                _, oldest = self._all.popitem(last=False)
                total -= oldest.nbytes

    def clear(self) -> None:
        """Forget all."""
        with self._lock:
            self._all.clear()

    def after_fork_in_child(self) -> None:
        """Begin with none: a thread of the parent may have been reading into one."""
        self._all = OrderedDict()


def top_k(scores: NDArray[np.floating[Any]], ids: Ids, limit: int) -> NDArray[np.intp]:
    """Where the ``limit`` greatest scores are, the greatest first, of equal ones the last id."""
    if len(scores) > limit > 0:
        least = np.partition(scores, len(scores) - limit)[len(scores) - limit]
        chosen = np.flatnonzero(scores >= least)
    else:
        chosen = np.arange(len(scores))
    return chosen[np.lexsort((-ids[chosen], -scores[chosen]))][:limit]


class _Rows:
    """The rows, with room for more. What is there never changes: one who searches goes on with
    those that were there when it began."""

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
        """The same rows with room for ``count``, and for as many again as a quarter of them, so
        that growing costs each row a few copies and not more memory than it must."""
        dimension = self.vectors.shape[1]
        rows = _Rows.empty(dimension, max(_MIN_ROWS, count + self.count // 4))
        old = slice(0, self.count)
        rows.numbers[old], rows.ids[old] = self.numbers[old], self.ids[old]
        rows.vectors[old] = self.vectors[old]
        return rows
