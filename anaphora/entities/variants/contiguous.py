"""Find the best variants of contiguous entities by dynamic programming from right to left.

A set is maximal if no further entity fits between its own. The best variants from a position on are
the entities that may come first there, each with the best variants of what follows. The cost is a
sum over entities, so only the best ``limit`` at each position are needed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from heapq import nsmallest
from typing import Any, TypeAlias

from anaphora.core.utterance import Entity

__all__ = ["find_contiguous_variants", "is_contiguous"]


def is_contiguous(entity: Entity) -> bool:
    """Whether no other token stands between those of the entity."""
    tokens = entity.tokens
    return tokens[-1] - tokens[0] + 1 == len(tokens)


def find_contiguous_variants(
    entities: Sequence[Entity], costs: Sequence[int], limit: int
) -> list[list[int]]:
    """Return at most ``limit`` maximal sets of entities that do not overlap, the cheapest first.

    The entities are sorted by start, each with its cost; a set is given by their indexes, and costs
    the sum of them. Ties are broken in favor of earlier entities. Without entities there is one
    empty set.
    """
    if not entities:
        return [[]]
    if len(entities) == 2 and entities[1].tokens[0] <= entities[0].tokens[-1]:  # most common
        return ([[0], [1]] if costs[0] <= costs[1] else [[1], [0]])[:limit]
    starts = [entity.tokens[0] for entity in entities]
    ends = [entity.tokens[-1] + 1 for entity in entities]
    positions = sorted(set(starts))
    after = [bisect_left(positions, end) for end in ends]
    # For each position the best partial variants from there on; none beyond the last one.
    tables: list[list[_PartialVariant]] = [[_NOTHING]] * (len(positions) + 1)
    earliest = max(ends)  # the first end of an entity that starts here or later
    last = len(entities)
    for position in range(len(positions) - 1, -1, -1):
        begin = bisect_left(starts, positions[position], 0, last)
        earliest = min(earliest, *ends[begin:last])
        last = begin
        # A set that starts behind the earliest end is not maximal.
        firsts = range(begin, bisect_left(starts, earliest, begin))
        tables[position] = _best_starting_with(firsts, costs, after, tables, limit)
    return [_indexes(partial) for partial in tables[0]]


_PartialVariant: TypeAlias = tuple[int, int, int, Any]
"""A linked list of entities: its cost, the index of the first, the rank of the rest among what may
follow that entity, and the rest. Compared in this order."""

_NOTHING: _PartialVariant = (0, -1, 0, None)


def _best_starting_with(
    firsts: range,
    costs: Sequence[int],
    after: list[int],
    tables: list[list[_PartialVariant]],
    limit: int,
) -> list[_PartialVariant]:
    """Return the best partial variants that begin with one of ``firsts``."""
    candidates: Iterable[int] = firsts
    if len(firsts) > limit:  # only those whose best variant is among the best count
        best = nsmallest(limit, [(costs[i] + tables[after[i]][0][0], i) for i in firsts])
        candidates = [first for _, first in best]
    found = [
        (costs[first] + rest[0], first, rest_index, rest)
        for first in candidates
        for rest_index, rest in enumerate(tables[after[first]])
    ]
    found.sort()  # two rests are never compared
    return found[:limit]


def _indexes(partial: _PartialVariant) -> list[int]:
    indexes = []
    while partial is not _NOTHING:
        _, first, _, partial = partial
        indexes.append(first)
    return indexes
