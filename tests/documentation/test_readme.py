"""The Python examples of the README and of all pages print what their comments show."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from anaphora.cli import app
from tests.documentation.examples import PAGES, Example, examples, write_files

FOUND = examples(kind="run", language="python")


@pytest.mark.parametrize("example", FOUND, ids=map(str, FOUND))
def test_python_examples_print_what_their_comments_say(
    example: Example,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_files(example.page, tmp_path)
    monkeypatch.chdir(tmp_path)
    exec(compile(example.text, str(example), "exec"), {})
    printed = capsys.readouterr().out
    expected = re.findall(r"^ *print\(.*\) +# (.+)$", example.text, re.MULTILINE)
    assert printed.splitlines() == expected or (printed and not expected)


def test_pages_with_python_have_executed_examples() -> None:
    names = {example.page.stem for example in FOUND}
    assert names >= {"README", "how-it-works", "intent-language", "synonyms"}


def test_the_yaml_example_answers_its_dialog(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(PAGES[0], tmp_path)
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(
        app, ["ask", "tea.yaml", "I'd like a big tea", "And a coffee!", "@6m", "And a tea?"]
    )
    assert "One large tea is on its way." in result.output
    assert "One large coffee is on its way." in result.output
    assert "rejected" in result.output
