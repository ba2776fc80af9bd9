"""Run with `pytest`: the dialogs of the model, and what they cannot show."""

from pathlib import Path

import pytest

from anaphora import Engine
from anaphora.engine.samples.runner import run_dialog

FILE = Path(__file__).with_name("restaurants.yaml")
ENGINE = Engine(FILE)


@pytest.mark.parametrize("dialog", ENGINE.model().samples, ids=lambda dialog: dialog.name)
def test_dialogs(dialog):
    result = run_dialog(ENGINE, dialog)
    assert result.passed, [step.failures for step in result.steps]


def test_each_user_has_tables_of_their_own(tmp_path):
    with Engine(FILE, store=f"sqlite:///{tmp_path}/bot.db") as engine:
        engine.ask("Book Roma for two, tomorrow at 7 pm", user="ann")
        assert engine.ask("yes", user="ann").text.startswith("Booked: Roma for 2")
        assert "not booked" in engine.ask("Which tables have I booked?", user="ben").text

    with Engine(FILE, store=f"sqlite:///{tmp_path}/bot.db") as engine:  # after a restart
        engine.ask("Find an Italian restaurant", user="ann")
        assert "Roma" in engine.ask("Which tables have I booked?", user="ann").text
