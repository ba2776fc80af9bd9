"""Follow-ups in homes: objects that are left out, steps, timers, lists, and undoing."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from anaphora import Area, Device, Engine, Floor, Home, load_model

pytest.importorskip("home_assistant_intents")

DIALOGS: dict[str, Any] = yaml.load(
    Path(__file__).with_name("home_follow_ups.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader
)


def make_engine(language: str, home: dict[str, list[dict[str, Any]]]) -> Engine:
    now = datetime(2026, 3, 2, 18, 0, tzinfo=UTC)
    areas, floors, devices = (
        [{**one, "aliases": tuple(one.get("aliases", ()))} for one in home.get(key, ())]
        for key in ("areas", "floors", "devices")
    )
    model = load_model(
        f"home-assistant:{language}",
        home=Home(
            tuple(Area(**one) for one in areas),
            tuple(Floor(**one) for one in floors),
            tuple(Device(**one) for one in devices),
        ),
    )
    return Engine(model, clock=lambda: now)


def ask(engine: Engine, text: str, user: str = "") -> str:
    reply = engine.ask(text, user=user or "somebody")
    slots = {name: slot.value for name, slot in sorted(reply.slots.items())}
    if "brightness" in slots:
        slots.pop("domain", None)
    listed = " ".join(f"{name}={value}" for name, value in slots.items())
    return f"{reply.intent} {listed}".strip() if reply.intent else reply.reason


@pytest.mark.parametrize("language", list(DIALOGS))
def test_people_go_on(language: str) -> None:
    engine = make_engine(language, DIALOGS[language]["home"])
    dialog = DIALOGS[language]["dialog"]
    assert [[text, ask(engine, text)] for text, _ in dialog] == dialog


@pytest.fixture(scope="module")
def english() -> Engine:
    return make_engine("en", DIALOGS["en"]["home"])


def test_a_scene_cannot_be_undone() -> None:
    home = {"devices": [{"name": "Movie Night", "domain": "scene"}]}
    engine = make_engine("en", home)
    assert ask(engine, "undo that") == "There is nothing to undo."
    assert ask(engine, "activate movie night") == "HassTurnOn name=Movie Night"
    assert ask(engine, "undo that") == "That cannot be undone."


def test_the_brightness_before_the_first_is_unknown(english: Engine) -> None:
    ask(english, "set the kitchen brightness to 40", "first")
    assert ask(english, "undo that", "first") == "That cannot be undone."


def test_louder_changes_no_brightness(english: Engine) -> None:
    ask(english, "turn on the radio", "quality")
    ask(english, "set the kitchen brightness to 40", "quality")
    assert ask(english, "louder", "quality") == "HassSetVolumeRelative area=Kitchen volume_step=up"


@pytest.mark.parametrize(
    ("language", "command", "follow_up"),
    [
        ("en", "set the thermostat to 20 degrees", "2 degrees warmer"),
        ("en", "set the thermostat to 20 degrees", "make it warmer by 2 degrees"),
        ("de", "stelle die Temperatur im Wohnzimmer auf 20 Grad", "2 Grad wärmer"),
        ("de", "stelle die Temperatur im Wohnzimmer auf 20 Grad", "um 2 Grad höher"),
        ("fr", "règle la température à 20 degrés dans le bureau", "2 degrés de plus"),
        ("es", "pon la temperatura del dormitorio a 20 grados", "2 grados más"),
        ("nl", "zet de thermostaat op 20 graden", "2 graden warmer"),
        ("pl", "ustaw temperaturę w salonie na 20 stopni", "o 2 stopnie cieplej"),
        ("ru", "установи температуру в спальне 20 градусов", "на 2 градуса теплее"),
    ],
)
def test_an_amount_is_added_to_the_present_value(
    language: str, command: str, follow_up: str
) -> None:
    engine = make_engine(language, DIALOGS[language]["home"])
    assert "temperature=20" in ask(engine, command), command
    assert "temperature=22" in ask(engine, follow_up)


def test_an_amount_without_a_present_value_sets_nothing(english: Engine) -> None:
    ask(english, "turn on the radio", "amount")
    assert ask(english, "2 degrees warmer", "amount") == "I don't know the present value."


def test_it_is_the_timer_that_was_set_last(english: Engine) -> None:
    ask(english, "turn on the lights in the kitchen", "last timer")
    ask(english, "set a timer for 5 minutes", "last timer")
    assert ask(english, "make it 10", "last timer") == "HassIncreaseTimer minutes=5"
    assert ask(english, "5 more minutes", "last timer") == "HassIncreaseTimer minutes=5"
    assert ask(english, "undo that", "last timer") == "HassDecreaseTimer minutes=5"
    assert ask(english, "cancel it", "last timer") == "HassCancelTimer"


@pytest.mark.parametrize(
    ("command", "first", "rest"),
    [
        (
            "turn on the lights in the kitchen and the bedroom",
            "HassTurnOn area=Kitchen domain=light",
            "the bedroom",
        ),
        ("turn off the floor lamp and the radio", "HassTurnOff name=Floor Lamp", "the radio"),
        (
            "turn off the floor lamp and turn on the radio",
            "HassTurnOff name=Floor Lamp",
            "turn on the radio",
        ),
    ],
)
def test_of_two_things_the_first_is_done_and_the_rest_is_told(
    english: Engine, command: str, first: str, rest: str
) -> None:
    assert ask(english, command, rest) == first
    text = english.ask(command, user=rest).text
    assert text.endswith(f"I do one thing at a time. Still to do: {rest}.")


def test_what_was_meant_last_has_no_brightness_of_others(english: Engine) -> None:
    ask(english, "set the kitchen brightness to 40", "others")
    ask(english, "turn on the lights in the bedroom", "others")
    assert ask(english, "brighter", "others") == "I don't know the present value."


def test_a_door_is_not_unlocked_by_what_turns_off_something_else(english: Engine) -> None:
    ask(english, "turn off the radio", "door")
    assert english.ask("and the front door", user="door").status == "rejected"
    assert ask(english, "unlock the front door", "door") == "HassTurnOff name=Front Door"


def test_a_number_is_for_what_was_meant_last(english: Engine) -> None:
    ask(english, "set the radio volume to 30", "last number")
    ask(english, "turn on the lights in the kitchen", "last number")
    assert (
        ask(english, "turn it up to 50", "last number") == "HassLightSet area=Kitchen brightness=50"
    )


def test_half_of_something_else_is_no_timer(english: Engine) -> None:
    ask(english, "set a timer for 5 minutes", "half")
    ask(english, "turn on the radio", "half")
    assert ask(english, "half", "half") == "HassSetVolume name=Radio volume_level=50"


def test_the_other_one_of_several_is_unclear(english: Engine) -> None:
    ask(english, "turn on the floor lamp", "unclear")
    assert ask(english, "the other one", "unclear") == "I don't know which one you mean."


def test_and_adds_a_timer(english: Engine) -> None:
    ask(english, "set a timer for 5 minutes", "two timers")
    assert ask(english, "and 10 minutes", "two timers") == "HassStartTimer minutes=10"


def test_it_is_no_timer_after_something_else(english: Engine) -> None:
    ask(english, "set a timer for 5 minutes", "no timer")
    ask(english, "turn on the radio", "no timer")
    assert ask(english, "pause it", "no timer") == "HassMediaPause name=Radio"


def test_what_is_left_out_must_be_known(english: Engine) -> None:
    assert english.ask("turn off", user="nothing before").status == "rejected"


def test_the_explanation_is_about_what_was_said(english: Engine) -> None:
    ask(english, "turn on the lights in the kitchen", "why")
    explanation = english.ask("and in the office", user="why", explain=True).explanation
    assert str(explanation).splitlines() == [
        "'and in the office' is matched",
        "  note: it is no whole sentence: it goes on with HassTurnOn, the last command",
        "  understood: area=Office (group place) from 'office'",
        "  remembered: domain=light (group target), 1 question ago",
        "  not offered: area=Kitchen (group place), because the sentence has another of group "
        "place",
        "  match 1: HassTurnOn with area=Office (sentence), domain=light (memory)",
        "  forgotten: area=Kitchen (group place), evicted by area=Office (group place)",
    ]
    explanation = english.ask("turn off", user="why", explain=True).explanation
    assert explanation is not None
    assert "its object is not said: it is what was meant last" in explanation.notes


def test_the_explanation_says_what_a_fragment_lacks(english: Engine) -> None:
    ask(english, "turn on the fan in the kitchen", "lacks")
    explanation = english.ask("and upstairs", user="lacks", explain=True).explanation
    assert explanation is not None
    assert explanation.notes == (
        "no sentence of HassTurnOn, the last command, takes floor with domain=fan",
    )
    assert not explanation.misses
