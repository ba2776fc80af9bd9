"""The longest-wins rule for occurrences of one kind."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

__all__ = ["longest"]

T = TypeVar("T")


def longest(
    items: Iterable[T], *, place: Callable[[T], tuple[int, int]], kind: Callable[[T], Hashable]
) -> list[T]:
    """The items that do not lie strictly inside a longer one of their kind.

    ``place`` gives the start and the end of an item; the items come sorted by start and,
    within one start, the longer ones first.
    """
    widest: dict[Hashable, tuple[int, int]] = {}  # by kind, what reaches farthest so far
    kept = []
    for item in items:
        here, of = place(item), kind(item)
        so_far = widest.get(of)
        if so_far is None or here[1] > so_far[1]:
            widest[of] = here
        elif here != so_far:
            continue
        kept.append(item)
    return kept
