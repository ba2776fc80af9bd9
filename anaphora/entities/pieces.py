"""The best readings of entities between whose tokens others may stand.

Such an entity shares no token with what stands in its gaps, and so has no place in an order of
entities. Entities that share no token with each other, not even by way of others, are looked at
apart. Of the rest, sets of those in pieces are tried, the most promising first, each with the
best readings of the whole ones that are left beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush, nsmallest
from typing import Any, TypeAlias

from anaphora.entities.readings import readings
from anaphora.models.utterance import Entity

__all__ = ["is_whole", "readings_of_pieces"]

_MOST_SETS = 512  # of entities in pieces, tried for entities that share tokens
_MOST_WORK = 20_000  # such sets times entities, in all (some 0.2 s)
_FEWEST_SETS = 4


def readings_of_pieces(
    entities: Sequence[Entity], costs: Sequence[int], limit: int
) -> list[list[int]]:
    """As :func:`~anaphora.entities.readings.readings` for entities that may be in pieces.

    Where very many of these share tokens, some sets may not be found; what is found is maximal.
    """
    groups = _groups(entities)
    contested = [group for group in groups if len(group) > 1]
    if len(contested) == 1 and len(contested[0]) == 2:  # as most often: one of two
        alone = [group[0] for group in groups if len(group) == 1]
        one, other = contested[0]
        best = (one, other) if costs[one] <= costs[other] else (other, one)
        return [sorted((*alone, index)) for index in best][:limit]
    apart: list[int] = []
    entangled: list[list[int]] = []
    for group in groups:
        if all(is_whole(entities[index]) for index in group):
            apart += group
        else:
            entangled.append(group)
    apart.sort()
    found = readings([entities[i] for i in apart], [costs[i] for i in apart], limit)
    read = [_priced([[apart[one] for one in reading] for reading in found], costs)]
    work = _MOST_WORK // max(1, len(entangled))
    for group in entangled:
        some = _Entangled(group, entities, costs, limit)
        most = max(_FEWEST_SETS, min(_MOST_SETS, work // len(group)))
        read.append(_priced(some.readings(most), costs))
    return _combined(read, limit)


def is_whole(entity: Entity) -> bool:
    """Whether no token stands between those of the entity."""
    tokens = entity.tokens
    return tokens[-1] - tokens[0] + 1 == len(tokens)


_Priced: TypeAlias = tuple[int, list[int]]


class _Entangled:
    """Entities that share tokens, some of them in pieces."""

    def __init__(
        self, group: list[int], entities: Sequence[Entity], costs: Sequence[int], limit: int
    ) -> None:
        self._entities, self._costs, self._limit = entities, costs, limit
        self._whole = [index for index in group if is_whole(entities[index])]
        pieces = [index for index in group if not is_whole(entities[index])]
        self._pieces = sorted(pieces, key=costs.__getitem__)
        # Tokens as bits: whether two sets of them meet is one operation.
        self._masks = {i: sum(1 << token for token in entities[i].tokens) for i in group}
        self._found: dict[tuple[int, ...], int] = {}

    def readings(self, most: int) -> list[list[int]]:
        """The best readings by at most that many sets of the entities in pieces."""
        waiting = [self._try(_Tried((), 0, 0))]
        tried = 1
        while waiting and tried < most:
            _, chosen = heappop(waiting)
            for further in self._further(chosen):
                heappush(waiting, self._try(further))
                tried += 1
                if tried == most:
                    break
        found = ((cost, reading) for reading, cost in self._found.items())
        return [list(reading) for _, reading in nsmallest(self._limit, found)]

    def _try(self, tried: _Tried) -> tuple[int, _Tried]:
        """Notes the best readings with the pieces that were chosen; what the best of them costs
        says how promising these are."""
        left = [index for index in self._whole if not self._masks[index] & tried.tokens]
        beside = readings(
            [self._entities[i] for i in left], [self._costs[i] for i in left], self._limit
        )
        cheapest = []
        for reading in beside:
            full = self._filled_up([*tried.pieces, *(left[one] for one in reading)])
            cost = self._found[full] = sum([self._costs[index] for index in full])
            cheapest.append(cost)
        return min(cheapest), tried

    def _further(self, chosen: _Tried) -> Iterator[_Tried]:
        """The chosen pieces with one more, each set once."""
        for at in range(chosen.next, len(self._pieces)):
            index = self._pieces[at]
            if not self._masks[index] & chosen.tokens:
                tokens = chosen.tokens | self._masks[index]
                yield _Tried((*chosen.pieces, index), tokens, at + 1)

    def _filled_up(self, reading: list[int]) -> tuple[int, ...]:
        """The reading with every piece that still has room, the best first.

        Sets without these pieces need not be left out for that: what they can be filled up to is
        better, and different for each.
        """
        used = 0
        for index in reading:
            used |= self._masks[index]
        for index in self._pieces:
            if not self._masks[index] & used:
                used |= self._masks[index]
                reading.append(index)
        return tuple(sorted(reading))


@dataclass(frozen=True, slots=True, order=True)
class _Tried:
    """Entities in pieces that share no token, their tokens as bits, and which may come next."""

    pieces: tuple[int, ...]
    tokens: int
    next: int


def _groups(entities: Sequence[Entity]) -> list[list[int]]:
    """The indexes of entities that share tokens, be it by way of others."""
    group_of: dict[int, list[int]] = {}  # by token
    for index, entity in enumerate(entities):
        met = {id(group_of[token]): group_of[token] for token in entity.tokens if token in group_of}
        # The greatest one takes the others in: each index moves but a few times.
        group, *others = sorted(met.values(), key=len, reverse=True) or [[]]
        group.append(index)
        for other in others:
            group += other
            for moved in other:
                group_of.update(dict.fromkeys(entities[moved].tokens, group))
        group_of.update(dict.fromkeys(entity.tokens, group))
    groups = {id(group): group for group in group_of.values()}
    return sorted(sorted(group) for group in groups.values())


def _priced(found: Iterable[list[int]], costs: Sequence[int]) -> list[_Priced]:
    return [(sum([costs[index] for index in reading]), reading) for reading in found]


_Chain: TypeAlias = tuple[int, int, int, Any]
"""What a combination costs, the places of what it is made of, and that itself."""


def _combined(read: Sequence[list[_Priced]], limit: int) -> list[list[int]]:
    """The cheapest combinations of one reading from each list, as sorted indexes."""
    chains: list[_Chain] = [(0, 0, 0, None)]
    for some in read:
        pairs = [
            (chain[0] + cost, place, at, (chain, reading))
            for place, chain in enumerate(chains)
            for at, (cost, reading) in enumerate(some)
        ]
        chains = nsmallest(limit, pairs, key=lambda chain: chain[:3])
    combined = []
    for chain in chains:
        indexes: list[int] = []
        rest = chain[3]
        while rest is not None:
            before, reading = rest
            indexes += reading
            rest = before[3]
        combined.append((chain[0], sorted(indexes)))
    return [indexes for _, indexes in sorted(combined)]
