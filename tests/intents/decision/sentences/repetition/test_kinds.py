"""All things of a kind, of which the sentences name one alone: "lock all doors"."""

from __future__ import annotations

import pytest

from tests.intents.decision.sentences.homes import NAMES, talk

pytest.importorskip("home_assistant_intents")


@pytest.mark.parametrize(
    ("language", "text", "yes"),
    [
        ("en", "lock all doors", "yes"),
        ("en", "lock all the doors", "and the rest"),
        ("en", "lock both doors", "the rest"),
        ("de", "schließe alle Türen ab", "ja"),
        ("es", "cierra con llave todas las puertas", "sí"),
        ("fr", "verrouille toutes les portes", "oui"),
        ("it", "chiudi a chiave tutte le porte", "sì"),
        ("nl", "doe alle deuren op slot", "ja"),
        ("sv", "lås alla dörrar", "ja"),
    ],
)
def test_all_doors_are_locked_one_by_one(language: str, text: str, yes: str) -> None:
    front, back = NAMES[language][3:5]
    assert talk(text, yes, language=language) == [
        f"HassTurnOn name={front}",
        f"HassTurnOn name={back}",
    ]


def test_the_doors_of_a_room_are_those_there() -> None:
    assert talk("lock all the doors in the kitchen") == ["HassTurnOn name=back door"]


@pytest.mark.parametrize(
    "text", ["unlock all the lamps", "unlock all the windows", "turn off all the blinds"]
)
def test_what_a_command_is_not_for_is_not_unlocked(text: str) -> None:
    assert talk(text) == ["That cannot be done for all of them."]
