"""A state alone, after a question, is what somebody wants."""

from __future__ import annotations

import pytest

from tests.intents.decision.sentences.homes import talk

pytest.importorskip("home_assistant_intents")


@pytest.mark.parametrize(
    ("language", "question", "state", "answer"),
    [
        ("en", "is the oven on", "off", "HassTurnOff name=oven"),
        ("en", "is the oven on", "off please", "HassTurnOff name=oven"),
        ("en", "is the oven on", "off?", "HassGetState name=oven state=off"),
        ("en", "is the oven on", "and off?", "HassGetState name=oven state=off"),
        ("en", "is the oven on", "and off", "HassGetState name=oven state=off"),
        ("en", "is the front door locked", "unlock", "HassTurnOff name=front door"),
        ("en", "is the oven on", "is it off", "HassGetState name=oven state=off"),
        ("de", "ist die Lampe an", "aus", "HassTurnOff name=Lampe"),
        ("de", "ist die Lampe an", "und aus?", "HassGetState name=Lampe state=off"),
    ],
)
def test_a_state_after_a_question(language: str, question: str, state: str, answer: str) -> None:
    assert talk(question, state, language=language)[1] == answer
