"""Which places bear a name: an index of some hundred thousand names in a few megabytes.

A dictionary of them would take ten times the memory. Here each name is a row: its hash, where it
stands among all names (one text of bytes, so that nothing is left to the luck of hashes), and the
place. Rows are sorted by hash and found by bisection, in less than a microsecond.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["NameIndex"]

# What a row stands for: the number of the place and whether the name is its main one; or only
# that longer names begin with these words.
_BEGINNING = 0xFFFFFFFF


class NameIndex:
    """Names as :func:`~anaphora.entities.places.spelling.key_of_name` spells them → places.

    ``names`` and ``places`` (numbers) go side by side, and ``main`` says of each name whether it
    is the place's main one. All is done for many names at a time: one by one, the names of all
    cities took a second and a half, so they take a fifth of that.
    """

    __slots__ = ("_hashes", "_places", "_starts", "_texts")

    def __init__(
        self,
        names: Sequence[str],
        places: npt.NDArray[np.uint32],
        main: npt.NDArray[np.bool_],
    ) -> None:
        beginnings = sorted(_beginnings(names))
        spelled = [*names, *beginnings]
        rows = np.concatenate((places << 1 | main, np.full(len(beginnings), _BEGINNING, np.uint32)))
        hashes = np.fromiter(map(hash, spelled), np.int64, len(spelled))
        texts = ("\n".join(spelled) + "\n").encode("utf-8", "surrogatepass")
        ends = np.flatnonzero(np.frombuffer(texts, np.uint8) == ord("\n"))
        starts = np.concatenate(([0], ends[:-1] + 1)) if len(ends) else ends
        # By hash and place, main names first: of a name that a place has twice the first is kept.
        order = np.lexsort((rows & 1 ^ 1, rows >> 1, hashes))
        hashes, rows, starts = hashes[order], rows[order], starts[order]
        first = np.ones(len(hashes), bool)
        first[1:] = (np.diff(hashes) != 0) | (np.diff(rows >> 1) != 0)
        self._hashes = _packed("q", hashes[first])
        self._places = _packed("I", rows[first].astype(np.uint32))
        self._starts = _packed("I", starts[first].astype(np.uint32))
        self._texts = texts

    def __len__(self) -> int:
        return len(self._hashes)

    def places(self, name: str) -> list[tuple[int, bool]]:
        """The numbers of the places of that name, each with whether it is its main name."""
        rows = [self._places[row] for row in self._rows(name)]
        return [(row >> 1, bool(row & 1)) for row in rows if row != _BEGINNING]

    def knows(self, words: str) -> bool:
        """Whether ``words`` are a name, or whole words with which a longer one begins."""
        # Most words are none: without going through the rows that takes a third of the time.
        hashes = self._hashes
        wanted = hash(words)
        row = bisect_left(hashes, wanted)
        if row == len(hashes) or hashes[row] != wanted:
            return False
        return next(self._rows(words), None) is not None

    def continues(self, words: str) -> bool:
        """Whether longer names begin with these words."""
        return any(self._places[row] == _BEGINNING for row in self._rows(words))

    def _rows(self, name: str) -> Iterator[int]:
        hashes = self._hashes
        wanted = hash(name)
        row = bisect_left(hashes, wanted)
        if row == len(hashes) or hashes[row] != wanted:
            return
        spelled = name.encode("utf-8", "surrogatepass") + b"\n"
        while row < len(hashes) and hashes[row] == wanted:
            start = self._starts[row]
            if self._texts.startswith(spelled, start):
                yield row
            row += 1


def _beginnings(names: Sequence[str]) -> set[str]:
    beginnings = set()
    for name in names:
        end = name.find(" ")
        while end >= 0:
            beginnings.add(name[:end])
            end = name.find(" ", end + 1)
    return beginnings


def _packed(kind: str, values: npt.NDArray[Any]) -> array[int]:
    """The values in a row that bisection reads some ten times as fast as one of numpy."""
    packed = array(kind)
    packed.frombytes(values.tobytes())
    return packed
