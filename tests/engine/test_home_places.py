"""Homes with floors and several devices of a kind: what names them, and what is refused."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache

import pytest

from anaphora import Area, Device, Engine, Floor, Home, load_model

pytest.importorskip("home_assistant_intents")

HOMES = {
    "en": Home(
        areas=(
            Area("Kitchen", (), "Ground Floor"),
            Area("Bedroom", (), "Upstairs"),
            Area("Living Room", (), "Ground Floor"),
        ),
        floors=(Floor("Ground Floor"), Floor("Upstairs")),
        devices=(
            Device("Floor Lamp", "light", (), "Living Room"),
            Device("Left Blind", "cover", (), "Bedroom"),
            Device("Right Blind", "cover", (), "Bedroom"),
            Device("Front Door", "lock"),
            Device("Radio", "media_player", (), "Kitchen"),
            Device("Thermostat", "climate", (), "Living Room"),
        ),
    ),
    "de": Home(areas=(Area("Schlafzimmer"),), devices=(Device("linkes Rollo", "cover"),)),
    "es": Home(areas=(Area("dormitorio"),), devices=(Device("persiana izquierda", "cover"),)),
    "it": Home(areas=(Area("cucina"),), devices=(Device("TV", "media_player"),)),
    "nl": Home(areas=(Area("slaapkamer"),), devices=(Device("linker rolgordijn", "cover"),)),
    "ru": Home(areas=(Area("кухня"), Area("спальня")), devices=(Device("левая штора", "cover"),)),
    "fr": Home(areas=(Area("chambre"),)),
    "pt": Home(areas=(Area("quarto"),)),
    "zh-CN": Home(areas=(Area("客厅"),), devices=(Device("落地灯", "light"),)),
}
NOW = datetime(2026, 3, 2, 18, 0, tzinfo=UTC)


@cache
def make_engine(language: str) -> Engine:
    model = load_model(f"home-assistant:{language}", home=HOMES[language])
    return Engine(model, clock=lambda: NOW)


def talk(language: str, *texts: str) -> list[str]:
    engine = make_engine(language)
    engine.forget()
    answers = []
    for text in texts:
        reply = engine.ask(text)
        slots = " ".join(f"{name}={slot.value}" for name, slot in sorted(reply.slots.items()))
        answers.append(f"{reply.intent or reply.status} {slots}".strip())
    return answers


@pytest.mark.parametrize(
    ("language", "first", "text", "place"),
    [
        ("en", "open the left blind", "close all the blinds in the bedroom", "area=Bedroom"),
        ("en", "open the left blind", "close all the blinds upstairs", "floor=Upstairs"),
        (
            "de",
            "öffne linkes Rollo",
            "schließe alle Rollos im Schlafzimmer",
            "area=Schlafzimmer",
        ),
        (
            "es",
            "abre la persiana izquierda",
            "cierra todas las persianas del dormitorio",
            "area=dormitorio",
        ),
        (
            "nl",
            "open het linker rolgordijn",
            "sluit alle rolgordijnen in de slaapkamer",
            "area=slaapkamer",
        ),
        ("ru", "открой левая штора", "закрой все шторы в спальня", "area=спальня"),
    ],
)
def test_all_things_of_a_kind_in_a_place(language: str, first: str, text: str, place: str) -> None:
    answer = talk(language, first, text)[1]
    assert answer.startswith("HassTurnOff")
    assert place in answer
    assert "domain=cover" in answer


def test_a_floor_stands_where_sentences_name_an_area() -> None:
    assert talk("en", "lights on upstairs", "and on the ground floor") == [
        "HassTurnOn domain=light floor=Upstairs",
        "HassTurnOn domain=light floor=Ground Floor",
    ]


@pytest.mark.parametrize(
    ("language", "text", "answer"),
    [
        ("de", "öffne das linke Rollo", "HassTurnOn name=linkes Rollo"),
        ("ru", "открой левую штору", "HassTurnOn name=левая штора"),
        ("ru", "включи свет на кухне", "HassTurnOn area=кухня domain=light"),
    ],
)
def test_names_may_be_inflected(language: str, text: str, answer: str) -> None:
    assert talk(language, text) == [answer]


@pytest.mark.parametrize(
    "text",
    [
        "all of them except the kitchen",
        "close both",
        "lock both",
    ],
)
def test_what_no_slot_can_say_is_refused(text: str) -> None:
    assert talk("en", "turn on the lights in the kitchen", text)[1] == "rejected"


def test_what_is_excepted_is_left_as_it_is() -> None:
    texts = "turn on the lights in the kitchen", "turn off all the lights except the kitchen"
    assert talk("en", *texts)[1] == "HassTurnOff name=Floor Lamp"


def test_a_verb_of_another_command_does_not_repeat_the_last_one() -> None:
    assert talk("en", "turn on the lights in the kitchen", "open the bedroom")[1] == "rejected"
    assert talk("en", "turn on the floor lamp", "lock it")[1] == "rejected"


def test_a_question_sets_nothing() -> None:
    texts = "turn on the floor lamp", "make it 30 percent", "turn it off"
    question = "what is the brightness of the floor lamp"
    assert talk("en", *texts, question)[3] == "rejected"
    assert (
        talk("en", *texts, "what about the kitchen")[3] == "HassTurnOff area=Kitchen domain=light"
    )


def test_of_for_off_turns_off() -> None:
    assert talk("en", "turn on the floor lamp", "turn of the lights in the kitchen")[1] == (
        "HassTurnOff area=Kitchen domain=light"
    )


def test_one_of_the_things_in_a_place() -> None:
    texts = "open the blinds in the bedroom", "just the left one", "the other one too"
    assert talk("en", *texts)[1:] == [
        "HassTurnOn name=Left Blind",
        "HassTurnOn name=Right Blind",
    ]


def test_a_value_is_no_title() -> None:
    texts = "ouvre les volets de la chambre", "mets-les à 30"
    assert talk("fr", *texts)[1].startswith("HassSetPosition area=chambre")


def test_how_bright_it_is_sets_no_brightness() -> None:
    assert talk("de", "öffne linkes Rollo", "wie hell ist linkes Rollo")[1] == "rejected"


def test_a_device_stays_where_it_is() -> None:
    assert talk("en", "turn off the radio", "and in the living room?")[1] == "rejected"
    assert talk("en", "turn on the floor lamp", "and in the kitchen?")[1] == (
        "HassTurnOn area=Kitchen domain=light"
    )


def test_a_place_of_an_earlier_command_is_not_that_of_a_device() -> None:
    texts = "turn on the lights on the ground floor", "open the left blind", "halfway"
    assert talk("en", *texts)[2] == "HassSetPosition name=Left Blind position=50"


@pytest.mark.parametrize(
    ("language", "first", "text"),
    [
        ("en", "set a timer for 10 minutes", "cancel the first one"),
        ("it", "imposta un timer di 10 minuti", "cancella il primo"),
        ("ru", "поставь таймер на 10 минут", "отмени первый"),
        ("zh-CN", "打开落地灯", "不是这个,另一个"),
    ],
)
def test_an_ordinal_or_one_is_no_value(language: str, first: str, text: str) -> None:
    assert talk(language, first, text)[1] == "rejected"


def test_a_value_is_that_of_the_quality_that_is_said() -> None:
    texts = "imposta un timer di 10 minuti", "accendi la TV", "volume a 30"
    assert talk("it", *texts)[2] == "HassSetVolume name=TV volume_level=30"


def test_minutes_are_no_degrees() -> None:
    assert talk("pt", "qual é a temperatura no quarto", "mais 5 minutos")[1] == "rejected"


@pytest.mark.parametrize(
    ("language", "dialog"),
    [
        (
            "en",
            [
                ("add milk to the shopping list", "HassShoppingListAddItem item=milk"),
                ("and eggs", "HassShoppingListAddItem item=eggs"),
                ("remove the eggs", "HassShoppingListCompleteItem item=eggs"),
                ("and the milk", "HassShoppingListCompleteItem item=milk"),
                ("add bread", "HassShoppingListAddItem item=bread"),
            ],
        ),
        (
            "nl",
            [
                ("zet melk op de boodschappenlijst", "HassShoppingListAddItem item=melk"),
                ("haal de melk eraf", "HassShoppingListCompleteItem item=melk"),
            ],
        ),
    ],
)
def test_items_are_taken_off_the_list(language: str, dialog: list[tuple[str, str]]) -> None:
    assert talk(language, *(text for text, _ in dialog)) == [answer for _, answer in dialog]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "would you mind turning off the radio"),
        ("ru", "не мог бы ты выключить свет на кухне"),
        ("zh-CN", "请帮我关闭落地灯"),
    ],
)
def test_a_polite_request_is_one(language: str, text: str) -> None:
    assert talk(language, text)[0].startswith("HassTurnOff")
