"""The best readings of entities each of which is in one piece.

A set is maximal when no further entity fits between its own. The best of them are found from
the last token back to the first: the best readings of a text from some place on are the
entities that may come first there, each with the best readings of what follows it. A rank is a
sum over entities, so nothing beyond the ``limit`` best at each place is ever needed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from heapq import nsmallest
from typing import Any, TypeAlias

from anaphora.core.utterance import Entity

__all__ = ["find_contiguous_variants"]


def find_contiguous_variants(
    entities: Sequence[Entity], costs: Sequence[int], limit: int
) -> list[list[int]]:
    """At most ``limit`` maximal sets of entities that don't overlap, the cheapest first.

    The entities come sorted by their start, each with its cost; a set is given by their indexes,
    and is as cheap as the sum of its costs is small. Among equals, what has the earlier ones
    comes first. Without entities there is one empty set.
    """
    if not entities:
        return [[]]
    if len(entities) == 2 and entities[1].tokens[0] <= entities[0].tokens[-1]:  # as most often
        return ([[0], [1]] if costs[0] <= costs[1] else [[1], [0]])[:limit]
    starts = [entity.tokens[0] for entity in entities]
    ends = [entity.tokens[-1] + 1 for entity in entities]
    places = sorted(set(starts))
    after = [bisect_left(places, end) for end in ends]
    # For each place the best readings from there on, and beyond the last place nothing.
    tables: list[list[_PartialVariant]] = [[_NOTHING]] * (len(places) + 1)
    earliest = max(ends)  # of the ends of what starts here or later
    last = len(entities)
    for place in range(len(places) - 1, -1, -1):
        begin = bisect_left(starts, places[place], 0, last)
        earliest = min(earliest, *ends[begin:last])
        last = begin
        # What starts at or after the earliest end would leave room for what ends there.
        firsts = range(begin, bisect_left(starts, earliest, begin))
        tables[place] = _best_starting_with(firsts, costs, after, tables, limit)
    return [_indexes(reading) for reading in tables[0]]


_PartialVariant: TypeAlias = tuple[int, int, int, Any]
"""Some entities from a place on, as it is compared with others: what it costs, its first
entity, the place of the rest of it among what may follow that entity, and that rest itself."""

_NOTHING: _PartialVariant = (0, -1, 0, None)


def _best_starting_with(
    firsts: range,
    costs: Sequence[int],
    after: list[int],
    tables: list[list[_PartialVariant]],
    limit: int,
) -> list[_PartialVariant]:
    """The best readings that begin with one of ``firsts``."""
    candidates: Iterable[int] = firsts
    if len(firsts) > limit:  # then only those count whose best reading is among the best
        best = nsmallest(limit, [(costs[i] + tables[after[i]][0][0], i) for i in firsts])
        candidates = [first for _, first in best]
    readings = [
        (costs[first] + rest[0], first, place, rest)
        for first in candidates
        for place, rest in enumerate(tables[after[first]])
    ]
    readings.sort()  # which never comes to compare two rests
    return readings[:limit]


def _indexes(reading: _PartialVariant) -> list[int]:
    indexes = []
    while reading[3] is not None:
        indexes.append(reading[1])
        reading = reading[3]
    return indexes
