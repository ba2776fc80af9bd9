"""Qualifiers such as *not* and *only*: they are never ignored."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphora.entities.pipeline import Pipeline
from anaphora.entities.variants.search import find_variants
from anaphora.entities.words.function_words import load_qualifiers, load_stop_words
from anaphora.entities.words.lexicon import Lexicon
from anaphora.models.domain import StopWords
from tests.entities.helpers.model_builders import element, model

MONEY = element("money", "euros")
SEND = element("send", "send")


def free(text: str, *elements, language: str = "en", **more) -> list[str]:
    utterance = Pipeline(model(*elements, languages=(language,), **more))(text)
    (best, *_) = find_variants(utterance)
    covered = {token for entity in best.entities for token in entity.tokens}
    assert best.uncovered == len(set(utterance.content_words) - covered)
    return [utterance.tokens[i].text for i in utterance.content_words if i not in covered]


@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        ("en", "do not send, don't, dont, never, cannot", ["not", "n't", "nt", "never", "not"]),
        ("en", "no one, nobody, neither, nor, none", ["no", "nobody", "neither", "nor", "none"]),
        ("en", "without, except, only, all, may", ["without", "except", "only", "all", "may"]),
        ("fr", "ne pas, n'est jamais, rien, sans, sauf, seulement",
         ["ne", "pas", "n'", "jamais", "rien", "sans", "sauf", "seulement"]),
        ("de", "nicht, keine, ohne, außer, nur, weder noch",
         ["nicht", "keine", "ohne", "außer", "nur", "weder"]),
        ("es", "no, nunca, sin, salvo, solo", ["no", "nunca", "sin", "salvo", "solo"]),
        ("it", "non, mai, senza, tranne, solo", ["non", "mai", "senza", "tranne", "solo"]),
        ("pt", "não, nunca, sem, exceto, apenas", ["não", "nunca", "sem", "exceto", "apenas"]),
        ("nl", "niet, geen, zonder, behalve", ["niet", "geen", "zonder", "behalve"]),
        ("pl", "nie, bez, oprócz, tylko, nigdy", ["nie", "bez", "oprócz", "tylko", "nigdy"]),
        ("cs", "ne, není, bez, kromě, jen", ["ne", "není", "bez", "kromě", "jen"]),
        ("ru", "не, нет, без, кроме, только, никогда, всё",
         ["не", "нет", "без", "кроме", "только", "никогда", "всё"]),
        ("uk", "не, ні, без, крім, лише", ["не", "ні", "без", "крім", "лише"]),
        ("da", "ikke, uden, undtagen, kun", ["ikke", "uden", "undtagen", "kun"]),
        ("sv", "inte, utan, utom, bara", ["inte", "utan", "utom", "bara"]),
        ("nb", "ikke, uten, unntatt, bare", ["ikke", "uten", "unntatt", "bare"]),
        ("fi", "ei, en, ilman, paitsi, vain", ["ei", "en", "ilman", "paitsi", "vain"]),
        ("hu", "nem, nincs, nélkül, csak", ["nem", "nincs", "nélkül", "csak"]),
        ("tr", "değil, hiç, yok, sadece", ["değil", "hiç", "yok", "sadece"]),
        ("el", "δεν, μη, χωρίς, εκτός, μόνο", ["δεν", "μη", "χωρίς", "εκτός", "μόνο"]),
        ("he", "לא בלי רק", ["לא", "בלי", "רק"]),
        ("ar", "لا لم بدون إلا فقط", ["لا", "لم", "بدون", "إلا", "فقط"]),
        ("fa", "نه بدون جز فقط", ["نه", "بدون", "جز", "فقط"]),
        ("hi", "नहीं मत बिना", ["नहीं", "मत", "बिना"]),
        ("zh", "不没只除", ["不", "没", "只", "除"]),
        ("id", "tidak jangan tanpa kecuali", ["tidak", "jangan", "tanpa", "kecuali"]),
        ("vi", "không chỉ", ["không", "chỉ"]),
    ],
)  # fmt: skip
def test_words_that_turn_or_bound_the_sense_are_content_words(
    language: str, text: str, words: list[str]
) -> None:
    said = free(text, SEND, language=language)
    assert [word for word in said if word in words] == words


def test_the_rest_of_a_contracted_verb_is_no_content_word() -> None:
    assert free("I won't send it, wont, shan't, cant", SEND) == ["n't", "nt", "n't", "nt"]


def test_other_stop_words_still_mean_nothing() -> None:
    assert free("please send it to me with the euros", SEND, MONEY) == []


@given(st.sampled_from(["en", "de", "fr", "es", "ru", "he", "tr", "hi"]), st.data())
def test_each_word_of_a_table_is_a_content_word(language, data) -> None:
    word = data.draw(st.sampled_from(sorted(load_qualifiers(language))))
    assert Lexicon(language).word(word).is_content_word
    assert load_qualifiers(language) & load_stop_words(language)


def test_the_model_decides_what_a_stop_word_is() -> None:
    stops = StopWords(additional=frozenset({"not", "please"}), excluded=frozenset({"the"}))
    assert free("do not send the euros", SEND, MONEY, stop_words=stops) == ["the"]


def test_no_such_word_is_passed_over_inside_a_synonym() -> None:
    report = element("report", "status report")
    skipping = StopWords(skipped=True)
    pipeline = Pipeline(model(report, stop_words=skipping))
    assert [str(one) for one in pipeline("the status of the report").entities] == ["report"]
    for text in ("status not report", "status without report", "status only report"):
        assert not pipeline(text).entities


def test_a_word_such_as_all_may_stand_inside_a_synonym_and_is_not_understood() -> None:
    lights = element("off", "switch lights off")
    skipping = StopWords(skipped=True)
    assert free("switch all of the lights off", lights, stop_words=skipping) == ["all"]
    assert free("switch no lights off", lights, stop_words=skipping) == ["switch", "no", "lights"]


# Typos


@pytest.mark.parametrize("text", ["never", "only", "none", "nothing", "without", "every", "except"])
def test_a_qualifier_is_never_a_typo_of_another_word(text: str) -> None:
    words = ["fever", "oily", "bone", "northing", "witout", "ever", "expect"]
    assert free(text, element("it", *words, typos=1)) == [text]


@pytest.mark.parametrize("text", ["fever", "lever", "oily", "note", "bone"])
def test_no_word_is_a_typo_of_a_short_qualifier(text: str) -> None:
    assert free(text, element("it", "never", "only", "none", "not", typos=1)) == [text]


def test_a_long_qualifier_may_be_misspelt() -> None:
    assert free("witout parking", element("it", "without parking", typos=1)) == []


# Which language it is


def test_qualifiers_are_not_foreign_in_their_own_language() -> None:
    both = model(
        element("send", "send", language="en"),
        element("senden", "senden", language="de"),
        languages=("en", "de"),
    )
    pipeline = Pipeline(both)
    assert pipeline("never without all of them", preferred="de").language == "en"
    assert pipeline("niemals ohne alle", preferred="en").language == "de"
