"""``anaphora import hassil`` from the command line."""

from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner, Result

from anaphora import load_model
from anaphora.cli import app

SENTENCES = """
language: en
intents:
  TurnOn: {data: [{sentences: ["turn on {name}"]}]}
"""


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["import", "hassil", *map(str, arguments)])


def test_the_model_names_the_sentences_and_has_a_place_for_the_home(tmp_path: Path) -> None:
    (tmp_path / "sentences").mkdir()
    (tmp_path / "sentences" / "en.yaml").write_text(SENTENCES, encoding="utf-8")
    output = tmp_path / "home.yaml"
    result = run(tmp_path / "sentences", "--output", output, "--id", "my-home")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "1 intents, 1 sentences" in result.stderr
    assert "The home gives the values of: name." in result.stderr
    model = load_model(output)
    assert (model.id, [one.id for one in model.intents]) == ("my-home", ["TurnOn"])
    assert "sentences: sentences\n" in output.read_text(encoding="utf-8")


def test_an_existing_file_is_overwritten_only_with_force(tmp_path: Path) -> None:
    source = tmp_path / "en.yaml"
    source.write_text(SENTENCES, encoding="utf-8")
    output = tmp_path / "home.yaml"
    output.write_text("mine", encoding="utf-8")
    assert run(source, "--output", output).exit_code == 2
    assert output.read_text(encoding="utf-8") == "mine"
    assert run(source, "--output", output, "--force").exit_code == 0


def test_what_is_not_there_is_an_error(tmp_path: Path) -> None:
    result = run(tmp_path / "nowhere.yaml")
    assert result.exit_code != 0


def test_an_id_that_no_model_can_have_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "en.yaml"
    source.write_text(SENTENCES, encoding="utf-8")
    result = run(source, "--id", "my home")
    assert result.exit_code == 2
    assert "'my home' cannot be an id" in " ".join(result.stderr.split())
