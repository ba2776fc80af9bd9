"""``python -m benchmarks.report``: options, failures and interruptions."""

from __future__ import annotations

import json
import re

import pytest
from typer.testing import CliRunner

from benchmarks.report import cli
from benchmarks.report.data import (
    LeftOut,
    Section,
)
from benchmarks.report.options import Form, ReportOptions
from benchmarks.report.registry import CHAPTERS, Chapter


@pytest.fixture
def runner(monkeypatch, tmp_path):
    """A function that runs the command with the given sections instead of the real ones."""

    def run(*options, **sections):
        class Made(Chapter):
            @property
            def measure(self):
                return sections[self.id]

        chapters = [Made(id, f"about {id}") for id in sections]
        monkeypatch.setattr(cli, "CHAPTERS", chapters)
        monkeypatch.setattr(cli, "chapter", lambda id: id if id in sections else None)
        return CliRunner().invoke(cli.app, ["--out", str(tmp_path / "out"), *options])

    return run


def good(wanted: ReportOptions, tell: object) -> Section:
    return Section("good", "Good", f"In the {wanted.form} form.", figures={"start.seconds": 0.5})


def bad(wanted: ReportOptions, tell: object) -> Section:
    raise OSError("no disk")


def interrupted(wanted: ReportOptions, tell: object) -> Section:
    raise KeyboardInterrupt


def test_a_failing_section_does_not_affect_the_others(runner, tmp_path):
    result = runner(first=bad, second=good)
    page = (tmp_path / "out" / "report.md").read_text("utf-8")
    assert result.exit_code == 1
    assert "## Good" in page
    assert "- first: it failed: no disk" in page
    assert "✗ first: no disk" in result.stderr


def partly(wanted: ReportOptions, tell: object) -> Section:
    failed = LeftOut("benchmarks.bad", "it ended with 1", failed=True)
    return Section("partly", "Partly", "Some of it.", left_out=(failed,))


def lacking(wanted: ReportOptions, tell: object) -> Section:
    return Section("lacking", "Lacking", "None.", left_out=(LeftOut("service", "it needs wrk"),))


def test_a_failing_part_of_a_section_is_an_error(runner, tmp_path):
    result = runner(first=partly, second=good)
    page = (tmp_path / "out" / "report.md").read_text("utf-8")
    assert result.exit_code == 1
    assert "- benchmarks.bad: it ended with 1" in page
    assert "✗ benchmarks.bad: it ended with 1" in result.stderr


def test_a_missing_program_is_reported_but_not_an_error(runner, tmp_path):
    result = runner(first=lacking, second=good)
    assert result.exit_code == 0
    assert "- service: it needs wrk" in (tmp_path / "out" / "report.md").read_text("utf-8")


def test_an_interruption_keeps_the_finished_sections(runner, tmp_path):
    result = runner(first=good, second=interrupted, third=good)
    page = (tmp_path / "out" / "report.md").read_text("utf-8")
    assert result.exit_code == 130
    assert page.count("## Good") == 1
    assert "- second, third: stopped before it was measured" in page
    assert "What is done is kept" in result.stderr


def test_a_single_section_can_be_measured(runner, tmp_path):
    assert runner("--only", "second", first=bad, second=good).exit_code == 0


def test_an_unknown_section_is_an_error_that_lists_the_sections(runner):
    result = runner("--only", "third", first=bad, second=good)
    assert result.exit_code == 2
    assert re.search(r"there is no section 'third'; there are: first,\s+second", result.stderr)


def test_the_short_form_judges_no_aim(runner, tmp_path):
    assert runner("--short", first=good).exit_code == 0
    data = json.loads((tmp_path / "out" / "report.json").read_text("utf-8"))
    assert {aim["word"] for aim in data["aims"]} == {"not measured"}
    assert data["sections"][0]["intro"] == f"In the {Form.SHORT} form."
    assert runner(first=good).exit_code == 0
    data = json.loads((tmp_path / "out" / "report.json").read_text("utf-8"))
    assert {aim["word"] for aim in data["aims"]} == {"met", "not measured"}


def test_the_sections_are_listed():
    result = CliRunner().invoke(cli.app, ["--list"])
    assert [line.split()[0] for line in result.stdout.splitlines()] == [one.id for one in CHAPTERS]
