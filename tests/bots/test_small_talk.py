"""What the bundled bots say to what asks for nothing."""

from __future__ import annotations

import pytest

from anaphora.models.catalog import model_names
from tests.bots.dialog import answer, answers

YES_AND_NO = {
    "en": ["yes", "no", "ok", "nope", "yeah"],
    "de": ["ja", "nein", "okay"],
    "ru": ["да", "нет", "ладно"],
    "fr": ["non", "d'accord"],
}
ALL_RIGHT = {
    "All right.",
    "Gut.",
    "In Ordnung.",
    "Хорошо.",
    "Très bien.",
}


@pytest.mark.parametrize("name", model_names())
def test_a_yes_to_nothing_is_met_with_a_short_answer(name):
    assert {answer(name, text) for text in YES_AND_NO["en"]} <= ALL_RIGHT


@pytest.mark.parametrize(
    ("name", "language"), [("alarm", "de"), ("lights", "fr"), ("calculator", "ru"), ("time", "ru")]
)
def test_so_it_is_in_other_languages(name, language):
    assert {answer(name, text) for text in YES_AND_NO[language]} <= ALL_RIGHT


def test_it_is_no_failure_in_a_row():
    said = answers("lights", "sing", "dance", "ok", "yes", "no")
    assert said[2:] == [said[1], said[1], "All right."]  # a yes to a refusal confirms nothing


@pytest.mark.parametrize("name", ["calculator", "restaurant", "lights", "weather"])
def test_thanks_are_answered(name):
    assert answer(name, "thanks") == "You're welcome!"
