"""Undo one command after the other."""

from __future__ import annotations

import pytest

from tests.intents.decision.sentences.homes import NAMES, talk

pytest.importorskip("home_assistant_intents")


@pytest.mark.parametrize(
    ("language", "texts", "undo", "nothing"),
    [
        ("en", ("turn on the lamp", "turn on the radio"), "undo that", "There is nothing to undo."),
        (
            "de",
            ("mach die Lampe an", "mach das Radio an"),
            "mach das rückgängig",
            "Es gibt nichts rückgängig zu machen.",
        ),
    ],
)
def test_undo_said_twice_undoes_the_command_before(
    language: str, texts: tuple[str, str], undo: str, nothing: str
) -> None:
    lamp, radio = NAMES[language][5:]
    assert talk(*texts, undo, undo, undo, language=language)[2:] == [
        f"HassTurnOff name={radio}",
        f"HassTurnOff name={lamp}",
        nothing,
    ]


def test_a_command_after_an_undo_is_undone_first() -> None:
    texts = "lock the front door", "undo that", "lock the back door", "undo that", "undo that"
    assert talk(*texts)[3:] == ["HassTurnOff name=back door", "There is nothing to undo."]


def test_a_value_is_undone_though_something_else_was_set_since() -> None:
    texts = "set the lamp to 20 percent", "turn on the radio", "set the lamp to 50 percent"
    assert talk(*texts, "undo that", "undo that", "undo that")[3:] == [
        "HassLightSet brightness=20 name=lamp",
        "HassTurnOff name=radio",
        "That cannot be undone.",
    ]


@pytest.mark.parametrize(
    ("language", "on", "misunderstood", "undo", "answer"),
    [
        (
            "en",
            "turn on the lamp",
            "turn on the moon",
            "undo that",
            "Nothing was done last. The last command was for: lamp.",
        ),
        (
            "de",
            "mach die Lampe an",
            "mach den Mond an",
            "mach das rückgängig",
            "Zuletzt wurde nichts getan. Der letzte Befehl galt: Lampe.",
        ),
    ],
)
def test_after_what_did_nothing_there_is_nothing_to_take_back(
    language: str, on: str, misunderstood: str, undo: str, answer: str
) -> None:
    assert talk(on, misunderstood, undo, language=language)[2] == answer


def test_the_thing_that_was_done_before_may_be_named_then() -> None:
    texts = "turn on the lamp", "turn on the moon", "undo that", "turn it off"
    assert talk(*texts)[3] == "HassTurnOff name=lamp"
