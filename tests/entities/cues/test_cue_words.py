"""The cue phrases of a language: those of its tables, and those that a model adds."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from anaphora.core.utterance import Utterance
from anaphora.entities.cues import cue_words
from anaphora.entities.cues.cue import Cue
from anaphora.entities.cues.cue_finder import find_cues
from anaphora.entities.cues.cue_words import load_cue_words
from anaphora.entities.languages import languages_with, load_table
from tests.entities.cues.cue_phrases import utterance_of


def cues_in(
    text: str, language: str = "en", added: dict[str, list[str]] | None = None
) -> list[tuple[str, str]]:
    utterance, _ = utterance_of(language, text)
    found = find_cues(utterance, load_cue_words(language, added or {}))
    return [(cue.kind, cue.value) for cue in found]


def test_the_languages_of_dates_have_cues():
    written = "ar de en es fr he it ja ko nl pl pt ru tr uk zh"
    assert " ".join(sorted(languages_with("cues"))) == written


@pytest.mark.parametrize("language", languages_with("cues"))
def test_every_key_of_a_table_is_known(language):
    plain = {*cue_words._SECTIONS, *cue_words._LAST_SECTIONS}
    table = load_table(language, "cues")
    written = {"macros", "prefixes", "plain_letters"}
    choices = {"ordinals", "numbered", "factors", "comparison"}
    assert table.keys() <= plain | choices | written
    for section in plain & table.keys():
        if isinstance(table[section], dict):
            assert table[section].keys() <= {*cue_words._POSITIONS, *cue_words._SIDES}, section


def test_a_model_adds_words_of_its_own():
    assert cues_in("righty ho") == []
    added = {"accept": ["righty ho"], "thing": ["the {whatsit|thingummy}"]}
    assert cues_in("righty ho", added=added) == [("accept", "")]
    assert cues_in("book the whatsit", added=added) == [("accept", ""), ("reference", "thing")]


def test_an_added_word_goes_before_those_of_the_tables():
    assert cues_in("great", added={"decline": ["great"]}) == [("decline", "")]


def test_the_words_of_a_language_are_loaded_once():
    assert load_cue_words("en") is load_cue_words("en-GB")


def test_a_language_without_a_table_knows_what_says_yes_everywhere():
    assert cues_in("OK", "sv") == [("accept", "")]
    assert cues_in("utan lök", "sv") == []


def test_a_conjunction_may_be_written_as_one_with_a_cue():
    assert ("negate", "") in cues_in("وبدون بصل", "ar")
    assert ("ordinal", "") in cues_in("והשני", "he")
    assert cues_in("وقت", "ar") == []  # it only begins like a conjunction


def test_cues_are_found_without_the_marks_of_their_letters():
    assert cues_in("yarin degil", "tr") == [("negate", "")]
    assert cues_in("mialem na mysli", "pl") == [("correct", "")]
    assert cues_in("ja", "pl") == [("filler", "")]  # I, and no "ją"


def test_the_tokens_of_a_cue_in_two_parts_are_those_of_both():
    utterance, _ = utterance_of("en", "take the onions off")
    assert find_cues(utterance, load_cue_words("en")) == (Cue("negate", (0, 3), "remove"),)


def test_them_is_persons_or_things():
    assert cues_in("call them") == [("reference", "thing"), ("reference", "person")]


def test_a_text_without_words_has_no_cues():
    for text in ("", "   ", "?!", "…"):
        assert find_cues(Utterance(text, "en", ()), load_cue_words("en")) == ()


def test_long_texts_have_cues_too():
    text = "no onions, " * 500
    assert len(cues_in(text)) == len(re.findall("no", text))


def test_phrases_compiled_with_the_texts_that_need_them_are_those_of_any_other_order():
    texts = ["no, take the first one", "that's fine", "that's not it", "take it off", "no way"] * 3
    expected = [sorted(map(repr, load_cue_words("en").read(text)[1])) for text in texts]
    words = load_cue_words("en", {"thing": ["the thingummy"]})  # compiles phrases of its own
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda text: words.read(text)[1], reversed(texts)))
    assert [sorted(map(repr, matches)) for matches in reversed(found)] == expected


def test_an_added_filler_goes_behind_the_other_sections_and_a_count_begins_a_phrase():
    added = {"filler": ["great", "# whatsits"], "decline": ["# thingummies"]}
    assert cues_in("great", added=added)[0] == ("accept", "")
    assert ("decline", "") in cues_in("3 thingummies", added=added)
