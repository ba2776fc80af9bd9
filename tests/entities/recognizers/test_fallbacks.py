"""Words with two meanings, of which an intent takes the one that it needs."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from anaphora import Engine, parse_model

NOW = datetime(2026, 11, 18, 10, 30, tzinfo=UTC)

TRIP = """
id: trip
language: {language}
entities: [date, number]
elements: [{{id: go, synonyms: [trip]}}]
intents:
  - intent=when term(go)~{{# == 'go'}} term(day)={{# == 'date'}}*
  - intent=count term(number)={{# == 'number'}}
"""


@pytest.fixture
def say() -> Callable[..., dict[str, Any]]:
    def ask(language: str, *texts: str) -> dict[str, Any]:
        engine = Engine(parse_model(TRIP.format(language=language)), clock=lambda: NOW)
        reply = [engine.ask(text, user="A") for text in texts][-1]
        return {name: found.value for name, found in reply.slots.items() if name != "go"}

    return ask


@pytest.mark.parametrize(
    ("language", "texts", "found"),
    [
        ("en", ["trip", "12/25"], ["2026-12-25"]),
        ("en", ["trip 12/25 or 12/26"], ["2026-12-25", "2026-12-26"]),
        ("en", ["trip tomorrow", "no, 12/6"], ["2026-12-06"]),
        ("de", ["trip", "25.12."], ["2026-12-25"]),
        ("de", ["trip morgen", "nein, 26.12."], ["2026-12-26"]),
        ("fr", ["trip", "25/12"], ["2026-12-25"]),
        ("pt", ["trip", "de segunda a sexta"], ["2026-11-23/2026-11-27"]),
        ("pt", ["trip de segunda a sexta das 9 às 17"], ["2026-11-23T09:00/2026-11-27T17:00"]),
    ],
)
def test_days_are_no_numbers(say, language, texts, found) -> None:
    assert say(language, *texts) == {"day": found}


@pytest.mark.parametrize(
    ("language", "text", "found"),
    [("en", "3/4 of it", "0.75"), ("de", "3/4 davon", "0.75"), ("de", "Python 3.11", "3.11")],
)
def test_a_fraction_or_a_version_stays_a_number(say, language, text, found) -> None:
    assert say(language, text) == {"number": found}
