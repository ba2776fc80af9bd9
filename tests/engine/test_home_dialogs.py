"""Dialogs with a home: whole sentences of Home Assistant, and what follows them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from anaphora import Area, Device, Engine, Floor, Home, Request, load_model

pytest.importorskip("home_assistant_intents")

HOMES = {
    "en": Home(
        areas=(Area("Kitchen"), Area("Bedroom"), Area("Living Room", ("lounge",)), Area("Garage")),
        floors=(Floor("Ground Floor"),),
        devices=(
            Device("Bedroom Lamp", "light"),
            Device("TV", "media_player"),
            Device("Front Door", "lock"),
            Device("Left Blind", "cover"),
        ),
    ),
    "de": Home(
        areas=(Area("Küche"), Area("Schlafzimmer"), Area("Wohnzimmer"), Area("Keller")),
        devices=(
            Device("Fernseher", "media_player"),
            Device("Haustür", "lock"),
            Device("Rollo links", "cover"),
        ),
    ),
    "ru": Home(
        areas=(Area("кухня", ("кухне",)), Area("спальня", ("спальне",))),
        devices=(Device("телевизор", "media_player"),),
    ),
}
NOW = datetime(2026, 3, 2, 18, 0, tzinfo=UTC)


class Clock:
    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture(scope="module")
def models() -> Callable[[str], object]:
    return {language: load_model(f"home-assistant:{language}", home=home)
            for language, home in HOMES.items()}.__getitem__  # fmt: skip


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def ask(models: Callable[[str], object], clock: Clock) -> Callable[..., str]:
    engines: dict[str, Engine] = {}

    def ask(text: str, language: str = "en", *, area: str = "") -> str:
        if language not in engines:
            engines[language] = Engine(models(language), clock=clock)  # type: ignore[arg-type]
        request = Request(data={"area": area} if area else {})
        reply = engines[language].ask(text, request=request)
        slots = " ".join(f"{name}={slot.value}" for name, slot in sorted(reply.slots.items()))
        return f"{reply.intent or reply.status} {slots}".strip()

    return ask


def test_an_evening_at_home(ask: Callable[..., str]) -> None:
    dialog = [
        ("turn on the lights in the kitchen", "HassTurnOn area=Kitchen domain=light"),
        ("and in the bedroom", "HassTurnOn area=Bedroom domain=light"),
        ("dim them to 20 percent", "HassLightSet area=Bedroom brightness=20 domain=light"),
        ("the fan too", "HassTurnOn area=Bedroom domain=fan"),
        ("turn them off", "HassTurnOff area=Bedroom domain=fan"),
        ("undo that", "HassTurnOn area=Bedroom domain=fan"),
        ("open the left blind", "HassTurnOn name=Left Blind"),
        ("set it to 50%", "HassSetPosition name=Left Blind position=50"),
        ("what is the temperature in the lounge", "HassClimateGetTemperature area=Living Room"),
        ("and in the garage?", "HassClimateGetTemperature area=Garage"),
        ("set a timer for 5 minutes", "HassStartTimer minutes=5"),
        ("make it 10 minutes", "HassIncreaseTimer minutes=5"),
        ("is the front door locked?", "HassGetState name=Front Door state=locked"),
        ("lock it", "HassTurnOn name=Front Door"),
        ("set the kitchen lights to red", "HassLightSet area=Kitchen color=red domain=light"),
        ("blue", "HassLightSet area=Kitchen color=blue domain=light"),
        ("and the bedroom", "HassLightSet area=Bedroom color=blue domain=light"),
        ("turn on the TV", "HassTurnOn name=TV"),
        ("pause", "HassMediaPause name=TV"),
        ("turn up the volume by 10", "HassSetVolumeRelative name=TV volume_step=10"),
        ("15", "HassSetVolumeRelative name=TV volume_step=15"),
        ("add milk to my shopping list", "HassShoppingListAddItem item=milk"),
        ("and eggs", "HassShoppingListAddItem item=eggs"),
    ]
    assert [(text, ask(text)) for text, _ in dialog] == dialog


def test_ein_abend_zu_hause(ask: Callable[..., str]) -> None:
    dialog = [
        ("mach das Licht in der Küche an", "HassTurnOn area=Küche domain=light"),
        ("und im Schlafzimmer", "HassTurnOn area=Schlafzimmer domain=light"),
        ("20 Prozent", "HassLightSet area=Schlafzimmer brightness=20 domain=light"),
        ("schalte es aus", "HassTurnOff area=Schlafzimmer domain=light"),
        ("den Ventilator auch", "HassTurnOff area=Schlafzimmer domain=fan"),
        ("öffne das Rollo links", "HassTurnOn name=Rollo links"),
        ("stell es auf 50%", "HassSetPosition name=Rollo links position=50"),
        ("wie warm ist es im Wohnzimmer", "HassClimateGetTemperature area=Wohnzimmer"),
        ("und im Keller", "HassClimateGetTemperature area=Keller"),
        ("schalte den Fernseher ein", "HassTurnOn name=Fernseher"),
        ("mach ihn aus", "HassTurnOff name=Fernseher"),
        ("mach das rückgängig", "HassTurnOn name=Fernseher"),
        ("ist die Haustür abgeschlossen", "HassGetState name=Haustür state=locked"),
        ("schließ sie ab", "HassTurnOn name=Haustür"),
        ("setz Milch auf die Einkaufsliste", "HassShoppingListAddItem item=Milch"),
        ("und Eier", "HassShoppingListAddItem item=Eier"),
    ]
    assert [(text, ask(text, "de")) for text, _ in dialog] == dialog


def test_a_follow_up_in_russian(ask: Callable[..., str]) -> None:
    dialog = [
        ("включи свет на кухне", "HassTurnOn area=кухня domain=light"),
        ("а в спальне", "HassTurnOn area=спальня domain=light"),
        ("выключи его", "HassTurnOff area=спальня domain=light"),
        ("включи телевизор", "HassTurnOn name=телевизор"),
        ("отмени это", "HassTurnOff name=телевизор"),
    ]
    assert [(text, ask(text, "ru")) for text, _ in dialog] == dialog


def test_after_five_minutes_nothing_is_remembered(ask: Callable[..., str], clock: Clock) -> None:
    ask("turn on the lights in the kitchen")
    clock.now += timedelta(minutes=5, seconds=1)
    assert ask("and in the bedroom") == "rejected"


def test_the_area_of_a_voice_satellite_is_the_place(ask: Callable[..., str]) -> None:
    assert ask("turn on the lights", area="Garage") == "HassTurnOn area=Garage domain=light"
    assert ask("turn them off") == "HassTurnOff area=Garage domain=light"
    assert ask("turn on the lights", area="Kitchen") == "HassTurnOn area=Kitchen domain=light"


def test_without_a_place_the_lights_are_those_of_the_remembered_place(
    ask: Callable[..., str],
) -> None:
    assert ask("turn on the lights") == "rejected"
    ask("turn on the lights in the kitchen")
    assert ask("turn off the lights") == "HassTurnOff area=Kitchen domain=light"


@pytest.mark.parametrize(
    "text", ["there are no lights", "what does the kitchen of your grandmother look like", "hm"]
)
def test_what_asks_for_nothing_is_no_follow_up(ask: Callable[..., str], text: str) -> None:
    ask("turn on the lights in the kitchen")
    assert ask(text) == "rejected"


def test_it_stands_for_nothing_at_first(ask: Callable[..., str]) -> None:
    assert ask("turn it off") == "rejected"
    assert ask("undo that") == "rejected"


def test_a_response_that_needs_only_the_slots_is_given(
    models: Callable[[str], object],
) -> None:
    engine = Engine(models("en"))  # type: ignore[arg-type]
    assert engine.ask("add milk to my shopping list").text == "Added milk"
    assert engine.ask("turn on the lights in the kitchen").text == "Turned on the lights"
    assert not engine.ask("is the front door locked").text
