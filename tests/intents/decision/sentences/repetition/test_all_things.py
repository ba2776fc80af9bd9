"""Everything, all things of a kind, and all but some."""

from __future__ import annotations

import pytest

from anaphora import Area, Device, Engine, Home, load_model
from tests.intents.decision.sentences.homes import NAMES, said, talk

pytest.importorskip("home_assistant_intents")

LAMP, RADIO = 5, 6
EVERYTHING = {
    "en": ("turn everything off", "turn everything off except the radio"),
    "de": ("mach alles aus", "schalte alles außer dem Radio aus"),
    "fr": ("éteins tout", "éteins tout sauf la radio"),
    "es": ("apaga todo", "apaga todo menos la radio"),
    "it": ("spegni tutto", "spegni tutto tranne la radio"),
    "nl": ("zet alles uit", "zet alles uit behalve de radio"),
    "pt": ("desliga tudo", "desliga tudo menos o rádio"),
    "ru": ("выключи все", "выключи всё кроме радио"),
    "uk": ("вимкни все", "вимкни все крім радіо"),
    "pl": ("wyłącz wszystko", "wyłącz wszystko oprócz radio"),
    "cs": ("vypni všechno", "vypni všechno kromě rádio"),
    "fi": ("sammuta kaikki", "sammuta kaikki paitsi radio"),
}


@pytest.mark.parametrize("language", EVERYTHING)
def test_everything_is_turned_off(language: str) -> None:
    whole, _ = EVERYTHING[language]
    assert talk(whole, language=language)[0].startswith("HassTurnOff ")
    assert NAMES[language][RADIO] in said(whole, language=language)


@pytest.mark.parametrize("language", EVERYTHING)
def test_what_is_excluded_stays_on(language: str) -> None:
    _, but_radio = EVERYTHING[language]
    assert talk(but_radio, language=language)[0].startswith("HassTurnOff ")
    assert NAMES[language][RADIO] not in said(but_radio, language=language)


@pytest.mark.parametrize(
    ("language", "text", "answer"),
    [
        ("en", "lock all doors except the front door", "HassTurnOn name=back door"),
        ("en", "close all blinds but the left blind", "HassTurnOff name=right blind"),
        ("de", "schließ alle Türen außer der Haustür ab", "HassTurnOn name=Hintertür"),
    ],
)
def test_all_of_a_kind_but_one(language: str, text: str, answer: str) -> None:
    assert talk(text, language=language) == [answer]


def test_misspelt_words_may_be_about_all_things() -> None:
    assert talk("turn of all the lihgts") == ["HassTurnOff domain=light"]


@pytest.mark.parametrize(
    "text",
    ["turn off everything but the moon", "turn them all off", "turn off everything but not the tv"],
)
def test_what_is_unclear_is_not_done(text: str) -> None:
    assert not talk(text)[0].startswith("Hass")


def test_what_is_excluded_is_never_a_follow_up_for_the_last_kind() -> None:
    texts = "mach die Lampe aus", "mach alles aus außer dem Mond"
    assert not talk(*texts, language="de")[1].startswith("Hass")


def test_what_is_excluded_takes_back_nothing() -> None:
    assert said("set the heating to 20", "lock all doors but the front door") == "Locking"


@pytest.mark.parametrize("text", ["turn evrything off", "turn off everythng"])
def test_everything_may_be_misspelt(text: str) -> None:
    assert talk(text) == talk("turn everything off")


def test_who_closes_everything_after_a_shutter_leaves_the_lights_on() -> None:
    devices = (Device("Volet", "cover", (), "chambre"), Device("Plafonnier", "light"))
    home = Home(areas=(Area("chambre"),), devices=devices)
    engine = Engine(load_model("home-assistant:fr", home=home))
    engine.ask("ouvre les volets de la chambre")
    assert engine.ask("ferme tout").slots["name"].value == "Volet"
    assert engine.ask("éteins tout").slots["name"].value == "Plafonnier"
