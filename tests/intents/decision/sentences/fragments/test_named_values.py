"""A value beside the name of a thing needs no verb, nor one that says much."""

from __future__ import annotations

import pytest

from tests.intents.decision.sentences.homes import talk

pytest.importorskip("home_assistant_intents")


@pytest.mark.parametrize(
    ("language", "text", "answer"),
    [
        ("en", "heating to 21", "HassClimateSetTemperature name=heating temperature=21"),
        ("en", "the heating to 21", "HassClimateSetTemperature name=heating temperature=21"),
        ("en", "heating 21 degrees", "HassClimateSetTemperature name=heating temperature=21"),
        ("en", "turn the heating to 21", "HassClimateSetTemperature name=heating temperature=21"),
        ("en", "fan 40 percent", "HassFanSetSpeed name=fan percentage=40"),
        ("de", "mach die Heizung auf 20", "HassClimateSetTemperature name=Heizung temperature=20"),
        ("de", "dreh die Heizung auf 22 Grad",
         "HassClimateSetTemperature name=Heizung temperature=22"),
        ("fr", "la lampe à 30", "HassLightSet brightness=30 name=lampe"),
        ("es", "lámpara al 30", "HassLightSet brightness=30 name=lámpara"),
    ],
)  # fmt: skip
def test_a_thing_and_its_value_are_a_command(language: str, text: str, answer: str) -> None:
    assert talk(text, language=language) == [answer]


@pytest.mark.parametrize(
    "text",
    [
        "radio 4",
        "is the heating at 21",
        "why is the fan at 40",
        "turn off the heating at 21",
        "lock the front door at 10",
    ],
)
def test_what_says_something_else_sets_no_value(text: str) -> None:
    assert talk(text)[0].startswith("no intent")


def test_a_number_after_a_question_sets_what_was_asked_for() -> None:
    texts = "turn on the lights in the bedroom", "how warm is it in the bedroom", "make it 21"
    assert talk(*texts)[-1] == "HassClimateSetTemperature area=Bedroom temperature=21"


def test_a_place_goes_on_with_no_earlier_command_for_other_things() -> None:
    texts = "set the heating to 21", "turn on the tv", "and in the kitchen"
    assert "temperature" not in talk(*texts)[-1]
