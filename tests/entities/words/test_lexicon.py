from __future__ import annotations

import pytest

from anaphora.entities.tokens.tokenizers import blank
from anaphora.entities.words.lexicon import Lexicon
from anaphora.entities.words.normalization import base_code, create_normalizer, create_stemmer
from anaphora.errors import ModelError


def one(language: str, text: str):
    return Lexicon(language).words([text])[0]


@pytest.mark.parametrize(
    ("language", "written", "compared"),
    [
        ("en", "TOKYO", "tokyo"),
        ("en", "don’t", "don't"),
        ("en", "Ｔｏｋｙｏ", "tokyo"),
        ("en", "\u200fTokyo\u200e", "tokyo"),
        ("en", "Tokyo\ufe0f", "tokyo"),
        ("de", "STRASSE", create_normalizer("de")("Straße")),
        ("ru", "Ещё", "еще"),
        ("ru", "за́мок", "замок"),
        ("tr", "ISPARTA", "ısparta"),
        ("tr", "İstanbul", "istanbul"),
        ("fr", "e\u0301te\u0301", "été"),
    ],
)
def test_words_are_compared_without_case_and_spelling_variants(language, written, compared):
    assert one(language, written).lower == compared


@pytest.mark.parametrize(
    ("language", "some", "other"),
    [("en", "forecasts", "forecast"), ("ru", "продажах", "продажи"), ("fr", "lampes", "lampe")],
)
def test_forms_of_one_word_have_one_stem(language, some, other):
    assert one(language, some).stem == one(language, other).stem
    assert one(language, some).form != one(language, other).form


def test_a_language_without_a_stemmer_compares_by_text():
    assert create_stemmer("xx")(["houses"]) == ["houses"]
    assert one("vi", "houses").stem == "houses"


@pytest.mark.parametrize("text", ["the", "The", ",", "...", " ", "\n", "🙂", "☂️", "€", "-", "’s"])
def test_stop_words_punctuation_and_symbols_are_not_free(text):
    assert not one("en", text).is_content_word


@pytest.mark.parametrize("text", ["weather", "Tokyo", "42", "東京", "3rd"])
def test_other_words_are_free(text):
    assert one("en", text).is_content_word


def test_the_lexicon_keeps_at_most_two_generations():
    lexicon = Lexicon("en", size=10)
    for number in range(1000):
        lexicon.words([f"word{number}", "often"])
        assert len(lexicon) <= 20
    word = lexicon.words(["often"])[0]
    lexicon.words([f"other{number}" for number in range(9)])
    assert lexicon.words(["often"])[0] is word


def test_very_long_words_are_not_cached():
    lexicon = Lexicon("en")
    word = lexicon.words(["x" * 100_000])[0]
    assert len(word.lower) == 100_000
    assert len(lexicon) == 0


@pytest.mark.parametrize(("code", "is_"), [("en-US", "en"), ("EN_gb", "en"), ("no", "nb")])
def test_regional_codes_stand_for_their_language(code, is_):
    assert base_code(code) == is_
    assert blank(code).lang == is_


@pytest.mark.parametrize("code", ["qq", "", "../etc", "klingon", "e n"])
def test_an_unknown_language_is_an_error_in_plain_words(code):
    with pytest.raises(ModelError, match="not a language that spaCy knows"):
        blank(code)


def test_a_language_whose_package_is_missing_says_which(monkeypatch):
    def missing(code, **more):
        raise ImportError(f"{code} support requires\n  SomePackage")

    monkeypatch.setattr("spacy.blank", missing)
    with pytest.raises(ModelError, match="'ja' needs a package") as caught:
        blank("ja")
    assert "pip install 'anaphora[japanese]'" in caught.value.hint
    with pytest.raises(ModelError, match="'lb' needs a package") as caught:
        blank("lb")
    assert caught.value.hint == "lb support requires SomePackage"
