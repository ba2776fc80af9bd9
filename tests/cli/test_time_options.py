"""The options ``--at`` and ``--time-zone``."""

from __future__ import annotations

import time

import pytest
import tzlocal
from typer.testing import CliRunner

from anaphora.cli import app

BOT = """\
id: clock
code: clock_code
elements: [{id: time}, {id: date, recognizer: "#now"}]
intents: ["intent=time term={# == 'time'}"]
handlers: {time: "#tell"}
"""
CODE = """
def now(at):
    return []

def tell(at):
    return at.isoformat(timespec="minutes")
"""


@pytest.fixture
def bot(tmp_path):
    (tmp_path / "clock_code.py").write_text(CODE, encoding="utf-8")
    (tmp_path / "clock.yaml").write_text(BOT, encoding="utf-8")
    return str(tmp_path / "clock.yaml")


@pytest.fixture
def in_tokyo(monkeypatch):
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    tzlocal.reload_localzone()  # it is looked up once per process
    yield
    monkeypatch.undo()
    time.tzset()
    tzlocal.reload_localzone()


def told(*arguments: str, stdin: str = "") -> list[str]:
    result = CliRunner().invoke(app, list(arguments), input=stdin)
    assert result.exit_code == 0, result.output
    return [line for line in result.output.splitlines() if line.startswith("20")]


def test_ask_and_chat_use_the_time_zone_of_the_machine(bot, in_tokyo):
    (asked,) = told("ask", bot, "time")
    (typed,) = told("chat", bot, stdin="time\n")
    assert asked.endswith("+09:00")
    assert typed.endswith("+09:00")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--at", "2026-11-21T10:00+01:00"], "2026-11-21T10:00+01:00"),
        (["--at", "2026-11-21T10:00Z"], "2026-11-21T10:00+00:00"),
        (["--at", "2026-11-21T10:00"], "2026-11-21T10:00+09:00"),
        (["--at", "2026-11-21"], "2026-11-21T00:00+09:00"),
        (
            ["--at", "2026-07-21T10:00", "--time-zone", "Europe/Berlin"],
            "2026-07-21T10:00+02:00",
        ),
        (
            ["--at", "2026-11-21T10:00Z", "--time-zone", "Europe/Berlin"],
            "2026-11-21T11:00+01:00",
        ),
    ],
)
def test_the_time_of_the_first_question_can_be_given(bot, in_tokyo, options, expected):
    assert told("ask", bot, "time", *options) == [expected]


def test_pauses_are_elapsed_time_across_daylight_saving(bot):
    options = ["--at", "2026-03-29T01:58", "--time-zone", "Europe/Berlin"]
    assert told("ask", bot, "time", "@4m", "time", *options) == [
        "2026-03-29T01:58+01:00",
        "2026-03-29T03:02+02:00",
    ]


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--at", "soon", "is not a time"),
        ("--at", "2026-02-30", "is not a time"),
        ("--at", "0001-01-01T00:00", "is not a time"),
        ("--at", "9999-12-31T23:59", "is not a time"),
        ("--time-zone", "Berlin", "is not a time zone"),
        ("--time-zone", "../etc", "is not a time zone"),
        ("--time-zone", "", ""),
    ],
)
@pytest.mark.parametrize("command", ["ask", "explain"])
def test_an_invalid_time_is_an_error(bot, command, option, value, said):
    result = CliRunner().invoke(app, [command, bot, "time", option, value])
    assert result.exit_code == (2 if said else 0)
    assert said in result.stderr
