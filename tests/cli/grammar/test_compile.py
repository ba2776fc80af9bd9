"""``anaphora compile`` from the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from anaphora.cli import app


def run(file: Path | str, *options: str, stdin: bytes = b"") -> Result:
    return CliRunner().invoke(app, ["compile", str(file), *options], input=stdin)


def test_declarations_are_counted() -> None:
    fragment = b"fragment=when term(day)~{# == 'day'}?\n"
    intent = b"intent=order term(food)~{# == 'food'} fragment(when)"
    assert run("-", stdin=fragment + intent).stdout.splitlines() == [
        "order  food~  day~[0,1]",
        "1 intent, 1 fragment",
    ]
    assert run("-", stdin=fragment).stdout == "0 intents, 1 fragment\n"


@pytest.mark.parametrize("name", ["bot.yaml", "bot.YML", "bot.json"])
def test_a_model_file_is_recognized(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.write_text("id: bot\n", encoding="utf-8")
    result = run(file)
    assert result.exit_code == 1
    assert "this looks like a model file" in result.stderr
    assert f"hint: 'anaphora check {file}' checks it" in result.stderr


@pytest.mark.parametrize("suffix", ["yaml", "json"])
def test_the_intents_of_a_model_are_printed_as_text(tmp_path: Path, suffix: str) -> None:
    mapping = {"id": "order", "slots": {"tea": {"optional": True}, "what": ["tea", "cake"]}}
    text = "id=ask term={id == 'tea'}"
    elements = [{"id": "tea"}, {"id": "cake"}]
    model = {"id": "m", "elements": elements, "intents": [mapping, text]}
    file = tmp_path / f"bot.{suffix}"
    file.write_text(json.dumps(model), encoding="utf-8")
    assert run(file, "--print").stdout == (
        "intent=order\n  term(tea)~{# == 'tea'}?\n  term(what)~{has(list('tea', 'cake'), #)}\n\n"
        "intent=ask\n  term~{# == 'tea'}\n"
    )


def test_the_mistakes_of_a_model_are_shown_instead_of_its_intents(tmp_path: Path) -> None:
    file = tmp_path / "bot.yaml"
    file.write_text("id: m\nelements: [{id: tea}]\nintents: [{id: i, slots: {te: te}}]\n")
    result = run(file, "--print")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "bot.yaml:3:31: the intent 'i' refers to the unknown element 'te'" in result.stderr
    assert "did you mean 'tea'?" in result.stderr


def test_a_missing_file_is_an_error_whatever_its_name(tmp_path: Path) -> None:
    result = run(tmp_path / "bot.yaml")
    assert result.exit_code == 1
    assert "cannot be read: No such file" in result.stderr


def test_bytes_that_are_not_utf_8_are_an_error() -> None:
    result = run("-", stdin=b"\xff\xfe")
    assert (result.exit_code, result.stderr) == (1, "Error: <stdin>: this is not UTF-8 text\n")


def test_a_closed_standard_input_is_an_empty_text() -> None:
    command = f"{sys.executable} -m anaphora compile - <&-"
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(b"Error: <stdin>: expected an intent")
