"""How much two spellings have in common."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphora.suggestions.spelling_similarity import (
    root_similarity,
    spelling_similarity,
    strip_accents,
)

words = st.text(st.characters(categories=["L"]), min_size=1, max_size=12)


@given(words, words)
def test_a_similarity_is_the_same_either_way_and_a_share(one, other):
    assert spelling_similarity(one, other) == spelling_similarity(other, one)
    assert 0 <= spelling_similarity(one, other) <= 1
    assert root_similarity(one, other) == root_similarity(other, one)
    assert 0 <= root_similarity(one, other) <= 1


@given(words)
def test_a_word_is_wholly_like_itself(word):
    assert spelling_similarity(word, word) == 1


def test_another_first_letter_makes_words_less_alike():
    assert spelling_similarity("table", "tabla") > spelling_similarity("table", "cable")


@pytest.mark.parametrize(
    ("one", "other", "similar"),
    [
        ("wetter", "wetterbericht", True),
        ("snow", "snowfall", True),
        ("car", "carpet", False),  # three letters are no root
        ("carton", "cartoon", True),  # though they are none: only letters are compared
        ("abroad", "absent", False),
    ],
)
def test_a_root_has_four_letters_and_most_of_the_shorter_stem(one, other, similar):
    assert bool(root_similarity(one, other)) == similar


def test_accents_don_t_count():
    assert strip_accents("Zürich São Tōkyō") == "Zurich Sao Tokyo"
