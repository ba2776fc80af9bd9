"""Logs: one line an event, whoever logs it; no text of a user unless it is asked for."""

from __future__ import annotations

import io
import json
import logging
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import structlog

from anaphora.server.observability.logs import configure_logs
from anaphora.server.settings.model import LogSettings

SECRET = "what Ann said"


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    """The logging of the tests themselves, as it was."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    structlog.reset_defaults()
    root.handlers[:], root.level = handlers, level
    logging.getLogger("uvicorn.error").setLevel(logging.NOTSET)
    logging.getLogger("httpx").setLevel(logging.NOTSET)
    logging.getLogger("httpcore").setLevel(logging.NOTSET)
    logging.getLogger("opentelemetry.exporter").setLevel(logging.NOTSET)


@pytest.fixture
def logged() -> Callable[..., Callable[[], list[dict[str, Any]]]]:
    """Configures logs with some settings; what is then called gives the lines so far."""

    def configure(**settings: Any) -> Callable[[], list[dict[str, Any]]]:
        out = io.StringIO()
        configure_logs(LogSettings(**settings), out)
        return lambda: [json.loads(line) for line in out.getvalue().splitlines()]

    return configure


def test_our_events_and_those_of_the_standard_library_are_lines_of_one_kind(
    logged: Callable[..., Any],
) -> None:
    lines = logged()
    with structlog.contextvars.bound_contextvars(request_id="abc"):
        structlog.get_logger().info("request", status=200)
        logging.getLogger("anaphora.stm").warning("a record of %s", "Ann", extra={"size": 5})
    ours, theirs = lines()
    assert list(ours)[:3] == list(theirs)[:3] == ["time", "level", "event"]
    assert ours.items() >= {"level": "info", "event": "request", "status": 200}.items()
    assert theirs.items() >= {"event": "a record of Ann", "size": 5}.items()
    assert theirs["logger"] == "anaphora.stm"
    assert ours["request_id"] == theirs["request_id"] == "abc"


def test_below_the_level_nothing_is_logged(logged: Callable[..., Any]) -> None:
    lines = logged(level="error")
    structlog.get_logger().warning("ours")
    logging.getLogger("anaphora").warning("theirs")
    structlog.get_logger().error("an error")
    assert [line["event"] for line in lines()] == ["an error"]


def fail() -> None:
    try:
        raise ValueError(SECRET)
    except ValueError as error:
        raise RuntimeError(f"failed at {SECRET}") from error


@pytest.mark.parametrize("log", [structlog.get_logger(), logging.getLogger("anaphora.server")])
def test_what_an_exception_quotes_of_a_user_is_not_logged(
    log: Any, logged: Callable[..., Any]
) -> None:
    lines = logged()
    try:
        fail()
    except RuntimeError:
        log.exception("failed")
    (line,) = lines()
    assert SECRET not in json.dumps(line)
    assert line["error"] == "RuntimeError from ValueError"
    assert "test_logs.py" in line["raised"][-1]
    assert line["raised"][-1].endswith("fail")


def test_it_is_logged_if_texts_are_asked_for(logged: Callable[..., Any]) -> None:
    lines = logged(texts=True)
    try:
        fail()
    except RuntimeError as error:
        structlog.get_logger().error("failed", exc_info=error)
    (line,) = lines()
    assert line["error"] == "RuntimeError"
    assert f"ValueError: {SECRET}" in line["traceback"]


def test_any_text_is_one_line_of_json(logged: Callable[..., Any]) -> None:
    lines = logged()
    text = 'two\nlines, "quotes", \x1b[31m and \ud800'
    structlog.get_logger().info(text, value=object())
    assert lines()[0]["event"] == text


def for_people(**settings: Any) -> io.StringIO:
    out = io.StringIO()
    configure_logs(LogSettings(format="console", **settings), out)
    return out


def test_lines_for_people_cannot_steer_a_terminal() -> None:
    out = for_people(texts=True)
    structlog.get_logger().info("said", text="\x1b[2Jgone", status=200)
    assert "said" in out.getvalue()
    assert "status=200" in out.getvalue()
    assert "\x1b[2J" not in out.getvalue()


def test_a_request_is_a_short_line_for_people() -> None:
    out = for_people()
    said = {"method": "POST", "route": "/v1/ask", "status": 200, "seconds": 0.0123, "key": None}
    structlog.get_logger().info("request", request_id="abc", **said)
    time, _, line = out.getvalue().rstrip().partition(" ")
    assert re.fullmatch(r"\d\d:\d\d:\d\d", time)
    assert line == "[info] POST /v1/ask 200 ms=12.3 request_id=abc"


def test_the_lines_of_one_event_for_people_do_not_look_like_others() -> None:
    out = for_people(texts=True)
    logging.getLogger("anaphora").error("tea.yaml:1:1: unknown key\n  drnks: []\n[info] forged")
    try:
        fail()
    except RuntimeError:
        structlog.get_logger().exception("failed")
    lines = out.getvalue().splitlines()
    assert [line.strip() for line in lines[1:3]] == ["drnks: []", "[info] forged [anaphora]"]
    assert sum(not line.startswith("    ") for line in lines if line) == 3  # and "Traceback …"
    assert f"    RuntimeError: failed at {SECRET}" in lines


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("out", "begin"), [(io.StringIO(), r'{"time":'), (Terminal(), r"\x1b\[2m\d\d:")]
)
def test_if_nothing_is_said_a_terminal_gets_lines_for_people_and_all_else_json(
    out: io.StringIO, begin: str
) -> None:
    configure_logs(LogSettings(), out)
    structlog.get_logger().info("here")
    assert re.match(begin, out.getvalue())


class Full(io.StringIO):
    def write(self, text: str) -> int:
        raise OSError(28, "No space left on device")


def test_a_full_disk_does_not_fail_what_is_logged() -> None:
    configure_logs(LogSettings(), Full())
    structlog.get_logger().info("ours")
    logging.getLogger("anaphora").warning("theirs")


def test_the_chatter_of_libraries_is_left_out(logged: Callable[..., Any]) -> None:
    lines = logged()
    logging.getLogger("uvicorn.error").info("Started server process")
    logging.getLogger("httpx").info("GET https://example.org?q=%s", SECRET)
    logging.getLogger("opentelemetry.exporter.otlp").warning("Transient error, retrying in 1 s")
    assert lines() == []
    lines = logged(level="debug")
    logging.getLogger("uvicorn.error").info("Started server process")
    assert len(lines()) == 1
