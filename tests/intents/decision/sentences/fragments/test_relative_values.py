"""A number with a sign, or after a word of amounts, changes a value by it."""

from __future__ import annotations

import pytest

from tests.intents.decision.sentences.homes import talk

pytest.importorskip("home_assistant_intents")


@pytest.mark.parametrize("text", ["+1", "+ 1", "plus 1"])
def test_a_number_with_a_plus_is_added(text: str) -> None:
    assert talk("set the heating to 21", text)[1] == (
        "HassClimateSetTemperature name=heating temperature=22"
    )


def test_a_number_with_a_plus_is_added_in_other_languages() -> None:
    answer = talk("stell die Heizung auf 21", "+2", language="de")[1]
    assert answer == "HassClimateSetTemperature name=Heizung temperature=23"
    answer = talk("mets la lampe à 30", "+5", language="fr")[1]
    assert answer == "HassLightSet brightness=35 name=lampe"


@pytest.mark.parametrize(
    ("language", "texts"),
    [
        ("en", ("set the heating to 21", "by 2")),
        ("en", ("set the radio to 30", "by 5")),
        ("en", ("set the radio to 30", "by five")),
        ("de", ("stell das Radio auf 30", "um 5")),
        ("fr", ("mets la lampe à 30", "de 5")),
        ("pl", ("ustaw jasność lampa na 30%", "o 5")),
        ("nl", ("zet de lamp op 30", "met 5")),
        ("it", ("imposta la luminosità della lampada al 30%", "di 5")),
        ("es", ("pon la lámpara al 30", "por 5")),
    ],
)
def test_an_amount_without_a_direction_is_refused(language: str, texts: tuple[str, str]) -> None:
    first, answer = talk(*texts, language=language)
    assert first.startswith("Hass")
    assert not answer.startswith("Hass")


def test_an_amount_is_for_the_direction_of_the_last_change() -> None:
    assert talk("set the heating to 21", "warmer", "by 2")[2].endswith("temperature=24")
    assert talk("set the heating to 21", "+1", "by 2")[2].endswith("temperature=24")
    assert talk("set the heating to 21", "cooler", "by 2")[2].endswith("temperature=18")


def test_a_value_with_a_word_of_targets_is_the_value() -> None:
    assert talk("set the heating to 21", "to 2")[1].endswith("temperature=2")


def test_an_amount_is_not_for_another_thing() -> None:
    answer = talk("set the heating to 21", "the radio +1")[1]
    assert "temperature" not in answer
    assert not answer.endswith("=1")


@pytest.mark.parametrize(
    ("language", "text"),
    [("pl", "połowa"), ("pl", "ćwierć"), ("de", "ein Viertel"), ("fr", "un quart")],
)
def test_a_part_of_what_is_not_said_is_no_value(language: str, text: str) -> None:
    first = {
        "pl": "ustaw jasność lampa na 30%",
        "de": "stell die Heizung auf 21",
        "fr": "mets la lampe à 30",
    }[language]
    assert "=0." not in talk(first, text, language=language)[1]
