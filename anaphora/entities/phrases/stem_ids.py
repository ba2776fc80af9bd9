"""Map stems to integer ids by binary search over sorted 64-bit hashes."""

from __future__ import annotations

from array import array
from bisect import bisect_left

from spacy.strings import get_string_id

__all__ = ["StemIds"]

_NONE = -1
_MAX_CACHED = 20_000  # stems
_MAX_CACHED_LENGTH = 64  # characters


class StemIds(dict[str, int]):
    """The ids of stems, -1 for unknown ones; the id of a stem is the position of its hash among the
    sorted ``hashes``.

    Recent look-ups are cached, and are as fast as in a dictionary of all stems; others take 1 µs.
    Hash collisions of 64 bits are considered negligible.
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
