"""What is said in another room is about that room."""

from __future__ import annotations

import pytest

from tests.intents.decision.sentences.homes import NAMES, talk

pytest.importorskip("home_assistant_intents")


@pytest.mark.parametrize(
    ("texts", "answer"),
    [
        (("@Hall: turn on the tv", "@Kitchen: louder"), "SetVolumeRelative area=Kitchen"),
        (("@Hall: turn on the tv", "@Hall: louder"), "SetVolumeRelative name=tv"),
        (("@Hall: turn on the tv", "louder"), "SetVolumeRelative name=tv"),
        (("@Hall: turn on the tv", "@Bedroom: louder"), "SetVolumeRelative name=tv"),
        (("@Hall: turn on the tv", "@Kitchen: turn it off"), "TurnOff name=tv"),
        (("@Hall: turn on the radio", "@Kitchen: louder"), "SetVolumeRelative name=radio"),
        (("@Hall: turn on the tv", "@Kitchen: undo that"), "TurnOff name=tv"),
    ],
)
def test_the_room_of_the_speaker_counts(texts: tuple[str, str], answer: str) -> None:
    assert talk(*texts)[1].startswith(f"Hass{answer}")


def test_each_room_goes_on_with_its_own_command() -> None:
    assert talk(
        "@Hall: set the lamp to 40 percent",
        "@Kitchen: turn on the radio",
        "@Hall: brighter",
        "@Kitchen: louder",
    )[2:] == [
        "HassLightSet brightness=50 name=lamp",
        "HassSetVolumeRelative name=radio volume_step=up",
    ]


def test_a_color_is_for_the_lights_of_the_room() -> None:
    home = "@Bedroom: turn on the fan", "@Hall: turn on the lamp", "@Bedroom: turn off the fan"
    assert talk(*home[:2], "@Hall: red")[2] == "HassLightSet color=red name=lamp"


def test_a_value_of_another_room_is_not_known() -> None:
    texts = "turn on the lights in the kitchen", "set the lamp to 40 percent", "brighter"
    rooms = "@Kitchen: ", "@Hall: ", "@Kitchen: "
    answers = talk(*(room + text for room, text in zip(rooms, texts, strict=True)))
    assert answers[2] == "I don't know the present value."


def test_a_room_remembers_its_things() -> None:
    there = "@Küche: mach das Radio an", "@Flur: mach die Lampe an", "@Küche: leiser"
    answers = talk(*there, "@Flur: aus", "@Küche: aus", language="de")
    assert answers[3:] == ["HassTurnOff name=Lampe", "HassTurnOff name=Radio"]


def test_a_timer_is_in_no_room() -> None:
    texts = "@Kitchen: set a timer for 5 minutes", "@Hall: make it 10"
    assert talk(*texts)[1] == "HassIncreaseTimer minutes=5"


@pytest.mark.parametrize(
    ("language", "first", "here", "here_as_well"),
    [
        ("en", "turn on the lights in the kitchen", "here too", "and here"),
        ("de", "mach das Licht in der Küche an", "hier auch", "und in diesem Zimmer"),
        ("es", "enciende la luz de la cocina", "aquí también", "y aquí"),
        ("fr", "allume la lumière dans la cuisine", "ici aussi", "et ici"),
        ("it", "accendi la luce in cucina", "anche qui", "e qui"),
        ("nl", "doe het licht aan in de keuken", "hier ook", "en hier"),
    ],
)
def test_here_is_the_room_of_the_speaker(
    language: str, first: str, here: str, here_as_well: str
) -> None:
    _, hall, bedroom = NAMES[language][:3]
    texts = first, f"@{hall}: {here}", f"@{bedroom}: {here_as_well}"
    assert talk(*texts, language=language)[1:] == [
        f"HassTurnOn area={hall} domain=light",
        f"HassTurnOn area={bedroom} domain=light",
    ]


def test_here_may_have_a_value_or_be_denied() -> None:
    first = "turn on the lights in the kitchen"
    dimmed = "HassLightSet area=Hall brightness=30 domain=light"
    assert talk(first, "@Hall: here to 30 percent")[1] == dimmed
    assert not talk(first, "@Hall: not here")[1].startswith("Hass")


def test_here_is_not_known_without_the_room_of_the_speaker() -> None:
    answers = talk("turn on the lights in the kitchen", "here too")
    assert answers[1] == "I don't know which one you mean."


@pytest.mark.parametrize(
    ("language", "text"), [("fr", "il fait combien ici"), ("en", "what's the temperature here")]
)
def test_a_question_may_name_the_room_by_here(language: str, text: str) -> None:
    room = NAMES[language][2]
    assert talk(f"@{room}: {text}", language=language) == [f"HassClimateGetTemperature area={room}"]


def test_a_question_that_is_not_known_does_not_repeat_the_command_here() -> None:
    texts = "@entrée: allume la lumière", "@entrée: il coûte combien ici"
    assert not talk(*texts, language="fr")[1].startswith("Hass")
