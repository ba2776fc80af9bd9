"""Which words of a question are looked up: those that stand in most exchanges find nothing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

__all__ = ["rarest"]

_Word = TypeVar("_Word")


def rarest(counted: Iterable[tuple[int, _Word]], most: int) -> list[_Word]:
    """The first word and as many more as stand in not more than ``most`` exchanges together;
    ``counted`` are words after the number of exchanges that have them, the rarest first."""
    chosen: list[_Word] = []
    total = 0
    for count, word in counted:
        total += count
        if chosen and total > most:
            break
        chosen.append(word)
    return chosen
