"""Dialogs with a home in which people change their mind, correct themselves and mistype."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from anaphora import Area, Device, Engine, Floor, Home, Request, load_model

pytest.importorskip("home_assistant_intents")

HOMES = {
    "en": Home(
        areas=(Area("Kitchen"), Area("Bedroom"), Area("Office"), Area("Garage")),
        floors=(Floor("Upstairs"),),
        devices=(
            Device("Bedroom Lamp", "light"),
            Device("Desk Lamp", "light"),
            Device("Ceiling Fan", "fan"),
            Device("Radio", "media_player"),
            Device("Left Blind", "cover"),
            Device("Right Blind", "cover"),
            Device("Front Door", "lock"),
            Device("Back Door", "lock"),
        ),
    ),
    "de": Home(
        areas=(Area("Küche"), Area("Schlafzimmer"), Area("Büro")),
        floors=(Floor("Obergeschoss", ("oben",)),),
        devices=(
            Device("Radio", "media_player"),
            Device("Rollo links", "cover"),
            Device("Rollo rechts", "cover"),
            Device("Deckenventilator", "fan"),
        ),
    ),
    "es": Home(
        areas=(Area("cocina"), Area("dormitorio"), Area("despacho")),
        devices=(Device("radio", "media_player"),),
    ),
    "ru": Home(
        areas=(Area("кухня", ("кухне",)), Area("спальня", ("спальне",))),
        devices=(Device("телевизор", "media_player"),),
    ),
    "ar": Home(areas=(Area("المطبخ"), Area("غرفة النوم"))),
    "fi": Home(devices=(Device("televisio", "media_player"),)),
    "tr": Home(devices=(Device("televizyon", "media_player"),)),
}
ENGLISH = [
    ("turn on the lights in the kitchen", "HassTurnOn area=Kitchen domain=light"),
    ("no, the bedroom", "HassTurnOn area=Bedroom domain=light"),
    ("I meant the fan", "HassTurnOn area=Bedroom domain=fan"),
    ("not there, in the kitchen", "HassTurnOn area=Kitchen domain=fan"),
    ("not the kitchen, the bedroom", "HassTurnOn area=Bedroom domain=fan"),
    ("no, turn off the fan", "HassTurnOff area=Bedroom domain=fan"),
    ("turn it back on", "HassTurnOn area=Bedroom domain=fan"),
    ("same in the office", "HassTurnOn area=Office domain=fan"),
    ("what about upstairs", "rejected"),  # no sentence is about the fans of a floor
    ("dim the lights to 30 percent", "HassLightSet area=Office brightness=30"),
    ("a bit less", "HassLightSet area=Office brightness=20"),
    ("brighter", "HassLightSet area=Office brightness=30"),
    ("no, 50", "HassLightSet area=Office brightness=50"),
    ("turn on the bedroom lamp", "HassTurnOn name=Bedroom Lamp"),
    ("the other one", "HassTurnOn name=Desk Lamp"),
    ("and in the kitchen", "HassTurnOn area=Kitchen domain=light"),
    ("set a timer for 10 minutes", "HassStartTimer minutes=10"),
    ("and 5 more minutes", "HassIncreaseTimer minutes=5"),
    ("turn on the radio", "HassTurnOn name=Radio"),
    ("louder", "HassSetVolumeRelative name=Radio volume_step=up"),
    ("a bit quieter", "HassSetVolumeRelative name=Radio volume_step=down"),
    ("open the left blind", "HassTurnOn name=Left Blind"),
    ("the right one too", "HassTurnOn name=Right Blind"),
    ("is the front door locked", "HassGetState name=Front Door state=locked"),
    ("and the back door", "HassGetState name=Back Door state=locked"),
    ("turn on the lihgts in the kitchen", "HassTurnOn area=Kitchen domain=light"),
    ("and in the bedrom", "HassTurnOn area=Bedroom domain=light"),
    ("what about upstairs", "HassTurnOn domain=light floor=Upstairs"),
]
GERMAN = [
    ("mach das Licht in der Küche an", "HassTurnOn area=Küche domain=light"),
    ("nein, im Schlafzimmer", "HassTurnOn area=Schlafzimmer domain=light"),
    ("mach es aus", "HassTurnOff area=Schlafzimmer domain=light"),
    ("mach es wieder an", "HassTurnOn area=Schlafzimmer domain=light"),
    ("dasselbe im Büro", "HassTurnOn area=Büro domain=light"),
    ("und oben", "HassTurnOn domain=light floor=Obergeschoss"),
    ("nein, den Deckenventilator", "HassTurnOn name=Deckenventilator"),
    ("stell einen Timer auf 10 Minuten", "HassStartTimer minutes=10"),
    ("und noch 5 Minuten", "HassIncreaseTimer minutes=5"),
    ("öffne das Rollo links", "HassTurnOn name=Rollo links"),
    ("das rechte auch", "HassTurnOn name=Rollo rechts"),
    ("mach das Lciht in der Küche an", "HassTurnOn area=Küche domain=light"),
    ("und im Schlafzimer", "HassTurnOn area=Schlafzimmer domain=light"),
]
SPANISH = [
    ("enciende la luz de la cocina", "HassTurnOn area=cocina domain=light"),
    ("ahí no, en el dormitorio", "HassTurnOn area=dormitorio domain=light"),
    ("pon la luz al 30 por ciento", "HassLightSet area=dormitorio brightness=30"),
    ("un poco menos", "HassLightSet area=dormitorio brightness=20"),
    ("apágala", "HassTurnOff area=dormitorio domain=light"),
    ("lo mismo en el despacho", "HassTurnOff area=despacho domain=light"),
]
RUSSIAN = [
    ("включи свет на кухне", "HassTurnOn area=кухня domain=light"),
    ("нет, в спальне", "HassTurnOn area=спальня domain=light"),
    ("выключи его", "HassTurnOff area=спальня domain=light"),
    ("включи его снова", "HassTurnOn area=спальня domain=light"),
    ("включи телевизор", "HassTurnOn name=телевизор"),
    ("погромче", "HassSetVolumeRelative name=телевизор volume_step=up"),
]
ARABIC = [
    ("أشعل أضواء المطبخ", "HassTurnOn area=المطبخ domain=light"),
    ("وفي غرفة النوم", "HassTurnOn area=غرفة النوم domain=light"),
    ("أطفئها", "HassTurnOff area=غرفة النوم domain=light"),
]
FINNISH = [
    ("laita televisio päälle", "HassTurnOn name=televisio"),
    ("sammuta se", "HassTurnOff name=televisio"),
    ("kumoa", "HassTurnOn name=televisio"),
]
TURKISH = [
    ("televizyonu aç", "HassTurnOn name=televizyon"),
    ("onu kapat", "HassTurnOff name=televizyon"),
    ("geri al", "HassTurnOn name=televizyon"),
]


def make_engine(language: str) -> Engine:
    now = datetime(2026, 3, 2, 18, 0, tzinfo=UTC)
    model = load_model(f"home-assistant:{language}", home=HOMES[language])
    return Engine(model, clock=lambda: now)


@pytest.fixture(scope="module")
def english() -> Engine:
    return make_engine("en")


def ask(engine: Engine, text: str, user: str = "") -> str:
    reply = engine.ask(text, user=user or "somebody")
    slots = {name: slot.value for name, slot in sorted(reply.slots.items())}
    if "brightness" in slots:
        slots.pop("domain", None)
    listed = " ".join(f"{name}={value}" for name, value in slots.items())
    return f"{reply.intent or reply.status} {listed}".strip()


@pytest.mark.parametrize(
    ("language", "dialog"),
    [
        ("en", ENGLISH),
        ("de", GERMAN),
        ("es", SPANISH),
        ("ru", RUSSIAN),
        ("ar", ARABIC),
        ("fi", FINNISH),
        ("tr", TURKISH),
    ],
)
def test_people_change_their_mind(language: str, dialog: list[tuple[str, str]]) -> None:
    engine = make_engine(language)
    assert [(text, ask(engine, text)) for text, _ in dialog] == dialog


@pytest.mark.parametrize(
    "text",
    [
        "not the bedroom",
        "paint the bedroom",
        "is the cat in the bedroom",
        "close both",  # a slot holds one thing
        "there is no fan",
        "never turn on the desk lamp",
        "turn the desk lamp not on",
        "both of us are here",
        "another one bites the dust",
    ],
)
def test_nothing_is_done_by_what_is_no_command(english: Engine, text: str) -> None:
    ask(english, "turn on the lights in the kitchen", text)
    assert ask(english, text, text) == "rejected"


def test_on_is_a_command_and_no_question(english: Engine) -> None:
    ask(english, "turn on the lights in the kitchen", "on")
    assert ask(english, "on", "on") == "HassTurnOn area=Kitchen domain=light"


def test_a_device_is_no_name_for_a_timer(english: Engine) -> None:
    ask(english, "turn on the desk lamp", "timer")
    assert ask(english, "set a timer for 3 minutes", "timer") == "HassStartTimer minutes=3"
    assert ask(english, "and 4 minutes", "timer") == "HassStartTimer minutes=4"


def test_a_device_is_where_it_is(english: Engine) -> None:
    ask(english, "turn on the lights in the kitchen", "place")
    assert ask(english, "no, the desk lamp", "place") == "HassTurnOn name=Desk Lamp"


def test_a_sentence_of_the_collection_goes_before_one_about_the_last_command() -> None:
    engine = make_engine("ru")
    request = Request(data={"area": "кухня"})
    reply = engine.ask("погромче", request=request)
    assert (reply.intent, reply.slots["area"].value) == ("HassSetVolumeRelative", "кухня")
    engine.ask("сделай свет на кухне 30 процентов", request=request)
    assert engine.ask("погромче", request=request).intent == "HassSetVolumeRelative"


def test_a_value_has_limits(english: Engine) -> None:
    ask(english, "set the kitchen lights to 100 percent", "limits")
    assert ask(english, "brighter", "limits") == "rejected"


def test_the_explanation_names_the_sentence(english: Engine) -> None:
    english.ask("turn on the lights in the kitchen", user="why")
    explanation = english.ask("turn them off", user="why", explain=True).explanation
    assert explanation is not None
    notes = "\n".join(explanation.notes)
    assert "it is the sentence: " in notes
    assert "refers to what was said before: name" in notes
    assert not explanation.unknown
    undone = english.ask("undo that", user="why", explain=True).explanation
    assert undone is not None
    assert "it takes the last command back" in undone.notes


@pytest.mark.parametrize(
    ("language", "lamp", "first", "then"),
    [
        ("en", "Floor Lamp", "turn off the ceiling fan", "the lamp too"),
        ("de", "Alte Lampe", "mach den Ventilator aus", "die Lampe auch"),
    ],
)
def test_the_lamp_is_the_one_that_has_this_name_and_not_all_lights(
    language: str, lamp: str, first: str, then: str
) -> None:
    fan = "Ceiling Fan" if language == "en" else "Ventilator"
    home = Home(devices=(Device(fan, "fan"), Device(lamp, "light"), Device("Spot", "light")))
    engine = Engine(load_model(f"home-assistant:{language}", home=home))
    engine.ask(first)
    assert engine.ask(then).slots["name"].value == lamp


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "hey, turn on the radio", "HassTurnOn name=Radio"),
        ("en", "put the radio on", "HassTurnOn name=Radio"),
        ("en", "dim the desk lamp to twenty per cent", "HassLightSet brightness=20 name=Desk Lamp"),
        ("en", "unlock the back door now", "HassTurnOff name=Back Door"),
        ("de", "mach's Licht in der Küche an", "HassTurnOn area=Küche domain=light"),
        ("de", "stell die Lampe auf 40 Prozent", "HassLightSet brightness=40 name=Lampe"),
        ("de", "mach die Lampe blau", "HassLightSet color=blue name=Lampe"),
        ("de", "mach das Radio auf 40 Grad", "rejected"),
    ],
)
def test_words_of_the_same_sense_are_understood(
    engines: dict[str, Engine], language: str, text: str, expected: str
) -> None:
    assert ask(engines[language], text, text) == expected


@pytest.fixture(scope="module")
def engines(english: Engine) -> dict[str, Engine]:
    home = Home(areas=(Area("Küche"),), devices=(Device("Lampe", "light"), Device("Radio", "fan")))
    return {"en": english, "de": Engine(load_model("home-assistant:de", home=home))}


def test_a_negation_turns_the_place_around_and_not_the_command() -> None:
    home = Home(floors=(Floor("Ground Floor"), Floor("Upstairs")))
    engine = Engine(load_model("home-assistant:en", home=home))
    engine.ask("turn on the lights on the ground floor")
    reply = engine.ask("not on the ground floor, upstairs")
    assert (reply.intent, reply.slots["floor"].value) == ("HassTurnOn", "Upstairs")


def test_half_as_bright_is_not_bright() -> None:
    engine = make_engine("de")
    engine.ask("mach das Licht in der Küche auf 60 Prozent")
    assert engine.ask("halb so hell").status == "rejected"
