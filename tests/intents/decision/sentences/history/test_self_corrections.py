"""A command that corrects itself does what it says at last, with commas or without any."""

from __future__ import annotations

import pytest

from tests.intents.decision.sentences.homes import NAMES, said, talk

pytest.importorskip("home_assistant_intents")

LAMP = 5
CORRECTED = {
    "en": "turn on the radio no the lamp",
    "de": "mach das Radio an nein die Lampe",
    "fr": "allume la radio non la lampe",
    "es": "enciende la radio no perdón la lámpara",
    "it": "accendi la radio scusa la lampada",
    "nl": "zet de radio aan nee de lamp",
    "pt": "liga o rádio não desculpa a lâmpada",
    "ru": "включи радио нет лампу",
    "uk": "увімкни радіо ні лампу",
    "pl": "włącz radio nie czekaj lampa",
    "cs": "zapni rádio ne promiň lampa",
    "sv": "sätt på radion nej lampan",
    "fi": "laita radio päälle eiku lamppu",
    "tr": "radyo aç pardon lamba aç",
}


@pytest.mark.parametrize("language", CORRECTED)
def test_a_command_that_corrects_itself_is_for_the_second_thing(language: str) -> None:
    answer = talk(CORRECTED[language], language=language)[0]
    assert answer == f"HassTurnOn name={NAMES[language][LAMP]}"


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("turn on the radio, no, the lamp", "HassTurnOn name=lamp"),
        ("lock the front door sorry the back door", "HassTurnOn name=back door"),
        ("set the heating to 20 no 21", "HassClimateSetTemperature name=heating temperature=21"),
        ("set the heating to twenty make it twenty one",
         "HassClimateSetTemperature name=heating temperature=21"),
        ("turn on the lights in the kitchen no in the hall", "HassTurnOn area=Hall domain=light"),
        ("turn on the lights in the kitchen no the radio", "HassTurnOn name=radio"),
        ("turn on the lights in the kitchen no off", "HassTurnOff area=Kitchen domain=light"),
        ("turn on the radio no turn off the tv", "HassTurnOff name=tv"),
        ("trun on the radio no the lmap", "HassTurnOn name=lamp"),
    ],
)  # fmt: skip
def test_the_rest_of_the_command_stays(text: str, answer: str) -> None:
    assert talk(text) == [answer]


def test_a_value_that_corrects_another_one_has_its_unit() -> None:
    texts = "turn on the lights in the hall", "20 percent no 30"
    assert talk(*texts)[1] == "HassLightSet area=Hall brightness=30 domain=light"
    text = "stelle die Heizung auf 20 Grad nein 21"
    answer = "HassClimateSetTemperature name=Heizung temperature=21"
    assert talk(text, language="de") == [answer]


def test_a_follow_up_may_correct_itself() -> None:
    assert talk("turn on the radio", "and the tv no the lamp")[1] == "HassTurnOn name=lamp"


def test_nothing_was_done_that_could_be_undone() -> None:
    assert said("turn on the tv", "turn on the radio no the lamp") == ""


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "turn on the radio no tv"),  # without the tv?
        ("en", "turn on the radio not the lamp"),
        ("en", "turn on the radio no"),
        ("en", "turn off the tv wait no"),
        ("en", "turn on the radio no don't"),
        ("en", "turn on the radio and the tv no the lamp"),
        ("en", "turn on the radio no 20 percent"),
        ("es", "enciende la radio no la lámpara"),
        ("es", "enciende la radio, no la lámpara"),
        ("cs", "zapni rádio ne lampa"),
        ("fi", "laita radio päälle ei lamppu"),
    ],
)
def test_what_may_be_no_correction_is_not_done(language: str, text: str) -> None:
    assert not talk(text, language=language)[0].startswith("Hass")
