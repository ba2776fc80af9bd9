"""What a question that does nothing leaves of what was said before it."""

from __future__ import annotations

import pytest

from tests.intents.decision.sentences.homes import said, talk

pytest.importorskip("home_assistant_intents")

TWO = {
    "en": "turn on the lamp and unlock the front door",
    "de": "mach die Lampe an und schließe die Haustür auf",
    "fr": "allume la lampe et déverrouille la porte avant",
}
BEFORE = "Nothing was done last. The last command was for: {}."


@pytest.mark.parametrize(
    ("language", "yes"), [("en", "yes"), ("en", "the rest"), ("de", "ja"), ("fr", "oui")]
)
def test_what_is_left_is_done_after_a_yes(language: str, yes: str) -> None:
    assert talk(TWO[language], yes, language=language)[1].startswith("HassTurnOff name=")


@pytest.mark.parametrize(
    ("language", "no", "yes"),
    [
        ("en", "no", "yes"),
        ("en", "no thanks", "ok"),
        ("en", "cancel", "yes"),
        ("en", "don't unlock it", "yes"),
        ("en", "don't unlock the front door", "yes"),
        ("en", "no, not the front door", "the rest"),
        ("en", "don't", "the rest"),
        ("de", "nein", "ja"),
        ("de", "nein danke", "ja"),
        ("de", "nicht die Haustür", "den Rest"),
        ("fr", "non", "oui"),
        ("fr", "pas la porte avant", "oui"),
    ],
)
def test_what_was_denied_is_not_done(language: str, no: str, yes: str) -> None:
    _, *answers = talk(TWO[language], no, yes, language=language)
    assert not any(one.startswith("Hass") for one in answers)


def test_what_was_denied_is_not_done_after_another_command_either() -> None:
    _, _, tv, rest = talk(TWO["en"], "no", "turn on the tv", "the rest")
    assert (tv, rest) == ("HassTurnOn name=tv", "I don't know which one you mean.")


@pytest.mark.parametrize("no", ["except the heating", "no, not the heating"])
def test_the_rest_is_done_without_what_was_denied_of_it(no: str) -> None:
    answers = talk("turn off everything", no, *["the rest"] * 6)
    assert "HassTurnOff name=fan" in answers
    assert "HassTurnOff name=heating" not in answers


@pytest.mark.parametrize(
    ("first", "then", "last", "thing"),
    [
        ("close the garage door", "and the window", "open it", "garage door"),
        ("close the garage door", "and the curtains", "open them", "garage door"),
        ("lock the front door", "and the kitchen", "unlock it", "front door"),
        ("turn off the heating", "and the dishwasher", "turn it on", "heating"),
        ("turn on the lamp", "and the dishwasher", "50 percent", "lamp"),
    ],
)
def test_it_is_not_what_was_meant_before_an_unknown_thing(
    first: str, then: str, last: str, thing: str
) -> None:
    assert talk(first, then, last, last)[2:] == [BEFORE.format(thing)] * 2


@pytest.mark.parametrize("then", ["thanks", "ok", "hm"])
def test_it_is_what_was_meant_before_if_nothing_was_named(then: str) -> None:
    assert talk("turn on the lamp", then, "turn it off")[2] == "HassTurnOff name=lamp"


def test_a_thing_that_is_named_is_known_after_an_unknown_one() -> None:
    texts = "turn on the lamp", "and the dishwasher", "and the radio", "turn it off"
    assert talk(*texts)[2:] == ["HassTurnOn name=radio", "HassTurnOff name=radio"]


@pytest.mark.parametrize(
    ("first", "then", "expected"),
    [
        ("is the front door locked", "yes, unlock it", "HassTurnOff name=front door"),
        ("close the garage door and open the left blind", "yes, open it",
         "HassTurnOn name=left blind"),
        ("close the garage door and open the left blind", "yes, close it",
         "I don't know which one you mean."),
    ],
)  # fmt: skip
def test_a_yes_may_begin_a_command(first: str, then: str, expected: str) -> None:
    assert talk(first, then)[1] == expected


def test_what_is_left_is_named_with_the_whole_of_its_verb() -> None:
    assert said(TWO["de"], language="de").endswith("Noch zu tun: schließe die Haustür auf.")


@pytest.mark.parametrize("only", ["no, only the lights", "only the lights"])
def test_a_kind_is_meant_in_the_place_of_which_everything_was_meant(only: str) -> None:
    answers = talk("turn off everything in the hall", only)
    assert answers[1] == "HassTurnOff area=Hall domain=light"
