"""The terms by which texts are found, in many languages."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphora.ltm.retrieval.terms import analyze_words, extract_terms

ANY_LANGUAGE = st.sampled_from(["en", "de", "ru", "zh", "ja", "th", "tr", "pt-BR", "xx", ""])


def test_forms_of_a_word_are_one_term():
    assert extract_terms("Paintings") == extract_terms("painting") == extract_terms("PAINTING")
    assert extract_terms("went") == extract_terms("Goes")
    assert extract_terms("погода", "ru") == extract_terms("погоде", "ru")
    assert extract_terms("Häuser", "de") == extract_terms("Hauses", "de")


def test_terms_keep_order_and_repetitions():
    assert extract_terms("To be, or not to be?") == ("to", "be", "or", "not", "to", "be")


@pytest.mark.parametrize(
    ("written", "otherwise", "language"),
    [
        ("СІМ’Я", "сім'я", "uk"),
        ("IŞIK", "ışık", "tr"),
        ("İstanbul", "istanbul", "tr"),
        ("U.S.A.", "USA", "en"),
        ("ｗｅａｔｈｅｒ ２０２６", "weather 2026", "en"),
        ("Straße", "STRASSE", "de"),
        ("ёлка", "елка", "ru"),
        ("cafe\u0301", "café", "fr"),
        ("東京タワー", "東京ﾀﾜｰ", "ja"),
    ],
)
def test_spellings_of_a_word_are_one_term(written, otherwise, language):
    assert extract_terms(written, language) == extract_terms(otherwise, language)


@pytest.mark.parametrize(
    ("written", "otherwise", "language"),
    [
        ("Málaga", "malaga", "es"),
        ("Müller", "mueller", "de"),
        ("Müller", "muller", "de"),
        ("p\u00e3o", "pao", "pt"),
        ("çok", "cok", "tr"),
        ("e-mail", "email", "en"),
    ],
)
def test_a_word_is_found_by_another_spelling_and_finds_it(written, otherwise, language):
    for indexed, searched in ((written, otherwise), (otherwise, written)):
        known = {
            term for one in analyze_words(indexed, language) for term in (one.key, *one.index_terms)
        }
        asked = {
            term
            for one in analyze_words(searched, language)
            for term in (one.key, *one.query_terms)
        }
        assert known & asked


def test_further_terms_are_distinct():
    for one in analyze_words("The leaves of the U.S.A. e-mail won't leave Málaga"):
        for further in (one.index_terms, one.query_terms):
            assert len({one.key, *further}) == 1 + len(further)


def test_vowel_signs_are_kept():
    assert extract_terms("किताब", "mr") != extract_terms("कतब", "mr")
    assert extract_terms("เมือง", "th")


def test_parts_of_unspaced_words_are_found():
    for language, sentence, part in (
        ("zh", "明天东京的天气怎么样？", "天气"),
        ("ja", "明日の東京の天気は？", "東京"),
        ("th", "พรุ่งนี้อากาศเป็นอย่างไร", "อากาศ"),
        ("ko", "내일 서울의 날씨는?", "날씨"),
    ):
        assert set(extract_terms(part, language)) <= set(extract_terms(sentence, language)), (
            sentence
        )
        assert extract_terms(part, language)


def test_a_single_han_letter_finds_the_words_that_have_it():
    assert set(extract_terms("猫", "zh")) <= set(extract_terms("我的猫很可爱", "zh"))


def test_latin_words_within_chinese_are_words():
    assert "python" in extract_terms("我喜欢Python语言", "zh")


def test_regions_are_ignored_and_unknown_languages_use_whole_words():
    assert extract_terms("runs", "en-GB") == extract_terms("runs", "en_US") == ("run",)
    assert extract_terms("Running runs", "xx") == ("running", "runs")


def test_an_empty_language_means_the_default_one():
    assert extract_terms("running", "") == extract_terms("running")


@pytest.mark.parametrize(
    ("written", "otherwise"),
    [
        ("LH454", "LH-454"),
        ("LH454", "LH 454"),
        ("1250", "1,250.00"),
        ("1250", "1.250,00"),
        ("1250", "1'250"),
        ("1250", "1\u00a0250"),
        ("1250", "1250.00"),
        ("1250.50 €", "1.250,5 €"),
        ("1 250,50 €", "1250,50 €"),
        ("1250000", "1,250,000"),
        ("125000", "1,25,000"),
        ("0.5", "0,50"),
        ("👍", "👍🏽"),
        ("❤", "❤️"),
        ("C++", "c++"),
    ],
)
def test_spellings_of_codes_and_amounts_are_the_same_terms(written, otherwise):
    assert extract_terms(written) == extract_terms(otherwise)


@pytest.mark.parametrize(
    ("written", "otherwise"),
    [
        ("+1 (650) 253-0000", "1-650-253-0000"),
        ("+1 (650) 253-0000", "16502530000"),
        ("+1 650 253 0000", "650.253.0000"),
        ("6502530000", "253-0000"),
        ("+49 (0)30 1234567", "030/1234567"),
        ("0049 30 1234567", "+49301234567"),
        ("my number is 555 12 34 567", "5551234567"),
    ],
)
def test_a_telephone_number_is_found_in_any_grouping(written, otherwise):
    long = {term for term in extract_terms(otherwise) if len(term) >= 7}
    assert long & {term for term in extract_terms(written) if len(term) >= 7}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("C++", "C#"),
        ("C++", "C"),
        (".NET", "net"),
        ("👍", "👎"),
        ("🇩🇪", "🇫🇷"),
        ("€", "$"),
        ("1.5", "15"),
    ],
)
def test_different_signs_are_different_terms(one, other):
    assert set(extract_terms(one)) - set(extract_terms(other))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("C++ and C#", ("c++", "c", "and", "c#", "c")),
        ("C++17", ("c++", "c", "17")),
        ("a+b", ("a", "b")),
        ("flight LH-454", ("flight", "lh454", "lh", "454")),
        ("covid19", ("covid19",)),
        ("COVID-19", ("covid19", "covid", "19")),
        ("a3f9b2c7", ("a3f9b2c7",)),
        ("at 5pm on the 8th", ("at", "5pm", "5", "pm", "on", "the", "8th", "8", "th")),
        ("on 08.11.2026", ("on", "08", "11", "2026")),
        ("2026-11-08", ("2026", "11", "08")),
        ("Python 3.11.7", ("python", "3", "11", "7")),
        ("at 10:30", ("at", "10", "30")),
        ("see you.", ("see", "you")),
        ("$1,250.00!", ("$", "1250")),
        ("well said 👍🏽👍", ("well", "say", "👍", "👍")),
        ("state-of-the-art", ("state", "of", "the", "art")),
    ],
)
def test_codes_and_symbols_have_terms(text, found):
    assert extract_terms(text) == found


@given(st.text() | st.text("ab1 .,-+#()😀é0"), ANY_LANGUAGE)
def test_terms_of_any_text_are_deterministic_and_not_empty(text, language):
    found = extract_terms(text, language)
    assert found == extract_terms(text, language)
    assert all(term and not term.isspace() for term in found)


@given(st.text() | st.text("a1 .-+#("), st.text() | st.text("a1 .-+#("), ANY_LANGUAGE)
def test_a_text_of_two_parts_has_the_terms_of_both(first, second, language):
    whole = extract_terms(f"{first}\n{second}", language)
    assert whole == extract_terms(first, language) + extract_terms(second, language)


def test_threads_do_not_mix_up_their_stems():
    words = [f"painting{'s' * (number % 2)} number{number}" for number in range(300)]
    alone = [extract_terms(text) for text in words]
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(extract_terms, words)) == alone
