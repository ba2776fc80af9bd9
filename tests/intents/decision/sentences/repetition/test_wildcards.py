"""Slots that take any words, beside others that take numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from anaphora import Engine, load_model

SENTENCES = """
language: en
intents:
  Remind:
    data:
      - sentences: ["remind me to {task} [in {minutes} minute[s]]"]
lists:
  task: {wildcard: true}
  minutes: {range: {from: 1, to: 60, multiplier: 60}}
"""


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    file = tmp_path / "reminders.yaml"
    file.write_text(SENTENCES)
    return Engine(load_model(file))


@pytest.mark.parametrize("text", ["in 10", "and in 10", "no, 10", "and 10", "10"])
def test_a_number_alone_is_one_of_minutes_and_no_task(engine: Engine, text: str) -> None:
    engine.ask("remind me to buy milk in 5 minutes")
    slots = engine.ask(text).slots
    assert (slots["task"].value, slots["minutes"].value) == ("buy milk", "600")


@pytest.mark.parametrize("text", ["and buy 2 eggs", "and buy bread"])
def test_other_words_are_the_next_task(engine: Engine, text: str) -> None:
    engine.ask("remind me to buy milk in 5 minutes")
    assert engine.ask(text).slots["task"].value == text.removeprefix("and ")


def test_a_half_without_its_unit_is_no_half_a_minute(engine: Engine) -> None:
    engine.ask("remind me to buy milk in 5 minutes")
    assert engine.ask("in half").status == "rejected"
