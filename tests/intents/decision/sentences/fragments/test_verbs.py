"""A command does what its own verb says, or nothing: never what the one before it did."""

from __future__ import annotations

import pytest

from tests.intents.decision.sentences.homes import said, talk

pytest.importorskip("home_assistant_intents")


@pytest.mark.parametrize(
    ("language", "off", "on"),
    [
        ("en", "turn off the radio", "turn on the light"),
        ("en", "turn off the radio", "light on"),
        ("en", "turn off the radio", "the light on please"),
        ("en", "turn off the radio", "unlock the light"),
        ("en", "turn off the lights in the kitchen", "unlock the hall"),
        ("de", "schalte das Radio aus", "schalte das Licht ein"),
        ("de", "schalte das Radio aus", "mach mal das Licht an"),
        ("fr", "éteins la radio", "allume la lumière"),
        ("es", "apaga la radio", "enciende la luz"),
        ("it", "spegni la radio", "accendi la luce"),
        ("nl", "zet de radio uit", "doe het licht aan"),
        ("pl", "wyłącz radio", "włącz światło"),
    ],
)
def test_a_verb_is_never_inverted(language: str, off: str, on: str) -> None:
    answers = talk(off, on, language=language)
    assert answers[0].startswith("Hass")
    assert not answers[1].startswith("HassTurnOff")


@pytest.mark.parametrize(
    ("texts", "never"),
    [
        (("close the left blind", "turn on the heater", "open the blind"), "HassTurnOff"),
        (("close the left blind", "open the right one"), "HassTurnOff"),
        (("close the left blind", "the right one open"), "HassTurnOff"),
        (
            ("turn off the lights in the kitchen", "do not unlock the front door", "light on"),
            "HassTurnOff",
        ),
    ],
)
def test_a_verb_is_not_that_of_the_last_command(texts: tuple[str, ...], never: str) -> None:
    assert not talk(*texts)[-1].startswith(never)


def test_a_verb_may_be_for_the_place_of_another_command() -> None:
    off = "turn off the lights in the kitchen"
    assert talk(off, "turn on the bedroom")[1] == "HassTurnOn area=Bedroom domain=light"
    assert talk(off, "and in the hall")[1] == "HassTurnOff area=Hall domain=light"
    assert talk("close the left blind", "the right one")[1] == "HassTurnOff name=right blind"


@pytest.mark.parametrize(
    ("language", "texts"),
    [
        ("en", ("turn on the lamp", "the boiler to 22")),
        ("en", ("turn on the lamp", "the freezer to 80")),
        ("de", ("schalte die Lampe ein", "den Boiler auf 22")),
        ("fr", ("allume la lampe", "le chauffage à 22")),
        ("it", ("accendi la lampada", "il forno a 80")),
        ("nl", ("zet de lamp aan", "de oven op 80")),
        ("pl", ("włącz lampa", "ogrzewanie na 22")),
    ],
)
def test_a_value_for_what_the_home_lacks_is_set_nowhere(
    language: str, texts: tuple[str, ...]
) -> None:
    answers = talk(*texts, language=language)
    assert answers[0].startswith("HassTurnOn name=")
    assert not answers[1].startswith("Hass")


def test_a_verb_with_a_value_is_no_name_of_another_thing() -> None:
    on = "set the lamp to 50 percent"
    assert talk(on, "dim it to 20")[1] == "HassLightSet brightness=20 name=lamp"


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("the left one 20", "HassSetPosition name=left blind position=20"),
        ("the right one to 30", "HassSetPosition name=right blind position=30"),
        ("put the left one at 40", "HassSetPosition name=left blind position=40"),
    ],
)
def test_a_value_for_one_of_two_things_is_for_it_alone(text: str, answer: str) -> None:
    texts = "open the left blind", "and the right one", "both 50"
    assert talk(*texts, text)[-1] == answer


@pytest.mark.parametrize(
    "text",
    [
        "close the left blind, no, the right one",
        "lights off except the lamp",
        "light on, no, the heating",
    ],
)
def test_a_command_that_leaves_something_out_is_no_plain_no(text: str) -> None:
    texts = "turn off the tv and the oven", text
    assert "not that then" not in said(*texts)
    assert "Not undone" not in said(*texts)
    answers = talk(*texts, "the rest")
    if not answers[1].startswith("Hass"):
        assert answers[2] == "HassTurnOff name=oven"


def test_a_verb_before_not_is_denied() -> None:
    both = "öffne die Haustür und die Hintertür"
    answers = talk(both, "öffne die Hintertür nicht", "ja", language="de")
    assert not any("Hintertür" in one for one in answers[1:] if one.startswith("Hass"))
