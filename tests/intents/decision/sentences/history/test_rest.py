"""What is left to do is done by "and the rest"."""

from __future__ import annotations

import pytest

from tests.intents.decision.sentences.homes import NAMES, said, talk

pytest.importorskip("home_assistant_intents")


def test_the_rest_is_done_one_by_one() -> None:
    texts = "turn off everything in the kitchen", "and the rest", "the rest"
    assert talk(*texts) == [
        "HassTurnOff name=radio",
        "HassTurnOff name=oven",
        "I don't know which one you mean.",
    ]
    assert said(*texts[:1]).endswith("Still to do: oven.")


def test_a_yes_is_for_the_rest() -> None:
    texts = "turn off the tv, the lamp and the oven", "yes please", "the others"
    assert talk(*texts)[1:] == ["HassTurnOff name=lamp", "HassTurnOff name=oven"]
    assert said(*texts[:2]).endswith("Still to do: the oven.")


@pytest.mark.parametrize(
    ("language", "text", "rest"),
    [
        ("de", "mach die Lampe und das Radio aus", "und den Rest"),
        ("es", "apaga la lámpara y la radio", "y el resto"),
        ("fr", "éteins la lampe et la radio", "et le reste"),
        ("it", "spegni la lampada e la radio", "il resto"),
        ("nl", "doe de lamp en de radio uit", "de rest"),
        ("ja", "ランプとラジオを消して", "残りも"),
    ],
)
def test_the_rest_in_other_languages(language: str, text: str, rest: str) -> None:
    lamp, radio = NAMES[language][5:]
    assert talk(text, rest, language=language) == [
        f"HassTurnOff name={lamp}",
        f"HassTurnOff name={radio}",
    ]


def test_a_list_of_places_is_done_with_its_value() -> None:
    first = "turn on the lights in the bedroom"
    answers = talk(first, "the kitchen and the hall to 20 percent", "the rest")
    assert answers[1:] == [
        "HassLightSet area=Kitchen brightness=20 domain=light",
        "HassLightSet area=Hall brightness=20 domain=light",
    ]


def test_what_is_said_of_all_of_a_list_is_not_the_name_of_the_last() -> None:
    assert said("lamp and oven off").endswith("Still to do: oven.")


def test_what_is_done_already_is_not_left() -> None:
    assert "tv" not in said("turn off the tv", "turn off the lamp and the tv")
    assert said("turn off the tv", "turn off everything in the hall") == ""
    everything = "turn off everything in the kitchen"
    assert talk(everything, "turn off the oven", "the rest")[2] == (
        "I don't know which one you mean."
    )


def test_all_that_is_done_is_said_to_be() -> None:
    texts = "lock the front door", "the back door too", "lock everything"
    assert talk(*texts)[2] == "It is set to that already."
    assert talk(*texts[:2], "unlock everything")[2] == "HassTurnOff name=front door"


def test_both_of_which_one_is_left() -> None:
    assert talk("turn off the lamp and the oven", "both on")[1] == "HassTurnOn name=lamp"
