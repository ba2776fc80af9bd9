"""A number alone is the value that the thing takes which is named with it."""

from __future__ import annotations

import pytest

from tests.intents.decision.sentences.homes import said, talk

pytest.importorskip("home_assistant_intents")


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("set the heating to 21", "HassClimateSetTemperature name=heating temperature=21"),
        ("set the radio to 20", "HassSetVolume name=radio volume_level=20"),
        ("dim the kitchen lights to 30", "HassLightSet area=Kitchen brightness=30 domain=light"),
        ("set the lamp to 30", "HassLightSet brightness=30 name=lamp"),
    ],
)
def test_a_number_is_for_what_is_named_and_not_for_what_was_meant_last(
    text: str, answer: str
) -> None:
    assert talk("set the heating to 19", "set the lamp to 40 percent", text)[2] == answer


@pytest.mark.parametrize(
    ("language", "text", "answer"),
    [
        ("de", "stell das Radio auf 30", "HassSetVolume name=Radio volume_level=30"),
        ("fr", "mets la lampe à 30", "HassLightSet brightness=30 name=lampe"),
        ("nl", "zet de lamp op 30", "HassLightSet brightness=30 name=lamp"),
        ("es", "pon la lámpara al 30", "HassLightSet brightness=30 name=lámpara"),
    ],
)
def test_a_number_needs_no_unit_in_other_languages(language: str, text: str, answer: str) -> None:
    assert talk(text, language=language) == [answer]


def test_a_number_out_of_range_is_none_for_the_named_thing_either() -> None:
    assert talk("stelle die Lampe auf 300", language="de") == [
        "Das liegt nicht im Bereich. Möglich: 0–100."
    ]


def test_the_heating_takes_a_temperature() -> None:
    assert talk("stell die Heizung auf 21", language="de") == [
        "HassClimateSetTemperature name=Heizung temperature=21"
    ]


def test_a_number_alone_is_no_temperature_of_the_room_after_the_lights() -> None:
    texts = "@Küche: mach das Licht an", "@Küche: auf 30", "@Küche: nein, 40"
    answers = talk(*texts, language="de")
    assert answers[2] == "HassLightSet area=Küche brightness=40 domain=light"


@pytest.mark.parametrize(
    ("language", "question", "texts"),
    [
        (
            "en",
            "what's the temperature in the bedroom",
            ("a bit more", "higher", "up", "less", "down"),
        ),
        ("de", "wie warm ist es im Schlafzimmer", ("mehr", "höher", "weniger")),
        ("fr", "quelle est la température de la chambre", ("plus haut", "un peu plus", "moins")),
        ("pl", "jaka jest temperatura w sypialnia", ("więcej", "mniej")),
    ],
)
def test_a_step_after_a_question_changes_nothing_else(
    language: str, question: str, texts: tuple[str, ...]
) -> None:
    for text in texts:
        asked, answer = talk(question, text, language=language)
        assert asked.startswith("HassClimateGetTemperature")
        assert not answer.startswith("Hass")


def test_a_step_after_a_question_changes_the_thing_that_was_asked_about() -> None:
    answer = talk("turn on the radio", "up")[1]
    assert answer == "HassSetVolumeRelative name=radio volume_step=up"


def test_the_answer_says_the_direction_of_a_change() -> None:
    for text, answer in (
        ("ciszej", "Zmniejszono głośność"),
        ("ciszej o 10", "Zmniejszono głośność"),
        ("głośniej", "Zwiększono głośność"),
        ("trochę głośniej", "Zwiększono głośność"),
    ):
        assert said("włącz radio", text, language="pl") == answer
    assert said("włącz radio", "głośniej", "cofnij to", language="pl") == "Zmniejszono głośność"
