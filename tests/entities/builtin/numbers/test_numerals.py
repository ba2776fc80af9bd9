"""Numerals in words, held against num2words in each language that it knows."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from num2words import num2words

from anaphora.entities.builtin.atoms import Atom, split_atoms
from anaphora.entities.builtin.numbers.numerals.numeral_reader import Numeral, get_numeral_reader
from anaphora.entities.builtin.numbers.numerals.numeral_vocabulary import load_vocabulary
from anaphora.entities.words.normalization import create_normalizer

CARDINALS = ("en", "fr", "de", "es", "it", "pt", "ru", "uk", "ja", "ar", "he")
# What num2words gives in the others is no language: «пятнадцатый тысяч», quatre-vingtsième.
ORDINALS = ("en", "de", "uk", "ja")


def found_in(text: str, language: str) -> list[Atom]:
    return split_atoms(text, create_normalizer(language))


def read(text: str, language: str) -> list[Numeral]:
    return get_numeral_reader(language).find_in_words(found_in(text, language))


def values(text: str, language: str) -> list[int | Fraction]:
    return [numeral.value for numeral in read(text, language)]


@pytest.mark.parametrize("language", CARDINALS)
@given(number=st.integers(0, 999_999_999) | st.integers(0, 2_000))
def test_a_number_said_is_the_number_read(language: str, number: int) -> None:
    said = num2words(number, lang=language)
    if language == "it" and "dicotto" in said:
        return  # it should be diciotto
    if language == "ar" and ("مليون مليون" in said or "ألف ألف" in said):
        return  # it should be said once
    whole = Numeral(0, len(found_in(said, language)), number)
    assert read(said, language) == [whole]


@pytest.mark.parametrize("language", ORDINALS)
@given(number=st.integers(1, 999_999_999) | st.integers(1, 2_000))
def test_an_ordinal_said_is_the_ordinal_read(language: str, number: int) -> None:
    said = num2words(number, lang=language, to="ordinal")
    whole = Numeral(0, len(found_in(said, language)), number, ordinal=True)
    assert read(said, language) == [whole]


@pytest.mark.parametrize("language", ["ru", "fr", "es", "it", "pt"])
@given(number=st.integers(1, 999))
def test_an_ordinal_below_a_thousand_is_read(language: str, number: int) -> None:
    said = num2words(number, lang=language, to="ordinal")
    if "tsième" in said or "dicott" in said or (language == "it" and number % 100 == 0):
        return  # num2words errs, or cents are hundredths (centesimi)
    assert [(one.value, one.ordinal) for one in read(said, language)] == [(number, True)]


@pytest.mark.parametrize(
    ("language", "text", "value", "is_ordinal"),
    [
        ("ru", "двух", 2, False),
        ("ru", "пятью", 5, False),
        ("ru", "двумястами пятьюдесятью", 250, False),
        ("ru", "третьего", 3, True),
        ("ru", "третью", 3, True),
        ("ru", "двадцатипятитысячный", 25_000, True),
        ("uk", "двадцятип'ятитисячний", 25_000, True),
        ("uk", "пʼять", 5, False),
        ("de", "vierundzwanzigsten", 24, True),
        ("de", "anderthalb", Fraction(3, 2), False),
        ("de", "fuenfundzwanzig", 25, False),
        ("fr", "quatre-vingt-dix-sept", 97, False),
        ("fr", "nonante-sept", 97, False),
        ("it", "ventitre", 23, False),
        ("es", "veintidos", 22, False),
        ("ja", "二百五", 205, False),
        ("zh", "二百五", 250, False),
        ("zh", "两万三", 23_000, False),
        ("zh", "二〇二四", 2024, False),
        ("zh", "三分之二", Fraction(2, 3), False),
        ("en", "two and a half million", 2_500_000, False),
        ("en", "half a million", 500_000, False),
        ("ru", "два с половиной", Fraction(5, 2), False),
        ("ru", "полтора миллиона", 1_500_000, False),
        ("fr", "deux virgule vingt-cinq", Fraction(9, 4), False),
        ("he", "מאה ושתים עשרה", 112, False),
        ("ar", "خمسة وعشرون", 25, False),
    ],
)
def test_inflected_and_composed_forms_are_exact(
    language: str, text: str, value: int | Fraction, is_ordinal: object
) -> None:
    whole = Numeral(0, len(found_in(text, language)), value, ordinal=bool(is_ordinal))
    assert read(text, language) == [whole]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "twenty and five", [20, 5]),
        ("en", "one hundred and two hundred", [100, 200]),
        ("en", "one thousand, five", [1000, 5]),
        ("en", "one thousand, two hundred", [1200]),
        ("en", "two-three", [2, 3]),
        ("ru", "сто двести", [100, 200]),
        ("ru", "два три", [2, 3]),
        ("fr", "vingt et trente", [20, 30]),
        ("es", "veinte y treinta", [20, 30]),
    ],
)
def test_what_does_not_add_up_are_several_numerals(
    language: str, text: str, expected: list[int]
) -> None:
    assert values(text, language) == expected


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "a cat and an apple"),
        ("en", "no one"),
        ("de", "siebenschläfer"),
        ("ru", "пятница и третьяк"),
        ("ja", "一緒に"),
        ("zh", "一起去"),
        ("xx", "two hundred"),
        ("en", ""),
    ],
)
def test_other_words_are_no_numerals(language: str, text: str) -> None:
    assert read(text, language) == []


def test_the_same_reader_serves_a_language_once_more() -> None:
    assert get_numeral_reader("ru") is get_numeral_reader("ru")


@pytest.mark.parametrize("language", [*CARDINALS, "zh"])
@given(words=st.lists(st.sampled_from(range(400)), max_size=12))
def test_any_row_of_number_words_is_read_without_overlap(language: str, words: list[int]) -> None:
    words_of = load_vocabulary(language)
    heads = sorted({" ".join(key) for key in words_of.openers} | words_of.binders)
    text = " ".join(heads[index % len(heads)] for index in words)
    found = read(text, language)
    assert all(one.start < one.end for one in found)
    assert all(one.end <= other.start for one, other in pairwise(found))
