"""A log is read line by line; what is no question is told with its line."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphora import Engine
from anaphora.suggestions.question_log import InvalidLine, LoggedQuestion, read_log
from tests.support.plain_models import PLAIN_WEATHER


def read(*lines: str | bytes) -> list[LoggedQuestion | InvalidLine]:
    return list(read_log(lines))


def test_a_question_a_line_without_comments_and_empty_lines():
    lines = ["\ufeff# July\n", "\n", "  weather in Toyko \r\n", "   ", "and now?"]
    assert read(*lines) == [LoggedQuestion("weather in Toyko"), LoggedQuestion("and now?")]


def test_json_lines():
    assert read('{"text": "a"}', '{"question": "b", "text": "the reply"}') == [
        LoggedQuestion("a"),
        LoggedQuestion("b"),
    ]


@pytest.mark.parametrize(
    ("rest", "matched"),
    [
        ({"status": "matched"}, True),
        ({"status": "reset"}, True),
        ({"status": "rejected", "intent": None}, False),
        ({"status": "incomplete", "intent": "weather"}, False),
        ({"intent": "weather"}, True),
        ({"intent": None}, False),
        ({}, False),
    ],
)
def test_the_status_says_whether_a_question_matched_or_without_it_the_intent(rest, matched):
    assert read(json.dumps({"text": "a", **rest})) == [LoggedQuestion("a", matched)]


@pytest.mark.parametrize(
    "line",
    ['{"text": ', "{}", '{"text": 3}', '{"text": " "}', "{" * 20_000, '{"a":' * 20_000, "{x}"],
)
def test_a_bad_line_is_reported_by_its_number_and_the_rest_is_read(line):
    bad, good = read(line, "weather")
    assert isinstance(bad, InvalidLine)
    assert bad.number == 1
    assert bad.problem
    assert good == LoggedQuestion("weather")


def test_a_reply_is_not_taken_for_a_question():
    reply = json.dumps(Engine(PLAIN_WEATHER).ask("weather in Tokyo").to_dict())
    (bad,) = read(reply)
    assert isinstance(bad, InvalidLine)
    assert "add a 'question'" in bad.problem
    question = {"question": "weather in Toyko"}
    assert read(json.dumps(json.loads(reply) | question | {"status": "rejected"})) == [
        LoggedQuestion("weather in Toyko")
    ]


def test_a_question_of_endless_length():
    (bad,) = read("x" * 20_000)
    assert bad == InvalidLine(1, "the question is longer than 10,000 characters")


def test_what_is_no_utf_8_is_replaced():
    assert read(b"caf\xe9 in Tokyo\n") == [LoggedQuestion("caf\ufffd in Tokyo")]


@given(st.lists(st.binary(max_size=60)))
def test_any_bytes_can_be_read(lines):
    assert len(read(*lines)) <= len(lines)
