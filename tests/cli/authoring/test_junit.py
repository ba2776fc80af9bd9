"""The JUnit XML report of ``anaphora check``, as build servers read it."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from xml.etree import ElementTree

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from anaphora.cli import app
from anaphora.cli.authoring.junit import junit_xml, write_junit
from anaphora.cli.authoring.sample_results import Case, CaseTurn, Suite
from tests.support.plain_models import PLAIN_WEATHER

BOT = """\
id: kitchen
elements: [{id: tea}, {id: milk}]
intents: ["intent=tea term(tea)={# == 'tea'}", "intent=milk term(milk)={# == 'milk'}"]
responses: {tea: "{{ 1 // 0 }}", milk: "\\e[31m<&\\""}
samples:
  - dialog: [{ask: milk}]
  - {name: twice, dialog: [{ask: milk, intent: tea}]}
  - {name: twice, dialog: [{ask: milk}, {ask: tea}]}
"""

PASSED = Case("all well", 3, (CaseTurn("hi", actual="matched"),), 0.25)


def failed(text: str) -> Case:
    return Case(text, turns=(CaseTurn(text, failures=(text, "more")),))


def check(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["check", *arguments])


def numbers(node: ElementTree.Element) -> tuple[str | None, ...]:
    return tuple(node.get(name) for name in ("tests", "failures", "errors", "skipped"))


def test_a_model_is_a_suite_and_a_dialog_a_case(tmp_path):
    bot, file = tmp_path / "kitchen.yaml", tmp_path / "report.xml"
    bot.write_text(BOT, encoding="utf-8")
    assert check(str(bot), PLAIN_WEATHER, "--junit", str(file)).exit_code == 1
    root = ElementTree.parse(file).getroot()
    assert root.tag == "testsuites"
    kitchen, weather = root
    assert (kitchen.get("name"), weather.get("name")) == ("kitchen", "weather")
    assert numbers(kitchen) == ("3", "1", "1", "0")
    assert numbers(weather)[1:] == ("0", "0", "0")
    assert int(root.get("tests")) == 3 + int(weather.get("tests")) > 3
    milk, otherwise, broken = kitchen
    assert list(milk) == []
    assert [case.get("name") for case in kitchen] == ["milk", "twice (line 7)", "twice (line 8)"]
    assert {case.get("classname") for case in kitchen} == {"kitchen"}
    assert {case.get("file") for case in kitchen} == {str(bot)}
    assert all(float(case.get("time")) > 0 for case in kitchen)
    failure = otherwise.find("failure")
    assert failure.get("message") == "milk: intent is milk, not tea"
    assert "✗ milk (line 7)" in failure.text
    assert "| 'milk' is matched" in failure.text
    assert "division" in broken.find("error").get("message")
    assert "✓ milk" in broken.findtext("error")


def test_characters_forbidden_in_xml_are_escaped(tmp_path):
    bot, file = tmp_path / "kitchen.yaml", tmp_path / "report.xml"
    bot.write_text(BOT, encoding="utf-8")
    check(str(bot), "--junit", str(file))
    text = ElementTree.parse(file).getroot().findtext(".//failure")
    assert '\\x1b[31m<&"' in text


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_gives_valid_xml(text):
    root = ElementTree.fromstring(junit_xml([Suite(text, (failed(text), PASSED), text)]))
    assert numbers(root) == ("2", "1", "0", "0")
    if text.isascii() and text.isprintable():
        assert root[0].get("name") == text
        assert root[0][0][0].get("message") == f"{text}: {text} (and 1 more)"


def test_times_are_seconds_and_add_up():
    root = ElementTree.fromstring(junit_xml([Suite("a", (PASSED, PASSED)), Suite("b", (PASSED,))]))
    assert root[0][0].get("time") == "0.250000"
    assert [float(suite.get("time")) for suite in root] == [0.5, 0.25]
    assert float(root.get("time")) == 0.75


def test_a_model_that_cannot_be_loaded_is_an_error(tmp_path):
    file = tmp_path / "report.xml"
    assert check("wether", PLAIN_WEATHER, "--junit", str(file)).exit_code == 1
    wether, weather = ElementTree.parse(file).getroot()
    assert numbers(wether) == ("1", "0", "1", "0")
    assert "did you mean 'weather'" in wether.findtext("testcase/error")
    assert numbers(weather)[1:] == ("0", "0", "0")


def test_a_missing_folder_is_an_error_before_anything_runs(tmp_path):
    result = check(PLAIN_WEATHER, "--junit", str(tmp_path / "no" / "r.xml"))
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "there is no folder" in result.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("is_there", [False, True])
def test_a_read_only_folder_is_an_error_before_anything_runs(tmp_path, monkeypatch, is_there):
    file = tmp_path / "report.xml"
    if is_there:  # it would be replaced by a file that is written beside it
        file.touch()
    monkeypatch.setattr(os, "access", lambda path, mode: path != tmp_path)
    result = check(PLAIN_WEATHER, "--junit", str(file))
    assert (result.exit_code, result.stdout) == (2, "")
    assert "is read-only" in result.stderr


def test_an_older_report_is_replaced_atomically(tmp_path, monkeypatch):
    file = tmp_path / "report.xml"
    write_junit(file, [Suite("old")])
    old = file.read_bytes()

    def fail(self: Path, target: Path) -> Path:
        assert file.read_bytes() == old
        assert b'"new"' in self.read_bytes()
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", fail)
        with pytest.raises(typer.BadParameter, match="No space left"):
            write_junit(file, [Suite("new")])
    assert file.read_bytes() == old
    assert list(tmp_path.iterdir()) == [file]
    write_junit(file, [Suite("new")])
    assert b'"new"' in file.read_bytes()


def test_a_symbolic_link_still_points_to_the_report(tmp_path):
    file, link = tmp_path / "report.xml", tmp_path / "latest.xml"
    link.symlink_to(file)
    write_junit(link, [Suite("a")])
    assert link.is_symlink()
    assert b'"a"' in file.read_bytes()


def test_a_pipe_is_written_to_instead_of_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_junit(pipe, [Suite("a")])
        assert b'"a"' in os.read(reader, 4096)
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
