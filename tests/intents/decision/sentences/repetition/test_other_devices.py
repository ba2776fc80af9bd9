"""The other one is another one, and all of them are those that were meant."""

from __future__ import annotations

import pytest

from anaphora import Area, Device, Engine, Home, Request, load_model
from tests.intents.decision.sentences.homes import NAMES, said, talk

pytest.importorskip("home_assistant_intents")


@pytest.mark.parametrize(
    ("first", "answer"),
    [
        ("lock the front door in the hall", "HassTurnOn name=back door"),
        ("turn on the lights in the hall", "I don't know which one you mean."),
        ("open the left blind in the bedroom", "HassTurnOn area=Bedroom name=right blind"),
        ("turn on the radio in the kitchen", "HassTurnOn name=tv"),
    ],
)
def test_the_other_one_of_a_command_with_a_place(first: str, answer: str) -> None:
    assert talk(first, "the other one")[1] == answer


def test_all_blinds_are_those_with_this_name_if_the_home_knows_no_classes() -> None:
    assert talk("close all the blinds", "the rest") == [
        "HassTurnOff name=left blind",
        "HassTurnOff name=right blind",
    ]
    assert "garage" not in said("close all the blinds")
    assert talk("close both blinds")[0] == "HassTurnOff name=left blind"


def test_all_of_them_are_those_that_were_meant_one_by_one() -> None:
    texts = "close all the blinds", "the rest", "open all of them"
    assert talk(*texts)[2] == "HassTurnOn name=left blind"
    assert said(*texts).endswith("Still to do: right blind.")


def test_doors_are_no_blinds_though_the_home_knows_no_classes() -> None:
    assert "garage" not in said("close the left blind", "open them all")


@pytest.mark.parametrize(
    ("texts", "answer"),
    [
        (
            ("open the left blind", "and the right blind", "both to 20 percent"),
            "HassSetPosition name=left blind position=20",
        ),
        (
            ("open the left blind and the right blind", "both to 20 percent"),
            "HassSetPosition name=left blind position=20",
        ),
        (("open the left blind", "not both to 20 percent"), "That cannot be done for all of them."),
    ],
)
def test_a_value_for_both(texts: tuple[str, ...], answer: str) -> None:
    assert talk(*texts)[-1] == answer


@pytest.mark.parametrize(
    ("language", "names", "texts"),
    [
        ("ru", ("левая штора", "правая штора"), ("закрой шторы", "только левую", "и правую тоже")),
        ("pl", ("lewa roleta", "prawa roleta"), ("zamknij rolety", "tylko lewą", "i prawą też")),
    ],
)
def test_the_left_one_has_other_endings(
    language: str, names: tuple[str, str], texts: tuple[str, ...]
) -> None:
    room = NAMES[language][2]
    devices = tuple(Device(name, "cover", (), room) for name in names)
    home = Home(areas=(Area(room),), devices=devices)
    engine = Engine(load_model(f"home-assistant:{language}", home=home))
    request = Request(data={"area": room})
    replies = [engine.ask(text, request=request) for text in texts]
    assert [one.slots["name"].value for one in replies[1:]] == list(names)
