"""Find the variants of an utterance: sets of its entities that do not overlap."""

from __future__ import annotations

from anaphora.core.utterance import Entity, Utterance, Variant
from anaphora.entities.variants.contiguous import find_contiguous_variants, is_contiguous
from anaphora.entities.variants.sparse import find_sparse_variants

__all__ = ["find_variants"]

_MISSPELT = 1 << 20
_BY_STEM = 1 << 9


def find_variants(utterance: Utterance, limit: int = 16) -> tuple[Variant, ...]:
    """Return at most ``limit`` maximal sets of entities that do not overlap, the best first.

    A variant is better if it covers more tokens, then if it has longer entities, then denser ones,
    then fewer misspelt ones, then fewer found by a stem or a compound head alone, then more exact
    ones, then more found by phrases than by recognizers; ties follow the order of entities in the
    utterance. An utterance without entities has one empty variant. Where very many sparse entities
    overlap, not all sets are tried. As far as there is room, each variant with misspelt entities is
    added without them at the end, as they may be correct words. Raises ValueError for a limit below
    1.
    """
    if limit < 1:
        raise ValueError("the limit must be at least 1")
    entities = sorted(utterance.entities, key=lambda entity: entity.tokens[0])
    fixed, contested = _split_contested(entities)
    if not contested:
        variant = _create_variant(utterance, entities)
        if not _has_misspelt(variant):  # the most common case
            return (variant,)
        return _add_variants_without_typos(utterance, [entities], limit)
    rivals = [entities[index] for index in contested]
    find = find_contiguous_variants if all(map(is_contiguous, rivals)) else find_sparse_variants
    best = find(rivals, [_cost(entity) for entity in rivals], limit)
    chosen = [sorted([*fixed, *[contested[one] for one in indexes]]) for indexes in best]
    return _add_variants_without_typos(
        utterance, [[entities[index] for index in indexes] for indexes in chosen], limit
    )


def _add_variants_without_typos(
    utterance: Utterance, chosen: list[list[Entity]], limit: int
) -> tuple[Variant, ...]:
    """Create the variants of the chosen sets, followed by those without misspelt entities."""
    found = [_create_variant(utterance, one) for one in chosen[:limit]]
    if not any(map(_has_misspelt, found)):
        return tuple(found)
    known = {tuple(map(id, one)) for one in chosen}
    for one in chosen:
        kept = [entity for entity in one if "misspelt" not in entity.marks]
        key = tuple(map(id, kept))
        if kept and key not in known and len(found) < limit:
            known.add(key)
            found.append(_create_variant(utterance, kept))
    return tuple(found)


def _has_misspelt(variant: Variant) -> bool:
    for entity in variant.entities:  # noqa: SIM110 - quicker than any(), for each question
        if "misspelt" in entity.marks:
            return True
    return False


def _cost(entity: Entity) -> int:
    """Return the rank of a variant with this entity alone as a number: smaller is better, and it
    can be summed up."""
    length = len(entity.tokens)
    worse = (entity.gaps << 80) + (_inexactness(entity) << 40)
    return worse - (length << 160) - (length * length << 120) - entity.is_from_phrase


def _inexactness(entity: Entity) -> int:
    """Return the penalty of an inexact entity. A misspelt one counts more than any number of
    those found by a stem or a compound head, and one of these more than any number of others."""
    if entity.exact:
        return -1
    marks = entity.marks
    if "misspelt" in marks:
        return _MISSPELT
    return _BY_STEM if "stem" in marks or "compound" in marks else 0


def _split_contested(entities: list[Entity]) -> tuple[list[int], list[int]]:
    """Return the indexes of the entities whose range no other one overlaps, and of the rest."""
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
    squares = gaps = inexactness = from_phrases = 0
    for entity in entities:
        tokens = entity.tokens
        covered.update(tokens)
        squares += len(tokens) ** 2
        gaps += entity.gaps
        inexactness += -1 if entity.exact else _inexactness(entity)
        from_phrases += entity.is_from_phrase
    known = covered.union(*utterance.resets) if utterance.resets else covered
    uncovered = len([token for token in utterance.content_words if token not in known])
    rank = (-len(covered), -squares, gaps, inexactness, -from_phrases)
    return Variant(tuple(entities), uncovered, rank)
