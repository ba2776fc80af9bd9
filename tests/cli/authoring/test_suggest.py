"""``anaphora suggest`` from the command line."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from anaphora.cli.authoring.suggest import suggest
from anaphora.errors import AnaphoraError
from tests.support.plain_models import PLAIN_WEATHER

LOG = """\
# Monday
What is the wether in Tokyo?
weather in Toyko

weather in Kyoto
"""


def run(*arguments: str, stdin: str | bytes = LOG) -> Result:
    app = typer.Typer(pretty_exceptions_enable=False)
    app.command()(suggest)
    return CliRunner().invoke(app, [PLAIN_WEATHER, *arguments], input=stdin)


def test_suggestions_are_grouped_by_element_with_a_summary():
    result = run()
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert len(lines) == 9
    assert (lines[0], lines[4]) == ("weather", "city")
    assert re.fullmatch(r"  0\.\d\d  wether", lines[1])
    assert lines[2].startswith("        like 'weather' (0.92); 1 question would match; ")
    assert lines[3] == "        e.g. What is the wether in Tokyo?"
    assert re.fullmatch(r"  0\.\d\d  Toyko = Tokyo", lines[5])
    assert lines[8] == "3 questions read, 1 of them understood"


def test_json_prints_only_suggestions_to_stdout():
    result = run("--json")
    first, second = (json.loads(line) for line in result.stdout.splitlines())
    assert list(first) == ["element", "value", "phrase", "score", "seen", "evidence", "example"]
    assert (first["phrase"], second["phrase"], second["value"]) == ("wether", "Toyko", "Tokyo")
    assert result.stderr == "3 questions read, 1 of them understood\n"


def test_the_log_can_be_a_file(tmp_path: Path):
    log = tmp_path / "log.txt"
    log.write_text(LOG, encoding="utf-8")
    assert run("--log", str(log), stdin="").stdout == run("--log", "-").stdout


def test_element_and_top_limit_the_suggestions():
    assert "wether" not in run("--element", "city").stdout
    assert run("--element", "city", "--element", "weather").stdout == run().stdout
    many = "weather in Toyko\nweather in Kioto\n"
    assert len(run("--json", "--top", "1", stdin=many).stdout.splitlines()) == 1


def test_no_suggestions_are_reported():
    result = run(stdin="weather in Tokyo\n")
    assert result.stdout == "no suggestions\n1 question read, 1 of them understood\n"
    assert run(stdin="").stdout.endswith("0 questions read, 0 of them understood\n")


def test_matched_lines_are_skipped_and_invalid_ones_reported():
    log = (
        b'{"question": "weather in Toyko", "status": "matched"}\n'
        b'{"question": \n'
        b'{"question": "weather in Kioto", "status": "rejected"}\n'
        b"\xff\xfe\x00 wether\n"
    )
    result = run(stdin=log)
    assert result.exit_code == 0
    assert result.stderr.startswith("Warning: standard input:2: this is not JSON")
    assert "Toyko" not in result.stdout
    assert "Kioto" in result.stdout
    assert "3 questions read, 1 of them understood" in result.stdout


def test_the_number_of_warnings_is_limited():
    result = run(stdin="{\n" * 500 + "weather in Toyko\n")
    assert len(result.stderr.splitlines()) == 11
    assert "and 490 more" in result.stderr
    assert "Toyko" in result.stdout


def test_word_vectors_are_read_from_a_file(tmp_path: Path):
    vectors = tmp_path / "tiny.vec"
    vectors.write_text("2 2\nweather 1 0\ndownpour 1 0.1\n", encoding="utf-8")
    question = "downpour!\n"
    assert "no suggestions" in run(stdin=question).stdout
    with_vectors = run("--vectors", str(vectors), stdin=question).stdout
    assert "close in meaning to 'weather' (1.00)" in with_vectors


def test_embeddings_name_the_missing_library(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    result = run("--embeddings", "mini")
    assert isinstance(result.exception, AnaphoraError)
    assert "pip install 'anaphora[embeddings]'" in str(result.exception)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--log", "no/such/file"), "cannot read no/such/file"),
        (("--vectors", "a", "--embeddings", "b"), "not both"),
        (("--min-score", "2"), "less than or equal to 1"),
        (("--top", "0"), "greater than or equal to 1"),
    ],
)
def test_invalid_options_are_errors(arguments, message):
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_ctrl_c_prints_one_line(monkeypatch: pytest.MonkeyPatch):
    def interrupted(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("anaphora.suggestions.study.study", interrupted)
    result = run()
    assert result.exit_code == 130
    assert result.stderr == "Interrupted; there are no suggestions.\n"
