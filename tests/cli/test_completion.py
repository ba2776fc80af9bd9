"""Shells complete commands, the names of models and agents, and files."""

from __future__ import annotations

import subprocess
import sys

import pytest
from typer.testing import CliRunner

from anaphora.cli import app


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with some files, the current one."""
    monkeypatch.chdir(tmp_path)
    for name in ("welcome.yaml", "wine.json", "weekly.txt", ".wet.yaml"):
        (tmp_path / name).write_text("")
    (tmp_path / "west").mkdir()
    (tmp_path / "west" / "wide.yml").write_text("")
    return tmp_path


def completed(line: str) -> list[str]:
    """What bash offers at the end of a command line."""
    words = line.split(" ")
    environment = {
        "_ANAPHORA_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words) - 1),
    }
    output = CliRunner().invoke(app, [], env=environment, prog_name="anaphora").output
    return output.split()


@pytest.mark.parametrize("command", ["chat", "ask", "explain", "check", "serve", "mcp"])
def test_models_and_their_files_are_completed(folder, command):
    assert completed(f"anaphora {command} we") == ["weather", "welcome.yaml", "west/"]


def test_files_in_folders_are_completed(folder):
    assert completed("anaphora chat west/w") == ["west/wide.yml"]
    assert completed("anaphora chat wes") == ["west/wide.yml"]  # no space after "west/"
    (folder / "wild" / "inner").mkdir(parents=True)
    (folder / "wild" / "inner" / "a.yaml").touch()
    assert completed("anaphora chat wil") == ["wild/inner/a.yaml"]
    assert completed("anaphora chat nowhere/w") == []
    assert completed("anaphora chat .w") == [".wet.yaml"]


def test_files_of_stores_are_completed(folder):
    (folder / "bot.db").touch()
    (folder / "bot.yaml").touch()
    assert completed("anaphora backup bo") == ["bot.db"]
    assert completed("anaphora backup west/w") == []


def test_agents_are_completed(folder):
    assert completed("anaphora agent chat as") == ["assistant"]
    assert completed("anaphora agent as") == ["assistant"]
    assert completed("anaphora agent we") == ["welcome.yaml", "west/"]
    assert completed("anaphora agent lo") == ["load"]
    assert "--url" in completed("anaphora agent assistant --u")
    assert completed("anaphora check as") == ["assistant"]


def test_commands_kinds_and_languages_are_completed(folder):
    assert completed("anaphora ch") == ["chat", "check"]
    assert completed("anaphora new shop --kind ") == ["order", "booking", "faq", "home"]
    assert completed("anaphora new shop --language d") == ["de"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_for_the_shell_can_be_printed(shell):
    output = (
        CliRunner()
        .invoke(app, [], env={"_ANAPHORA_COMPLETE": f"source_{shell}"}, prog_name="anaphora")
        .output
    )
    assert "_ANAPHORA_COMPLETE=complete_" in output


def test_completing_does_not_wait_for_spacy(folder):
    code = (
        "import sys\n"
        "from anaphora.cli.completion import complete_model_or_agent\n"
        "complete_model_or_agent('we'); print('spacy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout.strip() == b"False"
