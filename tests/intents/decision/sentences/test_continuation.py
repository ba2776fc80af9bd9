"""What names nothing goes on with what was meant last, though the speaker is in a room."""

from __future__ import annotations

import pytest

from tests.intents.decision.sentences.homes import NAMES, talk

pytest.importorskip("home_assistant_intents")


def _last(language: str, room: str, *texts: str) -> str:
    return talk(*(f"@{room}: {text}" for text in texts), language=language)[-1]


@pytest.mark.parametrize(
    ("texts", "answer"),
    [
        (("set the lamp to 30 percent", "red"), "HassLightSet color=red name=lamp"),
        (("turn on the lamp", "brightness 40"), "HassLightSet brightness=40 name=lamp"),
        (("turn on the lamp", "set the brightness to 20"), "HassLightSet brightness=20 name=lamp"),
        (("turn on the lamp", "make the lights red"),
         "HassLightSet area=Kitchen color=red domain=light"),
        (("turn on the tv", "pause"), "HassMediaPause name=tv"),
        (("turn on the tv", "volume 20"), "HassSetVolume name=tv volume_level=20"),
        (("turn on the lights in the bedroom", "red"),
         "HassLightSet area=Bedroom color=red domain=light"),
        (("turn on the lamp", "louder"), "HassSetVolumeRelative area=Kitchen volume_step=up"),
        (("louder",), "HassSetVolumeRelative area=Kitchen volume_step=up"),
    ],
)  # fmt: skip
def test_a_value_is_for_the_thing_that_was_meant(texts: tuple[str, ...], answer: str) -> None:
    assert _last("en", "Kitchen", *texts) == answer


@pytest.mark.parametrize(
    ("language", "room", "texts", "answer"),
    [
        ("de", "Küche", ("Lampe auf 30 Prozent", "blau"), "HassLightSet color=blue name=Lampe"),
        ("fr", "cuisine", ("allume la lampe", "bleu"), "HassLightSet color=blue name=lampe"),
        ("es", "cocina", ("enciende la lámpara", "azul"), "HassLightSet color=blue name=lámpara"),
        ("it", "cucina", ("accendi la lampada", "blu"), "HassLightSet color=blue name=lampada"),
        ("pl", "kuchnia", ("włącz lampa", "głośniej"),
         "HassSetVolumeRelative area=kuchnia volume_step=up"),
    ],
)  # fmt: skip
def test_so_it_is_in_other_languages(
    language: str, room: str, texts: tuple[str, ...], answer: str
) -> None:
    assert _last(language, room, *texts) == answer


@pytest.mark.parametrize(
    ("language", "room", "texts", "answer"),
    [
        ("fr", "cuisine", ("allume la lumière", "mets-la à 40"),
         "HassLightSet area=cuisine brightness=40 domain=light"),
        ("ru", "кухня", ("включи свет", "поставь на 40"),
         "HassLightSet area=кухня brightness=40 domain=light"),
        ("pl", "kuchnia", ("minutnik na 10 minut", "zmień na 12"), "HassIncreaseTimer minutes=2"),
        ("pl", "kuchnia", ("włącz światło", "ustaw na 40"),
         "HassLightSet area=kuchnia brightness=40 domain=light"),
        ("nl", "keuken", ("timer van 10 minuten", "maak er 12 van"), "HassIncreaseTimer minutes=2"),
    ],
)  # fmt: skip
def test_a_number_with_a_verb_plays_no_music_and_sets_no_other_thing(
    language: str, room: str, texts: tuple[str, ...], answer: str
) -> None:
    assert _last(language, room, *texts) == answer


@pytest.mark.parametrize(
    ("texts", "answer"),
    [
        (("open the left blind", "close the blind"), "HassTurnOff name=left blind"),
        (("open the right blind", "close the blind"), "HassTurnOff name=right blind"),
        (("open the left blind", "close the blinds"),
         "HassTurnOff area=Bedroom device_class=blind domain=cover"),
        (("open the left blind", "close the blinds", "open the right blind", "close the blind"),
         "HassTurnOff name=right blind"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("room", ["", "@Bedroom: "])
def test_a_thing_of_a_kind_is_the_one_that_was_meant(
    room: str, texts: tuple[str, ...], answer: str
) -> None:
    assert talk(*(room + text for text in texts))[-1] == answer


def test_so_it_is_from_a_room_without_such_things() -> None:
    texts = "@Kitchen: open the left blind", "@Kitchen: close the blind"
    assert talk(*texts)[-1] == "HassTurnOff name=left blind"


@pytest.mark.parametrize(
    ("language", "text", "answer"),
    [
        ("es", "pon la radio", "HassTurnOn name=radio"),
        ("fr", "mets la lampe", "HassTurnOn name=lampe"),
        ("it", "metti la lampada", "HassTurnOn name=lampada"),
        ("ru", "включи лампу", "HassTurnOn name=лампа"),
        ("es", "pon los beatles", "HassMediaSearchAndPlay area=cocina search_query=los beatles"),
    ],
)
def test_who_puts_on_a_thing_plays_no_music_of_its_name(
    language: str, text: str, answer: str
) -> None:
    assert talk(f"@{NAMES[language][0]}: {text}", language=language) == [answer]


@pytest.mark.parametrize(
    ("language", "texts"),
    [
        ("en", ("turn off the lights in the hall", "lock them")),
        ("de", ("mach die Lichter im Flur aus", "schließ sie ab")),
        ("fr", ("éteins la lumière de l'entrée", "verrouille-la")),
    ],
)
def test_what_is_locked_is_no_light(language: str, texts: tuple[str, ...]) -> None:
    assert not talk(*texts, language=language)[-1].startswith("Hass")


@pytest.mark.parametrize("text", ["no lamp", "no radio", "no fan"])
def test_a_thing_that_is_denied_is_not_switched(text: str) -> None:
    answers = talk("turn off the tv", "turn on the oven", text, "no, the radio")
    assert answers[2:] == ["I don't know which one you mean.", "HassTurnOn name=radio"]


@pytest.mark.parametrize(
    ("language", "room", "texts", "answer"),
    [
        ("de", "Küche", ("Timer fünf Minuten", "wie lange noch", "stopp"), "HassCancelTimer"),
        ("de", "Küche", ("mach die Lampe an", "ausmachen"), "HassTurnOff name=Lampe"),
        ("de", "Küche", ("Lampe auf 80", "bisschen weniger"), "HassLightSet brightness=70"),
        ("en", "Kitchen", ("set the lamp to 50", "dim it"), "HassLightSet brightness=40"),
        ("en", "Kitchen", ("heating 19", "20"), "HassClimateSetTemperature name=heating"),
    ],
)
def test_short_words_are_for_what_was_meant(
    language: str, room: str, texts: tuple[str, ...], answer: str
) -> None:
    assert _last(language, room, *texts).startswith(answer)


def test_the_lights_too_are_those_of_the_room() -> None:
    answers = talk("@Hall: turn on the tv", "@Hall: the lights too")
    assert answers[1] == "HassTurnOn area=Hall domain=light"


def test_off_for_another_room_repeats_no_value() -> None:
    texts = "set the lights in the kitchen to 20 percent", "bedroom off"
    assert talk(*texts)[1] == "HassTurnOff area=Bedroom domain=light"


@pytest.mark.parametrize("text", ["is the tv on", "is the fan at 40", "are the lights on"])
def test_a_question_that_no_sentence_asks_switches_nothing(text: str) -> None:
    answers = talk("turn on the tv", "set the fan to 40 percent", text)
    assert not answers[2].startswith(("HassTurn", "HassFan"))


def test_a_volume_is_no_music() -> None:
    texts = (
        "@cuisine: mets le volume à 20",
        "@cuisine: allume la radio",
        "@cuisine: mets le volume à 30",
    )
    answers = talk(*texts, language="fr")
    assert not answers[0].startswith("Hass")
    assert answers[2] == "HassSetVolume name=radio volume_level=30"


@pytest.mark.parametrize(
    ("language", "room", "texts"),
    [
        ("en", "", ("lock the front door", "shut the door")),
        ("en", "", ("unlock the front door", "open the door")),
        ("en", "Kitchen", ("unlock the front door", "and the lights")),
        ("en", "", ("open the left blind", "and the front door")),
        ("en", "", ("close the left blind", "also the tv")),
        ("en", "", ("unlock the front door", "turn on the radio", "both")),
        ("en", "Hall", ("unlock the front door", "what about the kitchen")),
        ("fr", "", ("verrouille la porte avant", "ferme la porte")),
        ("fr", "", ("verrouille la porte avant", "la porte avant est ouverte ?")),
        ("es", "", ("cierra con llave la puerta principal", "cierra la puerta")),
        ("en", "Hall", ("turn on the radio", "kill the light")),
        ("en", "Hall", ("turn on the radio", "trun of the lihgt")),
        ("en", "Hall", ("turn on the radio", "the tv is on")),
        ("en", "Hall", ("turn off the oven", "are the lights off")),
        ("de", "Flur", ("Radio an", "Licht bitte nicht")),
        ("en", "Kitchen", ("set the fan to 50 percent", "stop")),
        ("en", "", ("add coffee to the list", "actually cancel")),
        ("es", "", ("añade café a la lista", "no, 22")),
    ],
)  # fmt: skip
def test_what_is_unclear_moves_no_door_and_switches_nothing(
    language: str, room: str, texts: tuple[str, ...]
) -> None:
    written = [f"@{room}: {text}" if room else text for text in texts]
    assert not talk(*written, language=language)[-1].startswith("Hass")


@pytest.mark.parametrize(
    ("text", "answer"),
    [("Haustür aufsperren", "HassTurnOff"), ("Haustür absperren", "HassTurnOn")],
)
def test_who_unlocks_locks_nothing(text: str, answer: str) -> None:
    assert talk(text, language="de") == [f"{answer} name=Haustür"]


def test_a_device_is_no_name_of_a_timer() -> None:
    texts = "set a timer for 5 minutes", "cancel the timer", "no the radio"
    assert "Timer" not in talk(*texts)[-1]
