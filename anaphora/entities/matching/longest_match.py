"""Keep the longest matches of each kind."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

__all__ = ["keep_longest_spans", "keep_longest_token_sets"]

T = TypeVar("T")


def keep_longest_spans(
    items: Sequence[T], spans: Iterable[tuple[int, int]], kinds: Iterable[Hashable]
) -> list[T]:
    """Keep the items that are not strictly inside a longer one of their kind.

    ``spans`` are the start and the end of each; the items are sorted by start and, at the same
    start, by length, the longer ones first. Items of the kind None are all kept.
    """
    farthest: dict[Hashable, tuple[int, int]] = {}  # by kind, the greatest end so far
    kept = []
    for item, span, item_kind in zip(items, spans, kinds, strict=True):
        so_far = farthest.get(item_kind)
        if so_far is None or span[1] > so_far[1]:
            farthest[item_kind] = span
        elif span != so_far and item_kind is not None:
            continue
        kept.append(item)
    return kept


def keep_longest_token_sets(
    items: Sequence[T], *, tokens: Callable[[T], Sequence[int]], kind: Callable[[T], Hashable]
) -> list[T]:
    """Keep the items whose tokens are no proper subset of those of another item of their kind. In
    contrast to :func:`keep_longest_spans`, items come in any order and need not be contiguous."""
    sets = [frozenset(tokens(item)) for item in items]
    sets_by_token: dict[tuple[Hashable, int], list[frozenset[int]]] = {}
    for item, own in zip(items, sets, strict=True):
        if (item_kind := kind(item)) is not None:
            for token in own:
                sets_by_token.setdefault((item_kind, token), []).append(own)
    kept = []
    for item, own in zip(items, sets, strict=True):
        # Every set that contains the item contains its rarest token.
        rivals = min((sets_by_token.get((kind(item), token), []) for token in own), key=len)
        if not any(own < rival for rival in rivals):
            kept.append(item)
    return kept
