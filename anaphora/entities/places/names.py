"""Which places bear a name: an index of some hundred thousand names in a few megabytes.

A dictionary of them would take ten times the memory. Here each name is a row: its hash, where it
stands among all names (one text of bytes, so that nothing is left to the luck of hashes), and the
place. Rows are sorted by hash and found by bisection, in less than a microsecond.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt

__all__ = ["NameIndex", "NameIndexBuilder"]

# What a row stands for: the number of the place and whether the name is its main one; or only
# that longer names begin with these words.
_BEGINNING = 0xFFFFFFFF


class NameIndex:
    """Names as :func:`~anaphora.entities.places.spelling.key_of_name` spells them → places."""

    __slots__ = ("_hashes", "_lengths", "_places", "_starts", "_texts")

    def __init__(
        self,
        hashes: array[int],
        starts: array[int],
        places: array[int],
        texts: bytes,
        lengths: Mapping[str, tuple[int, ...]],
    ) -> None:
        self._hashes = hashes
        self._starts = starts
        self._places = places
        self._texts = texts
        self._lengths = lengths

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

    def lengths(self, letters: str) -> tuple[int, ...]:
        """How long the names are that begin with these two letters of a script without blanks,
        longest first."""
        return self._lengths.get(letters, ())

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


class NameIndexBuilder:
    """Collects names."""

    def __init__(self) -> None:
        self._hashes = array("q")
        self._starts = array("I")
        self._places = array("I")
        self._texts = bytearray(b"\n")
        self._beginnings: set[str] = set()
        self._lengths: dict[str, set[int]] = {}

    def add(self, name: str, place: int, *, main: bool, unspaced: bool) -> None:
        """Adds a name of the place with that number; ``unspaced`` says that it is written in a
        script without blanks."""
        self._add(name, place << 1 | main)
        if unspaced:
            self._lengths.setdefault(name[:2], set()).add(len(name))
        end = name.find(" ")
        while end >= 0:
            self._beginnings.add(name[:end])
            end = name.find(" ", end + 1)

    def build(self) -> NameIndex:
        """The index of what has been added; the builder must not be used any more."""
        for words in self._beginnings:
            self._add(words, _BEGINNING)
        # Rows of one hash stay in the order in which they came.
        order = np.argsort(np.frombuffer(self._hashes, np.int64), kind="stable")
        return NameIndex(
            _in_order(self._hashes, np.int64, order),
            _in_order(self._starts, np.uint32, order),
            _in_order(self._places, np.uint32, order),
            bytes(self._texts),
            {two: tuple(sorted(known, reverse=True)) for two, known in self._lengths.items()},
        )

    def _add(self, name: str, row: int) -> None:
        self._hashes.append(hash(name))
        self._starts.append(len(self._texts))
        self._places.append(row)
        self._texts += name.encode("utf-8", "surrogatepass")
        self._texts += b"\n"


def _in_order(
    values: array[int], kind: type[np.int64 | np.uint32], order: npt.NDArray[np.intp]
) -> array[int]:
    sorted_ = array(values.typecode)
    sorted_.frombytes(np.frombuffer(values, kind)[order].tobytes())
    return sorted_
