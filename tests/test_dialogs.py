"""The dialogs of tests/dialogs and the samples of every bundled model."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from anaphora import Engine
from anaphora.engine.samples.runner import DialogResult, run_dialog
from anaphora.models.catalog import model_names
from anaphora.models.loader import load_model, load_samples

DIALOGS = Path(__file__).parent / "dialogs"


def failures(result: DialogResult) -> str:
    return "\n".join(
        f"{turn.step}: {failure}\n{turn.reply.explanation if turn.reply else ''}"
        for turn in result.steps
        for failure in turn.failures
    )


@pytest.mark.parametrize("file", sorted(DIALOGS.glob("*.yaml")), ids=lambda file: file.stem)
def test_dialogs_in_plain_sight(file):
    model = load_model(yaml.safe_load(file.read_text(encoding="utf-8"))["model"])
    engine = Engine(model)
    dialogs = load_samples(file, model)
    assert dialogs
    for dialog in dialogs:
        result = run_dialog(engine, dialog)
        assert result.passed, f"{dialog.name}\n{failures(result)}"


def test_there_are_dialogs():
    assert len(list(DIALOGS.glob("*.yaml"))) >= 5


@pytest.mark.parametrize("name", model_names())
def test_every_bundled_model_passes_its_own_samples(name):
    model = load_model(name)
    engine = Engine(model)
    assert len(model.samples) >= 3
    for dialog in model.samples:
        result = run_dialog(engine, dialog)
        assert result.passed, f"{dialog.name}\n{failures(result)}"
