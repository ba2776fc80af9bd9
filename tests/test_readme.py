"""The examples of the README and the documentation do what they say."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from anaphora.cli import app

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def examples() -> list[str]:
    texts = [page.read_text(encoding="utf-8") for page in PAGES]
    found = [re.findall(r"<!-- run -->\n```python\n(.*?)```", text, re.DOTALL) for text in texts]
    return [code for codes in found for code in codes]


@pytest.mark.parametrize("code", examples())
def test_python_examples_print_what_their_comments_say(code, capsys):
    exec(compile(code, "README.md", "exec"), {})
    printed = capsys.readouterr().out
    expected = re.findall(r"^print\(.*\) +# (.+)$", code, re.MULTILINE)
    assert printed.splitlines() == expected or (printed and not expected)


def test_there_are_python_examples():
    assert len(examples()) == 3


@pytest.fixture
def in_a_folder_with_the_example(tmp_path, monkeypatch):
    ((name, text),) = re.findall(r"<!-- file: (\S+) -->\n```yaml\n(.*?)```", README, re.DOTALL)
    (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def commands() -> list[list[str]]:
    lines = re.findall(r"^\$ anaphora (.+)$", README, re.MULTILINE)
    return [shlex.split(line, comments=True) for line in lines]


@pytest.mark.parametrize("arguments", commands(), ids=" ".join)
@pytest.mark.usefixtures("in_a_folder_with_the_example")
def test_commands_run_as_written(arguments):
    result = CliRunner().invoke(app, arguments, input="")
    assert result.exit_code == 0, result.output


@pytest.mark.usefixtures("in_a_folder_with_the_example")
def test_the_dialog_of_the_yaml_example_comes_out_as_it_reads():
    result = CliRunner().invoke(
        app, ["ask", "tea.yaml", "I'd like a big tea", "And a coffee!", "@6m", "And a tea?"]
    )
    assert "One large tea is on its way." in result.output
    assert "One large coffee is on its way." in result.output
    assert "rejected" in result.output
