"""Selection of query terms: words that occur in most exchanges are not looked up."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

__all__ = ["select_rarest"]

_Term = TypeVar("_Term")


def select_rarest(counted: Iterable[tuple[int, _Term]], most: int) -> list[_Term]:
    """Return terms, rarest first, until their document frequencies exceed ``most``; at least one.
    ``counted`` are pairs of document frequency and term, rarest first."""
    chosen: list[_Term] = []
    total = 0
    for count, word in counted:
        total += count
        if chosen and total > most:
            break
        chosen.append(word)
    return chosen
