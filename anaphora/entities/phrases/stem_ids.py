"""Stems by number, without the stems themselves."""

from __future__ import annotations

from array import array
from bisect import bisect_left

from spacy.strings import get_string_id

__all__ = ["StemIds"]

_NONE = -1
_MAX_CACHED = 20_000  # of those looked up of late
_MAX_CACHED_LENGTH = 64  # characters


class StemIds(dict[str, int]):
    """The numbers of some stems by the stems, -1 for any other; the number of one is the place
    of its hash among the sorted ``hashes``.

    Holds only what has been asked for of late, for that is as quick as a dictionary of all; what
    has not takes 1 µs. Two stems of 64 bits each are never met with one hash.
    """

    __slots__ = ("_hashes",)

    def __init__(self, hashes: array[int]) -> None:
        super().__init__()
        self._hashes = hashes

    def __missing__(self, stem: str) -> int:
        hashes, wanted = self._hashes, get_string_id(stem)
        number = bisect_left(hashes, wanted)
        if number == len(hashes) or hashes[number] != wanted:
            number = _NONE
        if len(stem) <= _MAX_CACHED_LENGTH:
            if len(self) >= _MAX_CACHED:
                self.clear()
            self[stem] = number
        return number
