"""Recency, relevance and importance: each on its own scale, then summed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphora.agents.memories.declarations import Weights
from anaphora.agents.memories.scoring import (
    Rated,
    compute_recency,
    normalize,
    score,
    select_best,
)

numbers = st.floats(-1e6, 1e6)
rated = st.builds(
    Rated,
    hours=st.floats(0, 1e5),
    relevance=st.none() | st.floats(-10, 100),
    importance=st.integers(1, 10),
)
ONLY_RECENCY = Weights(1, 0, 0)


def test_recency_falls_by_half_a_percent_an_hour_since_the_last_access():
    assert compute_recency(0) == 1
    assert compute_recency(1) == pytest.approx(0.995)
    assert compute_recency(24) == pytest.approx(0.995**24)


def test_a_clock_that_was_set_back_makes_nothing_more_recent_than_now():
    assert compute_recency(-5) == 1


def test_what_was_accessed_last_is_the_most_recent():
    """The published code of Generative Agents has it the other way round."""
    just_now, long_ago = Rated(0, None, 5), Rated(100, None, 5)
    first, second = score([long_ago, just_now], ONLY_RECENCY)
    assert second > first


@given(st.lists(numbers, min_size=1))
def test_normalized_values_lie_between_0_and_1(values):
    normalized = normalize(values)
    assert len(normalized) == len(values)
    assert all(0 <= one <= 1 for one in normalized)


@given(st.lists(numbers, min_size=2))
def test_normalizing_keeps_the_order(values):
    normalized = normalize(values)
    for a, x in zip(values, normalized, strict=True):
        for b, y in zip(values, normalized, strict=True):
            assert not (a < b and x > y)


@given(st.lists(numbers, min_size=2).filter(lambda values: len(set(values)) > 1))
def test_the_least_becomes_0_and_the_greatest_1(values):
    normalized = normalize(values)
    assert normalized[values.index(min(values))] == 0
    assert normalized[values.index(max(values))] == pytest.approx(1)


@given(numbers, st.integers(1, 10))
def test_a_constant_column_is_0_5(value, count):
    assert normalize([value] * count) == [0.5] * count


def test_nothing_has_no_scores():
    assert score([], Weights()) == []
    assert select_best([], Weights(), 3) == []


@given(st.lists(rated, min_size=1))
def test_scores_lie_within_the_sum_of_the_weights(memories):
    weights = Weights(0.5, 3, 2)
    assert all(0 <= one <= 5.5 + 1e-9 for one in score(memories, weights))


@given(st.lists(rated, min_size=1), st.floats(0.1, 10))
def test_scaling_all_weights_changes_no_order(memories, factor):
    one = score(memories, Weights(1, 1, 1))
    other = score(memories, Weights(factor, factor, factor))
    assert other == pytest.approx([factor * value for value in one])


@given(st.lists(rated), st.integers(1, 12))
def test_as_many_are_selected_as_asked_for_and_none_twice(memories, k):
    chosen = select_best(memories, Weights(), k)
    assert len(chosen) == len(set(chosen)) == min(k, len(memories))


@given(st.lists(rated, min_size=1), st.integers(1, 12))
def test_the_selected_are_in_the_order_of_their_scores(memories, k):
    scores = score(memories, Weights())
    chosen = [scores[at] for at in select_best(memories, Weights(), k)]
    assert chosen == sorted(chosen, reverse=True)


@given(st.lists(rated, min_size=1, max_size=40), st.integers(1, 12))
def test_the_most_relevant_is_selected_however_old_it_is(memories, k):
    old = Rated(1e6, 1000.0, 1)
    assert len(memories) in select_best([*memories, old], Weights(), k)


def test_weights_decide():
    recent, relevant, important = Rated(0, 0, 1), Rated(50, 9, 1), Rated(50, 0, 10)
    memories = [recent, relevant, important]
    assert select_best(memories, Weights(1, 0, 0), 1) == [0]
    assert select_best(memories, Weights(0, 1, 0), 1) == [1]
    assert select_best(memories, Weights(0, 0, 1), 1) == [2]


def test_the_only_memory_that_a_search_finds_is_the_most_relevant():
    memories = [Rated(0, None, 5), Rated(0, 0.4, 5), Rated(0, None, 5)]
    assert select_best(memories, Weights(0, 1, 0), 1) == [1]
    found, other = score(memories, Weights(0, 1, 0))[1:]
    assert (found, other) == (1, 0)
