"""The normal form of names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphora.entities.builtin.places.gazetteer.geonames import read_cities
from anaphora.entities.builtin.places.name_normalization import (
    normalize_name,
    normalize_names,
    split_words,
)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("São Paulo", "sao paulo"),
        ("Saint-Étienne", "saint etienne"),
        ("Xi'an", "xi an"),
        ("Орёл", "орел"),
        ("Йошкар-Ола", "йошкар ола"),
        ("ＴＯＫＹＯ", "tokyo"),
        ("القاهرة", "القاهره"),
        ("東京", "東京"),
        ("...", ""),
    ],
)
def test_case_accents_and_hyphens_make_no_difference(name, key):
    assert normalize_name(name) == key


def test_names_are_normalized_in_bulk_as_one_by_one():
    names: list[str] = []
    read_cities(15_000, lambda city: names.extend((city["name"], *city["alternatenames"])))
    some = names[::7]
    for own in (
        [name for name in some if name.isascii()],
        [name for name in some if not name.isascii()],
    ):
        assert normalize_names("\n".join(own)).split("\n") == list(map(normalize_name, own))


TEXTS = st.text(st.characters(exclude_categories=("Cs", "Zl", "Zp", "Cc")), max_size=20)


@given(st.lists(TEXTS, min_size=1, max_size=5))
def test_the_number_of_names_stays_the_same(names):
    assert len(normalize_names("\n".join(names)).split("\n")) == len(names)
    assert [word.surface for word in split_words(" ".join(names))] == [
        word.surface for name in names for word in split_words(name)
    ]


@given(st.text(max_size=60))
def test_offsets_of_words_match_the_text(text):
    for word in split_words(text):
        assert text[word.start : word.end] == word.surface
