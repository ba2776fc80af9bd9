"""Find the best variants where some entities are not contiguous.

A sparse entity shares no token with entities in its gaps, so it has no place in an order of
entities. Groups of entities that share tokens, directly or through others, are processed
separately. Within a group, sets of sparse entities are tried, the most promising first, each with
the best variants of the contiguous entities that remain.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from heapq import heappop, heappush, nsmallest
from typing import Any, NamedTuple, TypeAlias

from anaphora.core.utterance import Entity
from anaphora.entities.variants.contiguous import find_contiguous_variants, is_contiguous

__all__ = ["find_sparse_variants"]

_MAX_SELECTIONS = 512  # of sparse entities, tried in a group
_MAX_WORK = 20_000  # selections times entities in all groups (some 0.2 s)
_MIN_SELECTIONS = 4


def find_sparse_variants(
    entities: Sequence[Entity], costs: Sequence[int], limit: int
) -> list[list[int]]:
    """Find variants as :func:`~anaphora.entities.variants.contiguous.find_contiguous_variants`
    does, of entities that may be sparse.

    If very many of them share tokens, some sets may be missed; those that are found are maximal.
    """
    groups = _group_overlapping(entities)
    contested = [group for group in groups if len(group) > 1]
    if len(contested) == 1 and len(contested[0]) == 2:  # the most common case: one of two
        alone = [group[0] for group in groups if len(group) == 1]
        one, other = contested[0]
        best = (one, other) if costs[one] <= costs[other] else (other, one)
        return [sorted((*alone, index)) for index in best][:limit]
    apart: list[int] = []
    entangled: list[list[int]] = []
    for group in groups:
        if all(is_contiguous(entities[index]) for index in group):
            apart += group
        else:
            entangled.append(group)
    apart.sort()
    found = find_contiguous_variants([entities[i] for i in apart], [costs[i] for i in apart], limit)
    lists = [_with_costs([[apart[one] for one in indexes] for indexes in found], costs)]
    work = _MAX_WORK // max(1, len(entangled))
    for group in entangled:
        some = _OverlapGroup(group, entities, costs, limit)
        most = max(_MIN_SELECTIONS, min(_MAX_SELECTIONS, work // len(group)))
        lists.append(_with_costs(some.find_variants(most), costs))
    return _combine(lists, limit)


_CostedVariant: TypeAlias = tuple[int, list[int]]


class _OverlapGroup:
    """Entities that share tokens, some of them sparse."""

    def __init__(
        self, group: list[int], entities: Sequence[Entity], costs: Sequence[int], limit: int
    ) -> None:
        self._entities, self._costs, self._limit = entities, costs, limit
        self._contiguous = [index for index in group if is_contiguous(entities[index])]
        pieces = [index for index in group if not is_contiguous(entities[index])]
        self._sparse = sorted(pieces, key=costs.__getitem__)
        # Tokens as bits: one operation tests whether two sets overlap.
        self._masks = {i: sum(1 << token for token in entities[i].tokens) for i in group}
        self._found: dict[tuple[int, ...], int] = {}

    def find_variants(self, most: int) -> list[list[int]]:
        """Return the best variants by at most that many sets of sparse entities."""
        waiting = [self._evaluate(_Selection((), 0, 0))]
        tried = 1
        while waiting and tried < most:
            _, chosen = heappop(waiting)
            for further in self._extend(chosen):
                heappush(waiting, self._evaluate(further))
                tried += 1
                if tried == most:
                    break
        found = ((cost, indexes) for indexes, cost in self._found.items())
        return [list(indexes) for _, indexes in nsmallest(self._limit, found)]

    def _evaluate(self, tried: _Selection) -> tuple[int, _Selection]:
        """Find the best variants with the chosen sparse entities; return the lowest cost among
        them."""
        left = [index for index in self._contiguous if not self._masks[index] & tried.tokens]
        beside = find_contiguous_variants(
            [self._entities[i] for i in left], [self._costs[i] for i in left], self._limit
        )
        cheapest = []
        for indexes in beside:
            full = self._fill_up([*tried.chosen, *(left[one] for one in indexes)])
            cost = self._found[full] = sum([self._costs[index] for index in full])
            cheapest.append(cost)
        return min(cheapest), tried

    def _extend(self, chosen: _Selection) -> Iterator[_Selection]:
        """Yield the selection with one more sparse entity, each set once."""
        for at in range(chosen.next, len(self._sparse)):
            index = self._sparse[at]
            if not self._masks[index] & chosen.tokens:
                tokens = chosen.tokens | self._masks[index]
                yield _Selection((*chosen.chosen, index), tokens, at + 1)

    def _fill_up(self, indexes: list[int]) -> tuple[int, ...]:
        """Add every sparse entity that still has room, the best first.

        Sets without these entities need not be skipped: what they are filled up to is better, and
        different for each.
        """
        used = 0
        for index in indexes:
            used |= self._masks[index]
        for index in self._sparse:
            if not self._masks[index] & used:
                used |= self._masks[index]
                indexes.append(index)
        return tuple(sorted(indexes))


class _Selection(NamedTuple):
    """Sparse entities that share no token, their tokens as bits, and the index of the next one to
    try."""

    chosen: tuple[int, ...]
    tokens: int
    next: int


def _group_overlapping(entities: Sequence[Entity]) -> list[list[int]]:
    """Group the indexes of entities that share tokens, directly or through others."""
    group_of: dict[int, list[int]] = {}  # by token
    for index, entity in enumerate(entities):
        met = {id(group_of[token]): group_of[token] for token in entity.tokens if token in group_of}
        # The largest group absorbs the others, so that each index is moved only a few times.
        group, *others = sorted(met.values(), key=len, reverse=True) or [[]]
        group.append(index)
        for other in others:
            group += other
            for moved in other:
                group_of.update(dict.fromkeys(entities[moved].tokens, group))
        group_of.update(dict.fromkeys(entity.tokens, group))
    groups = {id(group): group for group in group_of.values()}
    return sorted(sorted(group) for group in groups.values())


def _with_costs(found: Iterable[list[int]], costs: Sequence[int]) -> list[_CostedVariant]:
    return [(sum([costs[index] for index in indexes]), indexes) for indexes in found]


_Chain: TypeAlias = tuple[int, int, int, Any]
"""A combination as a linked list: its cost, the indexes of the chain before the last variant and of
that variant (for ties), and that chain with the entities of the variant."""


def _combine(lists: Sequence[list[_CostedVariant]], limit: int) -> list[list[int]]:
    """Return the cheapest combinations of one variant from each list, as sorted indexes."""
    chains: list[_Chain] = [(0, 0, 0, None)]
    for variants in lists:
        pairs = [
            (chain[0] + cost, chain_index, variant_index, (chain, entities))
            for chain_index, chain in enumerate(chains)
            for variant_index, (cost, entities) in enumerate(variants)
        ]
        chains = nsmallest(limit, pairs, key=lambda chain: chain[:3])
    combined = []
    for cost, _, _, link in chains:
        indexes: list[int] = []
        while link is not None:
            (*_, link), entities = link
            indexes += entities
        combined.append((cost, sorted(indexes)))
    return [indexes for _, indexes in sorted(combined)]
