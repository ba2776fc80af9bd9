"""A value out of range is refused, and the range is said."""

from __future__ import annotations

import pytest

from tests.intents.decision.sentences.homes import talk

pytest.importorskip("home_assistant_intents")


@pytest.mark.parametrize(
    ("texts", "answer"),
    [
        (("set the heating to 999999 degrees",), "That is out of range. Possible: 0–100."),
        (("set the lamp to 300 percent",), "That is out of range. Possible: 0–100."),
        (("set the volume of the tv to 400",), "That is out of range. Possible: 0–100."),
        (("set a timer for 99999 hours",), "That is out of range. Possible: 1–100."),
        (("set the heating to 21 degrees", "999999"), "That is out of range. Possible: 0–100."),
        (
            ("set the heating to 21 degrees", "no, 19", "set the heating to 300"),
            "That is out of range. Possible: 0–100.",
        ),
        (("set the lamp to 50 percent", "300"), "That is out of range. Possible: 0–100."),
    ],
)
def test_a_value_out_of_range(texts: tuple[str, ...], answer: str) -> None:
    assert talk(*texts)[-1] == answer


@pytest.mark.parametrize(
    "texts",
    [
        ("300 percent of people agree",),
        ("there are 999999 lamps",),
        ("set the heating to 21 degrees", "half of that"),
        ("is the front door locked", "999999"),
    ],
)
def test_what_sets_nothing_has_no_range(texts: tuple[str, ...]) -> None:
    answer = talk(*texts)[-1]
    assert "out of range" not in answer
    assert not answer.startswith("Hass")


def test_a_command_with_a_number_does_not_repeat_a_question() -> None:
    answers = talk("is the front door locked", "put the heating on 21")
    assert not answers[-1].startswith("HassGetState")


def test_the_range_in_german() -> None:
    answers = talk("stell die Lampe auf 300 Prozent", language="de")
    assert answers == ["Das liegt nicht im Bereich. Möglich: 0–100."]


@pytest.mark.parametrize("text", ["nie wyłączaj radia", "nie wyłączaj radio", "nie włącz lampa"])
def test_a_verb_is_negated_in_a_language_without_words_for_yes_and_no(text: str) -> None:
    answers = talk("włącz radio", text, language="pl")
    assert answers[0] == "HassTurnOn name=radio"
    assert not answers[1].startswith("Hass")
    assert talk("nie, wyłącz radio", language="pl") == ["HassTurnOff name=radio"]
