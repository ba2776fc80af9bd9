"""What a correction leaves undone is said, and can be undone."""

from __future__ import annotations

import pytest

from tests.intents.decision.sentences.homes import NAMES, said, talk

pytest.importorskip("home_assistant_intents")


@pytest.mark.parametrize(
    ("language", "texts", "rest"),
    [
        ("en", ("lock the front door", "not that one, the other one"), "the rest"),
        ("en", ("lock the front door", "no, the back door"), "and the rest"),
        ("en", ("lock the front door", "I meant the back door"), "the rest"),
        ("de", ("verriegele die Haustür", "nicht die, die andere"), "den Rest"),
        ("es", ("cierra con llave la puerta principal", "esa no, la otra"), "el resto"),
        ("fr", ("verrouille la porte avant", "pas celle-là, l'autre"), "le reste"),
    ],
)
def test_the_first_door_is_not_forgotten(language: str, texts: tuple[str, str], rest: str) -> None:
    front, back = NAMES[language][3:5]
    assert talk(*texts, rest, language=language)[1:] == [
        f"HassTurnOn name={back}",
        f"HassTurnOff name={front}",
    ]
    assert front in said(*texts, language=language)


@pytest.mark.parametrize(
    ("language", "texts", "rest"),
    [
        ("it", ("accendi la lampada", "no, la radio"), "il resto"),
        ("nl", ("doe de lamp aan", "nee, de radio"), "de rest"),
        ("ru", ("включи лампа", "нет, радио"), "остальное"),
        ("cs", ("zapni lampa", "ne, rádio"), "zbytek"),
        ("ja", ("ランプを点けて", "いや、ラジオ"), "残りも"),
        ("zh-CN", ("打开台灯", "不是，收音机"), "剩下的"),
    ],
)
def test_the_lamp_is_not_forgotten_in_other_languages(
    language: str, texts: tuple[str, str], rest: str
) -> None:
    lamp, radio = NAMES[language][5:]
    assert talk(*texts, rest, language=language)[1:] == [
        f"HassTurnOn name={radio}",
        f"HassTurnOff name={lamp}",
    ]


def test_what_cannot_be_undone_is_said_as_well() -> None:
    texts = "set the lamp to 20 percent", "no, the lights in the kitchen"
    assert said(*texts).endswith("Not undone: lamp.")


def test_a_yes_unlocks_no_door() -> None:
    texts = "lock the front door", "not that one, the other one", "okay"
    assert not talk(*texts)[2].startswith("Hass")


def test_an_item_of_a_list_is_taken_off() -> None:
    texts = "add milk to the shopping list", "no, bread", "the rest"
    assert talk(*texts)[1:] == [
        "HassShoppingListAddItem item=bread",
        "HassShoppingListCompleteItem item=milk",
    ]


def test_of_a_kind_only_the_others_are_undone() -> None:
    texts = "open the blinds in the bedroom", "no, just the left one", "the rest"
    assert talk(*texts)[1:] == ["HassTurnOn name=left blind", "HassTurnOff name=right blind"]


def test_only_some_of_a_kind_leaves_the_others() -> None:
    texts = "open the blinds in the bedroom", "only the left one"
    assert said(*texts).endswith("Not undone: right blind.")


def test_what_is_denied_behind_its_name_is_not_done() -> None:
    answers = talk("mach die Lampe aus", "das Radio nicht", language="de")
    assert not answers[1].startswith("Hass")


@pytest.mark.parametrize(
    "texts",
    [
        ("lock the front door", "and the back door"),
        ("turn on the lamp", "no, all the lights in the hall"),
        ("lock the front door", "the other one too"),
        ("turn on the lamp", "no, turn it off"),
        ("turn on the lamp", "make it red"),
        ("is the front door locked", "no, the back door"),
        ("turn on the lamp", "turn on the moon", "no, turn on the radio"),
    ],
)
def test_what_takes_nothing_back_leaves_nothing(texts: tuple[str, ...]) -> None:
    assert "undone" not in said(*texts)
