"""Which words of a question are looked up: those that stand in most exchanges find nothing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

__all__ = ["select_rarest"]

_Term = TypeVar("_Term")


def select_rarest(counted: Iterable[tuple[int, _Term]], most: int) -> list[_Term]:
    """The first word and as many more as stand in not more than ``most`` exchanges together;
    ``counted`` are words after the number of exchanges that have them, the rarest first."""
    chosen: list[_Term] = []
    total = 0
    for count, word in counted:
        total += count
        if chosen and total > most:
            break
        chosen.append(word)
    return chosen
