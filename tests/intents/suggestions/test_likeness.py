"""How much two spellings have in common."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphora.intents.suggestions.likeness import plain_letters, root, spelling

words = st.text(st.characters(categories=["L"]), min_size=1, max_size=12)


@given(words, words)
def test_a_similarity_is_the_same_either_way_and_a_share(one, other):
    assert spelling(one, other) == spelling(other, one)
    assert 0 <= spelling(one, other) <= 1
    assert root(one, other) == root(other, one)
    assert 0 <= root(one, other) <= 1


@given(words)
def test_a_word_is_wholly_like_itself(word):
    assert spelling(word, word) == 1


def test_another_first_letter_makes_words_less_alike():
    assert spelling("table", "tabla") > spelling("table", "cable")


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
    assert bool(root(one, other)) == similar


def test_accents_don_t_count():
    assert plain_letters("Zürich São Tōkyō") == "Zurich Sao Tokyo"
