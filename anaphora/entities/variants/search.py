"""The ways to read an utterance: sets of its entities that don't overlap."""

from __future__ import annotations

from anaphora.core.utterance import Entity, Utterance, Variant
from anaphora.entities.variants.contiguous import find_contiguous_variants
from anaphora.entities.variants.sparse import find_sparse_variants, is_contiguous

__all__ = ["find_variants"]

_MISSPELLED = 1 << 20
_BY_STEM = 1 << 9
_INEXACTNESS = 3  # its place in the rank of a variant


def find_variants(utterance: Utterance, limit: int = 16) -> tuple[Variant, ...]:
    """At most ``limit`` maximal sets of entities that don't overlap, the best first.

    Better is what covers more tokens, then has the longer entities, then the denser ones, then
    fewer of them misspelt, then fewer found by a stem or a head alone, then more of them written
    exactly, then more of the model's own; among equals, what comes first in the utterance's order
    of entities. An utterance without entities has one empty variant. Where very many entities
    between whose words others stand overlap, not all sets are tried. Behind them, as far as there
    is room, comes each without its misspelt entities, for they may be no misspelt words at all.
    Raises ValueError for a limit below 1.
    """
    if limit < 1:
        raise ValueError("there must be room for one variant at least")
    entities = sorted(utterance.entities, key=_start)
    fixed, contested = _split_contested(entities)
    if not contested:
        variant = _create_variant(utterance, entities)
        if not _has_misspelled(variant):  # as most often
            return (variant,)
        return _add_variants_without_typos(utterance, [entities], limit)
    rivals = [entities[index] for index in contested]
    read = find_contiguous_variants if all(map(is_contiguous, rivals)) else find_sparse_variants
    best = read(rivals, [_cost(entity) for entity in rivals], limit)
    chosen = [sorted([*fixed, *[contested[one] for one in reading]]) for reading in best]
    return _add_variants_without_typos(
        utterance, [[entities[index] for index in indexes] for indexes in chosen], limit
    )


def _add_variants_without_typos(
    utterance: Utterance, chosen: list[list[Entity]], limit: int
) -> tuple[Variant, ...]:
    """The variants of the chosen sets, and behind them those without misspelt entities."""
    found = [_create_variant(utterance, one) for one in chosen[:limit]]
    if not any(map(_has_misspelled, found)):
        return tuple(found)
    known = {tuple(map(id, one)) for one in chosen}
    for one in chosen:
        kept = [entity for entity in one if "misspelt" not in entity.marks]
        key = tuple(map(id, kept))
        if kept and key not in known and len(found) < limit:
            known.add(key)
            found.append(_create_variant(utterance, kept))
    return tuple(found)


def _has_misspelled(variant: Variant) -> bool:
    return variant.rank[_INEXACTNESS] >= _MISSPELLED // 2


def _start(entity: Entity) -> int:
    return entity.tokens[0]


def _cost(entity: Entity) -> int:
    """The rank of a variant as one number that can be summed up, smaller for the better."""
    length = len(entity.tokens)
    return (
        -(length << 160)
        - (length * length << 120)
        + (entity.gaps << 80)
        + (_inexactness(entity) << 40)
        - entity.own
    )


def _inexactness(entity: Entity) -> int:
    """One misspelt entity counts more than any number of those found by a stem or the head of a
    compound, and one of these more than any number of those that are written exactly."""
    if entity.exact:
        return -1
    marks = entity.marks
    if "misspelt" in marks:
        return _MISSPELLED
    return _BY_STEM if "stem" in marks or "compound" in marks else 0


def _split_contested(entities: list[Entity]) -> tuple[list[int], list[int]]:
    """The indexes of the entities into whose range no other reaches, and of the rest."""
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


def _create_variant(utterance: Utterance, entities: list[Entity]) -> Variant:
    covered: set[int] = set()
    squares = gaps = inexactness = own = 0
    for entity in entities:
        tokens = entity.tokens
        covered.update(tokens)
        squares += len(tokens) ** 2
        gaps += entity.gaps
        inexactness += -1 if entity.exact else _inexactness(entity)
        own += entity.own
    known = covered.union(*utterance.resets) if utterance.resets else covered
    uncovered = len([token for token in utterance.content_words if token not in known])
    rank = (-len(covered), -squares, gaps, inexactness, -own)
    return Variant(tuple(entities), uncovered, rank)
