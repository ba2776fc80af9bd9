"""Utterances are rewritten as they were meant."""

from __future__ import annotations

import pytest

from anaphora.entities.sentences.input_text import normalize_input
from anaphora.entities.sentences.repairs import Repairs

ENGLISH = "turn on off the lights in kitchen living room of it"
SPANISH = "enciende apaga la luz de cocina"


def forms(text: str, language: str = "en", words: str = ENGLISH) -> list[str]:
    found = Repairs(language, words.split()).rewrite(normalize_input(text), text)
    return [one.text for alike in found for one in alike]


def test_words_that_link_a_command_to_the_last_one_are_dropped() -> None:
    assert "turn off the lights" in forms("No, turn off the lights")
    assert "turn it on" in forms("and turn it back on")


def test_misspelt_words_become_those_of_the_sentences() -> None:
    assert "turn on the lights in the kitchen" in forms("turn on the lihgts in the kichen")
    assert forms("lihgts in the kichen") == ["lights in the kitchen"]
    assert forms("lights in the kitchen") == []


def test_words_of_the_same_sense_replace_each_other_together_and_alone() -> None:
    found = forms("dim it to 20 per cent", words=f"{ENGLISH} set to percent")
    assert found[:3] == ["set it to 20 percent", "set it to 20 per cent", "dim it to 20 percent"]


def test_forms_that_are_as_near_as_each_other_come_together() -> None:
    near = Repairs("en", ["main", "maid", "mailbox", "door"])
    found = near.rewrite(normalize_input("mail door"), "mail door")
    assert [[one.text for one in alike] for alike in found] == [["maid door", "main door"]]


@pytest.mark.parametrize(("language", "text"), [("en", "no tv"), ("es", "no abras la puerta")])
def test_a_no_without_a_comma_may_negate(language: str, text: str) -> None:
    assert Repairs(language, ENGLISH.split()).denies(normalize_input(text), text)


@pytest.mark.parametrize(
    ("language", "text"),
    [("en", "No, the tv"), ("es", "No, abre la puerta"), ("de", "nein"), ("en", "nothing")],
)
def test_a_no_before_a_comma_or_alone_negates_nothing(language: str, text: str) -> None:
    assert not Repairs(language, ENGLISH.split()).denies(normalize_input(text), text)


@pytest.mark.parametrize("text", ["turn on the fights", "trun in", "lghit sof teh kitchn rom oon"])
def test_words_that_begin_otherwise_or_are_short_or_many_stay(text: str) -> None:
    assert "turn on the lights" not in forms(text)


def test_pronouns_are_split_from_verbs() -> None:
    assert "apaga la" in forms("Apágala", "es", SPANISH)
    assert "enciende la" in forms("enciéndela", "es", SPANISH)


def test_positions_are_those_of_the_utterance() -> None:
    text = "No, turn on the lihgts!"
    *_, (last,) = Repairs("en", ENGLISH.split()).rewrite(normalize_input(text), text)
    at = last.text.index("lights")
    first, end = last.original(at), last.original(at + len("lights") - 1) + 1
    assert text[first:end] == "lihgts"


def test_languages_without_a_table_have_their_words_corrected() -> None:
    assert forms("kichen", "sw", "kitchen") == ["kitchen"]
