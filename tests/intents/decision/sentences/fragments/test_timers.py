"""Relative words and names change no other timer than the one that is meant."""

from __future__ import annotations

import pytest

from tests.intents.decision.sentences.homes import talk

pytest.importorskip("home_assistant_intents")

SET = {
    "en": "set a timer for 5 minutes",
    "de": "stelle einen Timer auf 5 Minuten",
    "fr": "mets un minuteur de 5 minutes",
    "pl": "ustaw minutnik na 5 minut",
}


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "a bit more"),
        ("en", "more"),
        ("en", "less"),
        ("en", "a bit longer"),
        ("de", "mehr"),
        ("de", "etwas weniger"),
        ("fr", "un peu plus"),
        ("pl", "trochę więcej"),
    ],
)
def test_more_without_a_time_starts_no_timer(language: str, text: str) -> None:
    assert not talk(SET[language], text, language=language)[1].startswith("Hass")


def test_a_change_is_not_repeated_by_a_bit_more() -> None:
    answers = talk(SET["en"], "make it 10", "a bit more", "5 more minutes")
    assert answers[1] == answers[3] == "HassIncreaseTimer minutes=5"
    assert not answers[2].startswith("Hass")


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "and another one for 3"),
        ("en", "and another one for 3 minutes"),
        ("en", "one more for 3"),
        ("de", "noch einen auf 3"),
        ("fr", "encore un de 3"),
        ("pl", "jeszcze jeden na 3"),
    ],
)
def test_another_one_is_another_timer(language: str, text: str) -> None:
    assert talk(SET[language], text, language=language)[1] == "HassStartTimer minutes=3"


def test_another_one_follows_a_changed_timer_too() -> None:
    texts = SET["en"], "make it 10", "and another one for 3", "another 5"
    assert talk(*texts)[2:] == ["HassStartTimer minutes=3", "HassIncreaseTimer minutes=5"]


PIZZA = "set a timer for 12 minutes named pizza"


@pytest.mark.parametrize("text", ["and a pasta timer for 8 minutes", "and eggs", "and that's it"])
def test_what_is_no_name_starts_no_timer(text: str) -> None:
    assert not talk(PIZZA, text)[1].startswith("Hass")


def test_a_timer_is_cancelled_by_the_name_that_it_was_given() -> None:
    pasta = "set a timer for 8 minutes named pasta"
    texts = PIZZA, pasta, "cancel the pasta timer", "no the pizza timer"
    assert talk(*texts)[2:] == ["HassCancelTimer name=pasta", "HassCancelTimer name=pizza"]


@pytest.mark.parametrize(
    ("language", "text"),
    [("en", "timer 10 minutes"), ("en", "set timer 10 minutes"), ("de", "Timer 10 Minuten"),
     ("fr", "minuteur 10 minutes"), ("ru", "таймер 10 минут"), ("it", "timer 10 minuti")],
)  # fmt: skip
def test_the_time_of_a_timer_needs_no_preposition(language: str, text: str) -> None:
    assert talk(text, language=language) == ["HassStartTimer minutes=10"]


@pytest.mark.parametrize(
    ("language", "texts"),
    [
        ("de", ("stell einen Timer auf 10 Minuten", "noch 5 Minuten", "wie lange noch",
                "brich ihn ab")),
        ("it", ("timer di 10 minuti", "fai 12", "annullalo")),
        ("en", ("set a timer for 10 minutes", "add 5 more", "cancel it")),
    ],
)  # fmt: skip
def test_a_timer_that_is_cancelled_runs_no_further(language: str, texts: tuple[str, ...]) -> None:
    assert talk(*texts, language=language)[-1].startswith("HassCancelTimer")


@pytest.mark.parametrize(
    ("language", "texts", "answer"),
    [
        ("es", ("temporizador 5 minutos", "añade 2 minutos"), "HassIncreaseTimer minutes=2"),
        ("es", ("temporizador 5 minutos", "quita 1"), "HassDecreaseTimer minutes=1"),
        ("fr", ("minuteur 5 minutes", "ajoute 2 minutes"), "HassIncreaseTimer minutes=2"),
        ("pl", ("minutnik na 10 minut", "dodaj 2 minuty"), "HassIncreaseTimer minutes=2"),
    ],
)
def test_a_verb_prolongs_a_timer(language: str, texts: tuple[str, ...], answer: str) -> None:
    assert talk(*texts, language=language)[-1] == answer
