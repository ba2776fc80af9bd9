from __future__ import annotations

import time
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anaphora.entities.variants import variants
from anaphora.models.utterance import Entity, Token, Utterance


def entity(name: str, start: int, end: int, *, exact: bool = True, own: bool = True) -> Entity:
    tokens = tuple(range(start, end))
    return Entity(name, frozenset({name}), name, tokens, start, end, exact=exact, own=own)


def utterance(*entities: Entity, stop_words: tuple[int, ...] = ()) -> Utterance:
    length = max((e.tokens[-1] + 1 for e in entities), default=3)
    tokens = tuple(
        Token("w", "w", "w", i, i, i + 1, free=i not in stop_words) for i in range(length)
    )
    return Utterance("w" * length, "en", tokens, entities)


def names(said: Utterance, limit: int = 16) -> list[str]:
    return ["".join(e.element for e in variant.entities) for variant in variants(said, limit)]


def test_without_entities_there_is_one_empty_variant():
    (variant,) = variants(utterance(stop_words=(0,)))
    assert variant.entities == ()
    assert variant.uncovered == 2


def test_entities_apart_from_each_other_are_one_variant():
    (variant,) = variants(utterance(entity("a", 0, 1), entity("b", 1, 3), entity("c", 4, 5)))
    assert [e.element for e in variant.entities] == ["a", "b", "c"]
    assert variant.uncovered == 1
    assert variant.rank == (-4, -6, -3, -3)


def test_the_longer_entity_comes_before_its_parts():
    said = utterance(entity("x", 0, 2), entity("a", 0, 1), entity("b", 1, 2))
    assert names(said) == ["x", "ab"]


def test_covering_more_words_comes_before_long_entities():
    said = utterance(entity("a", 0, 2), entity("x", 1, 4), entity("b", 2, 3), entity("c", 3, 4))
    assert names(said) == ["abc", "x"]


def test_exact_comes_before_stems_and_own_before_built_in():
    said = utterance(
        entity("a", 0, 1, exact=False), entity("b", 0, 1, own=False), entity("c", 0, 1)
    )
    assert names(said) == ["c", "b", "a"]


def test_among_equals_the_order_of_the_entities_decides():
    assert names(utterance(entity("b", 0, 1), entity("a", 0, 1))) == ["b", "a"]


def test_what_is_not_contested_is_in_every_variant():
    said = utterance(entity("a", 0, 1), entity("b", 2, 3), entity("c", 2, 3), entity("d", 4, 5))
    assert names(said) == ["abd", "acd"]


def test_there_must_be_room_for_one():
    with pytest.raises(ValueError, match="room"):
        variants(utterance(), 0)


spans = st.builds(
    lambda start, length, exact, own: (start, start + length, exact, own),
    st.integers(0, 7),
    st.integers(1, 4),
    st.booleans(),
    st.booleans(),
)


def overlap(one: Entity, other: Entity) -> bool:
    return not set(one.tokens).isdisjoint(other.tokens)


def brute_force(said: Utterance) -> list[tuple[Entity, ...]]:
    """Every subset that is free of overlaps and to which nothing can be added, by rank."""
    everything = said.entities
    indexes = range(len(everything))
    sets = [
        chosen
        for size in range(len(everything) + 1)
        for chosen in combinations(indexes, size)
        if not any(overlap(everything[i], everything[j]) for i, j in combinations(chosen, 2))
        and all(
            any(overlap(everything[i], everything[j]) for j in chosen)
            for i in indexes
            if i not in chosen
        )
    ]

    def rank(chosen: tuple[int, ...]) -> tuple[int, ...]:
        of = [everything[i] for i in chosen]
        return (
            -sum(len(e.tokens) for e in of),
            -sum(len(e.tokens) ** 2 for e in of),
            -sum(e.exact for e in of),
            -sum(e.own for e in of),
        )

    return [tuple(everything[i] for i in s) for s in sorted(sets, key=lambda s: (rank(s), s))]


@settings(max_examples=300, deadline=None)
@given(st.lists(spans, max_size=9), st.integers(1, 12))
def test_they_are_the_best_of_all_maximal_sets_in_their_order(drawn, limit):
    drawn.sort(key=lambda span: (span[0], -span[1]))
    said = utterance(
        *(entity(str(n), s, e, exact=x, own=o) for n, (s, e, x, o) in enumerate(drawn))
    )
    found = variants(said, limit)
    assert [variant.entities for variant in found] == brute_force(said)[:limit]
    assert [variant.rank for variant in found] == sorted(variant.rank for variant in found)


@pytest.mark.parametrize(
    "entities",
    [
        [entity(str(n), n, n + 30) for n in range(1000)],
        [entity(str(n), n // 2, n // 2 + 1 + n % 2) for n in range(1000)],
        [entity(str(n), 0, 1000 - n) for n in range(1000)],
        [entity(str(n), 0, 1) for n in range(1000)],
    ],
    ids=["long", "pairs", "nested", "one place"],
)
def test_a_thousand_overlapping_entities_are_no_burden(entities):
    said = utterance(*entities)
    start = time.perf_counter()
    assert len(variants(said)) == 16
    assert time.perf_counter() - start < 2
