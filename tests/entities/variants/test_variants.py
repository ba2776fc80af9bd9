from __future__ import annotations

import time
from collections.abc import Iterable
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from anaphora.core.utterance import Entity, Token, Utterance
from anaphora.entities.variants.search import find_variants
from tests.support.examples import examples
from tests.support.line_counter import count_lines


def entity(name: str, start: int, end: int, *, exact: bool = True, own: bool = True) -> Entity:
    tokens = tuple(range(start, end))
    return Entity(
        name, frozenset({name}), name, tokens, start, end, exact=exact, is_from_phrase=own
    )


def in_pieces(name: str, *tokens: int, gaps: int | None = None) -> Entity:
    between = tokens[-1] - tokens[0] + 1 - len(tokens)
    return Entity(
        name, frozenset({name}), name, tokens, tokens[0], tokens[-1] + 1,
        gaps=between if gaps is None else gaps,
    )  # fmt: skip


def utterance(*entities: Entity, stop_words: tuple[int, ...] = ()) -> Utterance:
    length = max((e.tokens[-1] + 1 for e in entities), default=3)
    tokens = tuple(
        Token("w", "w", "w", i, i, i + 1, is_content_word=i not in stop_words)
        for i in range(length)
    )
    return Utterance("w" * length, "en", tokens, entities)


def names(said: Utterance, limit: int = 16) -> list[str]:
    return ["".join(e.element for e in variant.entities) for variant in find_variants(said, limit)]


def test_without_entities_there_is_one_empty_variant():
    (variant,) = find_variants(utterance(stop_words=(0,)))
    assert variant.entities == ()
    assert variant.uncovered == 2


def test_entities_without_overlap_are_one_variant():
    (variant,) = find_variants(utterance(entity("a", 0, 1), entity("b", 1, 3), entity("c", 4, 5)))
    assert [e.element for e in variant.entities] == ["a", "b", "c"]
    assert variant.uncovered == 1
    assert variant.rank == (-4, -6, 0, -3, -3)


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


def test_uncontested_entities_are_in_every_variant():
    said = utterance(entity("a", 0, 1), entity("b", 2, 3), entity("c", 2, 3), entity("d", 4, 5))
    assert names(said) == ["abd", "acd"]


def test_there_must_be_room_for_one():
    with pytest.raises(ValueError, match="at least 1"):
        find_variants(utterance(), 0)


spans = st.builds(
    lambda start, length, exact, own: (start, start + length, exact, own),
    st.integers(0, 7),
    st.integers(1, 4),
    st.booleans(),
    st.booleans(),
)


def overlap(one: Entity, other: Entity) -> bool:
    return not set(one.tokens).isdisjoint(other.tokens)


def rank_of(entities: Iterable[Entity]) -> tuple[int, ...]:
    of = list(entities)
    return (
        -sum(len(e.tokens) for e in of),
        -sum(len(e.tokens) ** 2 for e in of),
        sum(e.gaps for e in of),
        -sum(e.exact for e in of),
        -sum(e.is_from_phrase for e in of),
    )


def brute_force(said: Utterance) -> list[tuple[Entity, ...]]:
    """Every subset that is free of overlaps and to which nothing can be added, by rank."""
    everything = said.entities
    indexes = range(len(everything))
    overlaps = {(i, j): overlap(everything[i], everything[j]) for i, j in combinations(indexes, 2)}
    overlaps |= {(j, i): value for (i, j), value in overlaps.items()}
    sets = [
        chosen
        for size in range(len(everything) + 1)
        for chosen in combinations(indexes, size)
        if not any(overlaps[pair] for pair in combinations(chosen, 2))
        and all(any(overlaps[i, j] for j in chosen) for i in indexes if i not in chosen)
    ]

    def rank(chosen: tuple[int, ...]) -> tuple[int, ...]:
        return rank_of([everything[i] for i in chosen])

    return [tuple(everything[i] for i in s) for s in sorted(sets, key=lambda s: (rank(s), s))]


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(spans, max_size=9), st.integers(1, 12))
def test_they_are_the_best_of_all_maximal_sets_in_their_order(drawn, limit):
    drawn.sort(key=lambda span: (span[0], -span[1]))
    said = utterance(
        *(entity(str(n), s, e, exact=x, own=o) for n, (s, e, x, o) in enumerate(drawn))
    )
    found = find_variants(said, limit)
    assert [variant.entities for variant in found] == brute_force(said)[:limit]
    assert [variant.rank for variant in found] == sorted(variant.rank for variant in found)


def test_an_entity_in_the_gap_of_another_is_in_the_same_variant():
    said = utterance(in_pieces("turn_off", 0, 3), entity("the", 1, 2), entity("light", 2, 3))
    (variant,) = find_variants(said)
    assert [e.element for e in variant.entities] == ["turn_off", "the", "light"]
    assert variant.uncovered == 0


def test_a_sparse_entity_excludes_those_that_share_a_word():
    said = utterance(in_pieces("turn_off", 0, 3), entity("off_and_on", 3, 6), entity("light", 2, 3))
    assert [{e.element for e in variant.entities} for variant in find_variants(said)] == [
        {"off_and_on", "light"}, {"turn_off", "light"},
    ]  # fmt: skip


def test_the_denser_of_two_entities_comes_first():
    said = utterance(in_pieces("wide", 0, 4, gaps=3), in_pieces("dense", 2, 4, gaps=1))
    assert names(said) == ["dense", "wide"]
    skipping = utterance(in_pieces("skips", 0, 1, 2, gaps=1), in_pieces("whole", 0, 1, 2))
    assert names(skipping) == ["whole", "skips"]


pieces = st.builds(
    lambda tokens, exact, own: (tuple(sorted(tokens)), exact, own),
    st.sets(st.integers(0, 8), min_size=1, max_size=4),
    st.booleans(),
    st.booleans(),
)


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(pieces, max_size=8), st.integers(1, 12))
def test_with_entities_in_pieces_too_they_are_the_best_of_all_maximal_sets(drawn, limit):
    drawn.sort(key=lambda piece: piece[0])
    said = utterance(
        *(
            replace(in_pieces(str(n), *tokens), exact=exact, is_from_phrase=own)
            for n, (tokens, exact, own) in enumerate(drawn)
        )
    )
    expected = brute_force(said)
    found = find_variants(said, limit)
    assert [variant.rank for variant in found] == [rank_of(one) for one in expected[:limit]]
    assert {tuple(e.element for e in v.entities) for v in found} <= {
        tuple(e.element for e in one) for one in expected
    }
    assert len(found) == min(limit, len(expected))
    assert len({tuple(e.element for e in v.entities) for v in found}) == len(found)


@pytest.mark.parametrize(
    "entities",
    [
        [in_pieces(str(n), n, n + 2, n + 40) for n in range(1000)],
        [in_pieces(str(n), 4 * n + 2 * k, 4 * n + k + 3) for n in range(500) for k in range(2)],
        [in_pieces(str(n), n % 7, 7 + n % 11, 20 + n % 13) for n in range(1000)],
        [
            *(entity(str(n), n, n + 2) for n in range(500)),
            *(in_pieces(str(n), n, n + 7) for n in range(500)),
        ],
    ],
    ids=["entangled", "many groups", "crossing", "mixed"],
)
def test_variants_of_very_many_sparse_entities_are_maximal(entities):
    said = utterance(*entities)
    work, found = count_lines(lambda: find_variants(said))
    assert len(found) == 16
    assert 0 < work < 4_000_000
    for variant in found:
        used = {token for e in variant.entities for token in e.tokens}
        assert len(used) == sum(len(e.tokens) for e in variant.entities)
        assert not any(used.isdisjoint(e.tokens) for e in entities)


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
    start = time.process_time()
    assert len(find_variants(said)) == 16
    assert time.process_time() - start < 2
