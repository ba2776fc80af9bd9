"""Commands to a home about several things, and about what moves: both, everything, lists, stop."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache

import pytest

from anaphora import Area, Device, Engine, Floor, Home, Request, load_model

pytest.importorskip("home_assistant_intents")

BLIND = {"device_class": "blind"}


def build_home(names: dict[str, str]) -> Home:
    """A home of two floors whose things have the names of a language."""
    living, kitchen, hall, bedroom = (
        names[one] for one in ("living", "kitchen", "hall", "bedroom")
    )
    ground, upper = names["ground"], names["upper"]
    return Home(
        areas=(
            Area(living, (), ground),
            Area(kitchen, (), ground),
            Area(hall, (), ground),
            Area(bedroom, (), upper),
        ),
        floors=(Floor(ground), Floor(upper)),
        devices=(
            Device(names["lamp"], "light", (), living),
            Device(names["other lamp"], "light", (), living),
            Device(names["bed lamp"], "light", (), bedroom),
            Device(names["left"], "cover", (), bedroom, BLIND),
            Device(names["right"], "cover", (), bedroom, BLIND),
            Device(names["kitchen blind"], "cover", (), kitchen, BLIND),
            Device(names["tv"], "media_player", (), living),
            Device(names["speaker"], "media_player", (), bedroom),
            Device(names["front"], "lock", (), hall),
            Device(names["back"], "lock", (), kitchen),
            Device(names["robot"], "vacuum"),
            Device(names["fan"], "fan", (), bedroom),
        ),
    )


NAMES = {
    "en": {
        "living": "Living Room", "kitchen": "Kitchen", "hall": "Hall", "bedroom": "Bedroom",
        "ground": "Ground Floor", "upper": "Upstairs",
        "lamp": "Floor Lamp", "other lamp": "Reading Lamp", "bed lamp": "Bedside Lamp",
        "left": "Left Blind", "right": "Right Blind", "kitchen blind": "Kitchen Blind",
        "tv": "TV", "speaker": "Speaker", "front": "Front Door", "back": "Back Door",
        "robot": "Robot", "fan": "Ceiling Fan",
    },
    "de": {
        "living": "Wohnzimmer", "kitchen": "Küche", "hall": "Flur", "bedroom": "Schlafzimmer",
        "ground": "Erdgeschoss", "upper": "Obergeschoss",
        "lamp": "Stehlampe", "other lamp": "Leselampe", "bed lamp": "Nachttischlampe",
        "left": "Linkes Rollo", "right": "Rechtes Rollo", "kitchen blind": "Küchenrollo",
        "tv": "Fernseher", "speaker": "Lautsprecher", "front": "Haustür", "back": "Hintertür",
        "robot": "Saugroboter", "fan": "Deckenventilator",
    },
    "es": {
        "living": "salón", "kitchen": "cocina", "hall": "pasillo", "bedroom": "dormitorio",
        "ground": "planta baja", "upper": "primer piso",
        "lamp": "lámpara de pie", "other lamp": "lámpara de lectura", "bed lamp": "flexo",
        "left": "persiana izquierda", "right": "persiana derecha",
        "kitchen blind": "persiana de la cocina", "tv": "televisor", "speaker": "altavoz",
        "front": "puerta principal", "back": "puerta trasera", "robot": "aspiradora",
        "fan": "ventilador",
    },
    "fr": {
        "living": "salon", "kitchen": "cuisine", "hall": "entrée", "bedroom": "chambre",
        "ground": "rez-de-chaussée", "upper": "étage",
        "lamp": "lampadaire", "other lamp": "lampe de lecture", "bed lamp": "veilleuse",
        "left": "store gauche", "right": "store droit", "kitchen blind": "store de la cuisine",
        "tv": "télé", "speaker": "enceinte", "front": "porte d'entrée", "back": "porte arrière",
        "robot": "aspirateur", "fan": "ventilateur",
    },
    "pt": {
        "living": "sala", "kitchen": "cozinha", "hall": "corredor", "bedroom": "quarto",
        "ground": "rés-do-chão", "upper": "primeiro andar",
        "lamp": "candeeiro de pé", "other lamp": "candeeiro de leitura", "bed lamp": "lanterna",
        "left": "estore esquerdo", "right": "estore direito", "kitchen blind": "estore da cozinha",
        "tv": "televisão", "speaker": "coluna", "front": "porta da frente",
        "back": "porta das traseiras", "robot": "aspirador", "fan": "ventoinha",
    },
    "nl": {
        "living": "woonkamer", "kitchen": "keuken", "hall": "gang", "bedroom": "slaapkamer",
        "ground": "begane grond", "upper": "bovenverdieping",
        "lamp": "staande lamp", "other lamp": "leeslamp", "bed lamp": "bedlamp",
        "left": "linker rolgordijn", "right": "rechter rolgordijn",
        "kitchen blind": "keukenrolgordijn", "tv": "tv", "speaker": "luidspreker",
        "front": "voordeur", "back": "achterdeur", "robot": "stofzuiger", "fan": "ventilator",
    },
    "ru": {
        "living": "гостиная", "kitchen": "кухня", "hall": "коридор", "bedroom": "спальня",
        "ground": "первый этаж", "upper": "второй этаж",
        "lamp": "торшер", "other lamp": "бра", "bed lamp": "ночник",
        "left": "левая штора", "right": "правая штора", "kitchen blind": "жалюзи",
        "tv": "телевизор", "speaker": "колонка", "front": "входная дверь", "back": "задняя дверь",
        "robot": "пылесос", "fan": "вентилятор",
    },
    "zh-CN": {
        "living": "客厅", "kitchen": "厨房", "hall": "走廊", "bedroom": "卧室",
        "ground": "一楼", "upper": "二楼",
        "lamp": "落地灯", "other lamp": "阅读灯", "bed lamp": "床头灯",
        "left": "左窗帘", "right": "右窗帘", "kitchen blind": "厨房窗帘",
        "tv": "电视", "speaker": "音箱", "front": "前门", "back": "后门",
        "robot": "扫地机器人", "fan": "吊扇",
    },
}  # fmt: skip
NOW = datetime(2026, 3, 2, 18, 0, tzinfo=UTC)
LAMPS = "area={living} domain=light"
BLINDS = "area={bedroom} device_class=blind domain=cover"


@cache
def make_engine(language: str) -> Engine:
    model = load_model(f"home-assistant:{language}", home=build_home(NAMES[language]))
    return Engine(model, clock=lambda: NOW)


def talk(language: str, *texts: str, area: str = "") -> list[str]:
    """The answers to a dialog: the intent with its slots, else the reason of the refusal."""
    engine = make_engine(language)
    engine.forget()
    request = Request(data={"area": area} if area else {})
    answers = []
    for text in texts:
        reply = engine.ask(text, request=request)
        slots = " ".join(f"{name}={slot.value}" for name, slot in sorted(reply.slots.items()))
        answers.append(f"{reply.intent} {slots}".strip() if reply.intent else reply.reason)
    return answers


def said(language: str, *texts: str) -> str:
    """What the bot says to the last question of a dialog."""
    engine = make_engine(language)
    engine.forget()
    return [engine.ask(text).text for text in texts][-1]


def named(language: str, answer: str) -> str:
    return answer.format_map(NAMES[language])


@pytest.mark.parametrize(
    ("language", "dialog"),
    [
        ("en", ["turn on the floor lamp", "the other one too", "turn both off"]),
        ("en", ["turn on the floor lamp", "the other one too", "both off"]),
        ("en", ["turn on the floor lamp", "the other one too", "turn them off"]),
        ("de", ["mach die Stehlampe an", "die andere auch", "mach beide aus"]),
        ("de", ["mach die Stehlampe an", "die andere auch", "beide aus"]),
        ("es", ["enciende la lámpara de pie", "la otra también", "apaga las dos"]),
        ("es", ["enciende la lámpara de pie", "la otra también", "apágalas"]),
        ("fr", ["allume le lampadaire", "l'autre aussi", "éteins les deux"]),
        ("pt", ["liga o candeeiro de pé", "o outro também", "desliga ambos"]),
        ("nl", ["doe de staande lamp aan", "de andere ook", "doe ze allebei uit"]),
        ("ru", ["включи торшер", "бра тоже", "выключи оба"]),
        ("zh-CN", ["打开落地灯", "另一个也打开", "两个都关掉"]),
    ],
)
def test_both_are_the_two_that_were_meant(language: str, dialog: list[str]) -> None:
    lamp, other, both = talk(language, *dialog)
    assert lamp == named(language, "HassTurnOn name={lamp}")
    assert other == named(language, "HassTurnOn name={other lamp}")
    assert both == named(language, f"HassTurnOff {LAMPS}")


@pytest.mark.parametrize(
    ("language", "close", "open_both"),
    [
        ("en", "close the left blind", "open both"),
        ("de", "schließ das linke Rollo", "öffne beide"),
        ("es", "cierra la persiana izquierda", "abre las dos"),
        ("fr", "ferme le store gauche", "ouvre les deux"),
        ("pt", "fecha o estore esquerdo", "abre os dois"),
        ("nl", "sluit het linker rolgordijn", "open beide"),
        ("ru", "закрой левую штору", "открой обе"),
        ("zh-CN", "关闭左窗帘", "打开两个"),
    ],
)
def test_both_are_the_one_and_the_other_of_a_room(
    language: str, close: str, open_both: str
) -> None:
    answers = talk(language, close, open_both)
    assert answers[1] == named(language, f"HassTurnOn {BLINDS}")


def test_both_need_not_be_in_one_room() -> None:
    texts = "lock the front door", "unlock both"
    assert talk("en", *texts)[1] == "HassTurnOff name=Front Door"
    assert said("en", *texts).endswith("Still to do: Back Door.")
    apart = "turn on the tv", "turn on the floor lamp", "turn both off"
    assert talk("en", *apart)[2] == "HassTurnOff name=TV"
    assert said("en", *apart).endswith("Still to do: Floor Lamp.")


def test_both_of_one_command_are_done_already() -> None:
    texts = "lock the front door", "the other one too", "both"
    assert talk("en", *texts)[2] == "It is set to that already."
    assert talk("en", "lock the front door", "both")[1] == "HassTurnOn name=Back Door"


def test_a_value_may_be_set_for_both() -> None:
    texts = "close the left blind", "set both to 20 percent"
    assert talk("en", *texts)[1] == named("en", f"HassSetPosition {BLINDS} position=20")


def test_a_device_of_the_kind_that_may_be_in_the_room_is_not_meant_with_both() -> None:
    home = Home(
        areas=(Area("Bedroom"), Area("Office")),
        devices=(
            Device("Left Lamp", "light", (), "Bedroom"),
            Device("Right Lamp", "light", (), "Bedroom"),
            Device("Old Lantern", "light"),  # it may be anywhere
        ),
    )
    engine = Engine(load_model("home-assistant:en", home=home), clock=lambda: NOW)
    for text in ("turn on the left lamp", "the right one too", "turn both off"):
        reply = engine.ask(text)
    assert {name: slot.value for name, slot in reply.slots.items()} == {"name": "Left Lamp"}


@pytest.mark.parametrize(
    "dialog",
    [
        ["turn off the floor lamp", "the tv", "the bedside lamp", "turn both back on"],  # of three
        ["turn on the lights in the kitchen", "close both"],
        ["turn on the floor lamp", "not both"],
        ["turn on the floor lamp", "both but the tv"],
    ],
)
def test_both_may_be_unclear(dialog: list[str]) -> None:
    assert talk("en", *dialog)[-1] == "That cannot be done for all of them."


@pytest.mark.parametrize(
    ("language", "dialog"),
    [
        ("en", ["close the left blind", "open the other one"]),
        ("de", ["schließ das linke Rollo", "mach das andere auf"]),
        ("zh-CN", ["关闭左窗帘", "另一个也打开"]),
    ],
)
def test_another_command_for_the_other_one(language: str, dialog: list[str]) -> None:
    assert talk(language, *dialog)[1] == named(language, "HassTurnOn name={right}")


def test_the_other_one_of_three_is_unclear() -> None:
    assert talk("en", "turn on the bedside lamp", "turn off the other one")[1] == (
        "I don't know which one you mean."
    )


@pytest.mark.parametrize(
    ("language", "text", "slots", "rest"),
    [
        ("en", "turn off everything on the ground floor", LAMPS, "TV"),
        ("de", "mach alles im Erdgeschoss aus", LAMPS, "Fernseher"),
        ("es", "apaga todo en la planta baja", LAMPS, "televisor"),
        ("fr", "éteins tout au rez-de-chaussée", LAMPS, "télé"),
        ("pt", "desliga tudo no rés-do-chão", LAMPS, "televisão"),
        ("nl", "doe alles op de begane grond uit", LAMPS, "tv"),
        ("en", "close everything upstairs", BLINDS, ""),
    ],
)
def test_everything_in_a_place_is_done_by_kinds(
    language: str, text: str, slots: str, rest: str
) -> None:
    assert talk(language, text) == [named(language, f"HassTurnOff {slots}")]
    answer = said(language, text)
    assert f": {rest}." in answer if rest else ":" not in answer


def test_everything_is_what_takes_the_command() -> None:
    assert said("en", "lock everything").endswith("Still to do: Back Door.")
    assert said("en", "turn off everything").endswith("Still to do: TV, Speaker, Ceiling Fan.")


def test_all_things_of_a_kind_are_done_place_by_place() -> None:
    assert talk("en", "close all the blinds") == [named("en", f"HassTurnOff {BLINDS}")]
    assert said("en", "close all the blinds").endswith("Still to do: Kitchen Blind.")
    texts = "turn off all the lights", "turn them back on"  # no sentence turns on all lights
    assert talk("en", *texts)[1] == named("en", f"HassTurnOn {LAMPS}")
    assert said("en", *texts).endswith("Still to do: Bedside Lamp.")


def test_a_floor_without_a_sentence_of_its_own_is_that_of_its_rooms() -> None:
    assert talk("es", "apaga las luces de la planta baja") == [named("es", f"HassTurnOff {LAMPS}")]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "turn off everything but the moon"),
        ("de", "mach alles bis auf das Wohnzimmer aus"),
        ("de", "mach alle Lichter bis auf das Wohnzimmer aus"),
    ],
)
def test_what_may_be_excepted_is_not_done(language: str, text: str) -> None:
    assert not talk(language, text)[0].startswith("Hass")


@pytest.mark.parametrize(
    ("language", "text", "answer"),
    [
        ("en", "turn off all lights but the living room", "HassTurnOff name=Bedside Lamp"),
        ("en", "turn off everything except the living room", "HassTurnOff name=Bedside Lamp"),
        ("ru", "выключи всё кроме гостиная", "HassTurnOff name=ночник"),
    ],
)
def test_what_is_excepted_is_not_meant(language: str, text: str, answer: str) -> None:
    assert talk(language, text) == [answer]


@pytest.mark.parametrize(
    ("language", "first", "text", "rest"),
    [
        ("en", "turn on the lights in the bedroom", "the kitchen and the hall", "the hall"),
        ("en", "turn on the lights in the bedroom", "and in the kitchen, hall", "hall"),
        ("de", "mach das Licht im Flur an", "in der Küche und im Schlafzimmer", "im Schlafzimmer"),
        ("es", "enciende la luz del salón", "en la cocina y en el pasillo", "en el pasillo"),
        ("fr", "allume la lumière dans le salon", "dans la cuisine et l'entrée", "l'entrée"),
        ("pt", "liga a luz da sala", "na cozinha e no corredor", "no corredor"),
        ("nl", "doe de lampen in de woonkamer aan", "in de keuken en de gang", "de gang"),
        ("zh-CN", "打开客厅的灯", "厨房和走廊", "走廊"),
    ],
)
def test_of_a_list_of_places_the_first_is_next(
    language: str, first: str, text: str, rest: str
) -> None:
    answers = talk(language, first, text)
    assert answers[1] == named(language, "HassTurnOn area={kitchen} domain=light")
    assert rest in said(language, first, text)


def test_a_list_of_names_goes_on_with_the_last_command() -> None:
    texts = "turn off the tv", "the ceiling fan and the floor lamp"
    assert talk("en", *texts)[1] == "HassTurnOff name=Ceiling Fan"


def test_lights_in_two_places_are_no_music() -> None:
    text = "включи свет в кухня и в коридор"  # hassil plays it
    assert talk("ru", text) == ["HassTurnOn area=кухня domain=light"]


@pytest.mark.parametrize(
    ("language", "first", "stop", "thing"),
    [
        ("en", "close the left blind", "stop", "Left Blind"),
        ("en", "close the left blind", "no wait, stop it", "Left Blind"),
        ("en", "close the blinds in the bedroom", "stop", "bedroom, blinds"),
        ("en", "close the left blind", "stop the blinds", "blinds"),
        ("en", "start the robot", "stop!", "Robot"),
        ("de", "schließ das linke Rollo", "stopp", "Linkes Rollo"),
        ("de", "schließe die Rollos im Schlafzimmer", "stopp", "Schlafzimmer, Rollos"),
        ("es", "cierra la persiana izquierda", "para", "persiana izquierda"),
        ("fr", "ferme le store gauche", "arrête", "store gauche"),
        ("pt", "fecha o estore esquerdo", "para", "estore esquerdo"),
        ("nl", "sluit het linker rolgordijn", "stop", "linker rolgordijn"),
        ("ru", "закрой левую штору", "стоп", "левая штора"),
        ("zh-CN", "关闭左窗帘", "停止", "左窗帘"),
    ],
)
def test_what_no_sentence_stops_is_named(language: str, first: str, stop: str, thing: str) -> None:
    assert talk(language, first, stop)[1].rstrip(".。").endswith(f": {thing}")


def test_stop_pauses_the_music_that_was_meant() -> None:
    assert talk("en", "turn on the tv", "stop")[1] == "HassMediaPause name=TV"
    assert talk("en", "stop", area="Bedroom") == ["HassMediaPause area=Bedroom"]


@pytest.mark.parametrize("first", ["close the left blind", "clean the bedroom"])
def test_music_is_not_paused_where_something_else_moves(first: str) -> None:
    for text in ("stop", "pause"):
        assert not talk("en", first, text)[1].startswith("Hass")
        assert not talk("en", first, text, area="Bedroom")[1].startswith("Hass")


def test_what_returns_is_what_was_meant() -> None:
    assert talk("en", "start the robot", "return to base")[1] == "HassVacuumReturnToBase name=Robot"


def test_a_share_is_that_of_the_kind_that_was_meant() -> None:
    texts = "turn on the ceiling fan", "close the blinds upstairs", "20 percent"
    assert "HassFanSetSpeed" not in talk("en", *texts)[2]
    for verb, slots in (
        ("liga o candeeiro de pé", "HassLightSet brightness=20 name={lamp}"),
        ("fecha o estore esquerdo", "HassSetPosition name={left} position=20"),
        ("liga a televisão", "HassSetVolume name={tv} volume_level=20"),
    ):
        assert talk("pt", verb, "baixa para 20 por cento")[1] == named("pt", slots)


@pytest.mark.parametrize(
    ("language", "first", "less", "more"),
    [
        ("en", "turn on the tv", "quieter", "a bit more"),
        ("de", "mach den Fernseher an", "leiser", "noch ein bisschen"),
        ("es", "enciende el televisor", "más bajo", "otro poco"),
        ("fr", "allume la télé", "moins fort", "encore un peu"),
        ("nl", "zet de tv aan", "zachter", "nog een beetje"),
        ("ru", "включи телевизор", "потише", "ещё немного"),
    ],
)
def test_a_bit_more_goes_the_same_way(language: str, first: str, less: str, more: str) -> None:
    answers = talk(language, first, less, more)
    assert answers[1] == answers[2]
    assert answers[2].endswith("volume_step=down")


def test_a_place_of_an_earlier_command_is_not_that_of_all_lights() -> None:
    texts = "turn off the lights upstairs", "everywhere", "turn them back on"
    assert "Upstairs" not in talk("en", *texts)[2]


@pytest.mark.parametrize(
    ("language", "text", "answer"),
    [
        ("en", "trun off the lihgts in the kichen", "HassTurnOff area={kitchen} domain=light"),
        ("en", "trn on teh lihgts in teh kitchn pleas", "HassTurnOn area={kitchen} domain=light"),
        ("en", "oepn the lft blnd", "HassTurnOn name={left}"),
        ("de", "schlate das Lciht in der Kücke aus", "HassTurnOff area={kitchen} domain=light"),
        ("fr", "alume la lumiere dans la cuizine", "HassTurnOn area={kitchen} domain=light"),
    ],
)
def test_several_words_may_be_misspelt(language: str, text: str, answer: str) -> None:
    assert talk(language, text) == [named(language, answer)]


@pytest.mark.parametrize("text", ["turn on the fun", "sing me a song abot cats"])
def test_what_may_mean_something_else_is_no_typo(text: str) -> None:
    assert not talk("en", text)[0].startswith("Hass")


def test_a_value_for_a_device_needs_no_sentence_of_its_own() -> None:
    assert talk("de", "stelle den Deckenventilator auf 50 Prozent") == [
        "HassFanSetSpeed name=Deckenventilator percentage=50"
    ]
    for text in (
        "warum stelle ich den Deckenventilator auf 50 Prozent",
        "stelle den Deckenventilator nicht auf 50 Prozent",
        "ist der Deckenventilator auf 50 Prozent",
    ):
        assert not talk("de", text)[0].startswith("Hass"), text


def test_them_are_what_was_meant_together() -> None:
    texts = "lock the front door", "and the back door", "are they locked?", "unlock them"
    answers = talk("en", *texts)
    assert answers[2].startswith("HassGetState domain=lock")
    assert answers[3] == "HassTurnOff name=Front Door"
    blinds = "close the blinds in the bedroom", "open them all again", "close all of them"
    assert talk("en", *blinds)[1:] == [
        named("en", f"HassTurnOn {BLINDS}"),
        named("en", f"HassTurnOff {BLINDS}"),
    ]


def test_not_that_one_is_the_other_one() -> None:
    for language, texts in (
        ("en", ("open the left blind", "no, not that one, the other one")),
        ("de", ("öffne das linke Rollo", "nein, nicht das, das andere")),
    ):
        assert talk(language, *texts)[1] == named(language, "HassTurnOn name={right}")


def test_everything_runs_no_scene() -> None:
    home = Home(devices=(Device("Desk Lamp", "light"), Device("Movie Night", "scene")))
    engine = Engine(load_model("home-assistant:en", home=home), clock=lambda: NOW)
    reply = engine.ask("turn on everything")
    assert reply.slots["name"].value == "Desk Lamp"
    assert "Movie Night" not in (reply.text or "")


@pytest.mark.parametrize(
    ("language", "texts"),
    [
        ("it", ("accendi lampada uno", "anche l'altra", "spegni entrambe")),
        ("pl", ("włącz lampa uno", "druga też", "wyłącz obie")),
        ("uk", ("увімкни lampa uno", "іншу теж", "вимкни обидві")),
        ("cs", ("zapni lampa uno", "druhá taky", "vypni obě")),
        ("sv", ("tänd lampa uno", "den andra också", "släck båda")),
        ("da", ("tænd lampa uno", "den anden også", "sluk begge")),
        ("nb", ("slå på lampa uno", "den andre også", "slå av begge")),
        ("fi", ("sytytä lampa uno", "toinen myös", "sammuta molemmat")),
        ("hu", ("kapcsold fel lampa uno", "a másikat is", "kapcsold le mindkettőt")),
        ("tr", ("lampa uno aç", "diğerini de", "ikisini kapat")),
        ("he", ("הדלק lampa uno", "גם השנייה", "כבה את שתיהן")),
        ("ar", ("أشعل lampa uno", "الآخر أيضا", "أطفئ كلاهما")),
        ("ja", ("lampa unoを点けて", "もう一つも", "両方消して")),
    ],
)
def test_both_in_other_languages(language: str, texts: tuple[str, ...]) -> None:
    first = "Lampada uno" if language == "it" else "Lampa uno"
    home = Home(
        areas=(Area("Rume"),),
        devices=(Device(first, "light", (), "Rume"), Device("Lumo", "light", (), "Rume")),
    )
    engine = Engine(load_model(f"home-assistant:{language}", home=home), clock=lambda: NOW)
    replies = [engine.ask(text) for text in texts]
    assert [one.intent for one in replies] == ["HassTurnOn", "HassTurnOn", "HassTurnOff"]
    assert replies[1].slots["name"].value == "Lumo"
    assert {name: slot.value for name, slot in replies[2].slots.items()} == {
        "area": "Rume",
        "domain": "light",
    }


@pytest.mark.parametrize(
    ("language", "dialog", "answer"),
    [
        ("en", ["lock the front door", "turn on the floor lamp", "turn them off"], "{lamp}"),
        ("es", ["bloquea la puerta principal", "enciende el flexo", "apágalos"], "{bed lamp}"),
        ("en", ["turn on the floor lamp", "tv and fan off"], None),
        ("en", ["floor lamp and tv off"], "{lamp}"),
    ],
)
def test_what_is_off_is_no_door(language: str, dialog: list[str], answer: str | None) -> None:
    """ "Them" are the things that the command is for, and what ends a list is said of all of it."""
    last = talk(language, *dialog)[-1]
    assert not last.startswith("HassTurnOn")
    if answer is not None:
        assert last == named(language, f"HassTurnOff name={answer}")


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "no tv"),
        ("en", "no tv please"),
        ("es", "no abras la persiana izquierda"),
        ("es", "no enciendas el televisor"),
        ("es", "no apagues el televisor"),
        ("pt", "não ligues o televisor"),
        ("en", "stop everything"),
        ("de", "öffne alles"),
    ],
)
def test_what_may_be_a_no_or_several_commands_does_nothing(language: str, text: str) -> None:
    assert not talk(language, text)[0].startswith("Hass")


def test_a_no_before_a_comma_opens_a_command() -> None:
    assert talk("es", "no, enciende el televisor") == ["HassTurnOn name=televisor"]


@pytest.mark.parametrize("text", ["turn off everything in here", "turn off everything there"])
def test_everything_here_is_not_everything(text: str) -> None:
    assert not talk("en", text, area="Kitchen")[0].startswith("Hass")


def test_all_of_a_kind_here_are_those_of_the_room() -> None:
    assert talk("en", "close all the blinds here", area="Kitchen") == [
        "HassTurnOff area=Kitchen device_class=blind domain=cover"
    ]


def test_other_words_than_stop_mean_what_they_say() -> None:
    assert talk("en", "turn on the floor lamp", "pause", area="Bedroom")[1] == (
        "HassMediaPause area=Bedroom"
    )


def test_a_bit_more_goes_up_to_the_limit() -> None:
    dialog = "set the floor lamp to 95 percent", "a bit more", "a bit less"
    assert talk("en", *dialog)[1:] == [
        "HassLightSet brightness=100 name=Floor Lamp",
        "HassLightSet brightness=90 name=Floor Lamp",
    ]
