"""The ways to read an utterance: sets of its entities that don't overlap.

A set is maximal when no further entity fits between its own. The best of them are found from
the last token back to the first: the best readings of a text from some place on are the
entities that may come first there, each with the best readings of what follows it. A rank is a
sum over entities, so nothing beyond the ``limit`` best at each place is ever needed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from heapq import merge
from itertools import islice
from typing import NamedTuple

from anaphora.models.utterance import Entity, Utterance, Variant

__all__ = ["variants"]


def variants(utterance: Utterance, limit: int = 16) -> tuple[Variant, ...]:
    """At most ``limit`` maximal sets of entities that don't overlap, the best first.

    Better is what covers more tokens, then has the longer entities, then more of them written
    exactly, then more of the model's own; among equals, what comes first in the utterance's
    order of entities. An utterance without entities has one empty variant. Raises ValueError
    for a limit below 1.
    """
    if limit < 1:
        raise ValueError("there must be room for one variant at least")
    entities = sorted(utterance.entities, key=_start)
    fixed, contested = _split(entities)
    if not contested:
        return (_variant(utterance, entities),)
    readings = _best([entities[index] for index in contested], limit)
    return tuple(
        _variant(utterance, [entities[index] for index in sorted(indexes)])
        for indexes in ([*fixed, *(contested[one] for one in reading)] for reading in readings)
    )


class _Reading(NamedTuple):
    """Some entities from a place on: the first and the reading that follows it."""

    cost: tuple[int, int, int, int]
    first: int
    place: int  # among the readings that may follow ``first``
    rest: _Reading | None


_NOTHING = _Reading((0, 0, 0, 0), -1, 0, None)


def _best(entities: list[Entity], limit: int) -> list[list[int]]:
    """The best readings of the entities (sorted by their start), as indexes.

    ``tables`` has for every token at which an entity starts the best readings from there on.
    """
    starts = [entity.tokens[0] for entity in entities]
    ends = [entity.tokens[-1] + 1 for entity in entities]
    costs = [_cost(entity) for entity in entities]
    tables: dict[int, list[_Reading]] = {}
    places = sorted(set(starts))
    earliest = max(ends)  # of the ends of what starts here or later
    last = len(entities)
    by_place = {place: bisect_left(starts, place) for place in places}
    after = [bisect_left(places, end) for end in ends]

    for place in reversed(places):
        begin = by_place[place]
        earliest = min(earliest, *(ends[begin:last])) if begin < last else earliest
        last = begin
        # What starts at or after the earliest end would leave room for what ends there.
        until = bisect_left(starts, earliest)
        tables[place] = _extended(range(begin, until), costs, after, places, tables, limit)
    return [_indexes(reading) for reading in tables[places[0]]]


def _extended(
    firsts: range,
    costs: list[tuple[int, int, int, int]],
    after: list[int],
    places: list[int],
    tables: dict[int, list[_Reading]],
    limit: int,
) -> list[_Reading]:
    """The best readings that begin with one of ``firsts``."""

    def beginning_with(first: int) -> Iterator[_Reading]:
        rests = tables[places[after[first]]] if after[first] < len(places) else [_NOTHING]
        for place, rest in enumerate(rests):
            yield _Reading(_sum(costs[first], rest.cost), first, place, rest)

    return list(islice(merge(*map(beginning_with, firsts), key=_rank), limit))


def _rank(reading: _Reading) -> tuple[tuple[int, int, int, int], int, int]:
    return reading.cost, reading.first, reading.place


def _start(entity: Entity) -> int:
    return entity.tokens[0]


def _indexes(reading: _Reading) -> list[int]:
    indexes = []
    rest: _Reading | None = reading
    while rest is not None and rest.first >= 0:
        indexes.append(rest.first)
        rest = rest.rest
    return indexes


def _cost(entity: Entity) -> tuple[int, int, int, int]:
    length = len(entity.tokens)
    return -length, -length * length, -entity.exact, -entity.own


def _sum(
    one: tuple[int, int, int, int], other: tuple[int, int, int, int]
) -> tuple[int, int, int, int]:
    return one[0] + other[0], one[1] + other[1], one[2] + other[2], one[3] + other[3]


def _split(entities: list[Entity]) -> tuple[list[int], list[int]]:
    """The indexes of the entities that overlap with no other, and of the rest."""
    fixed: list[int] = []
    contested: list[int] = []
    cluster: list[int] = []
    reach = -1
    for index, entity in enumerate(entities):
        if entity.tokens[0] >= reach:
            (fixed if len(cluster) == 1 else contested).extend(cluster)
            cluster = []
        cluster.append(index)
        reach = max(reach, entity.tokens[-1] + 1)
    (fixed if len(cluster) == 1 else contested).extend(cluster)
    return fixed, contested


def _variant(utterance: Utterance, entities: list[Entity]) -> Variant:
    covered = {token for entity in entities for token in entity.tokens}
    uncovered = [token for token in utterance.tokens if token.free and token.index not in covered]
    lengths = [len(entity.tokens) for entity in entities]
    rank = (
        -len(covered),
        -sum([length * length for length in lengths]),
        -sum([entity.exact for entity in entities]),
        -sum([entity.own for entity in entities]),
    )
    return Variant(tuple(entities), len(uncovered), rank)
