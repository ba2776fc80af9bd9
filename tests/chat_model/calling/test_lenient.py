"""Function calls in whatever a model writes."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphora.chat_model.calling.lenient import parse_answer

NAMES = {"say", "look"}
ARGUMENTS = {"text": "Hi {Ann}"}


@pytest.mark.parametrize(
    "text",
    [
        '{"thought": "Hm.", "calls": [{"name": "say", "arguments": {"text": "Hi {Ann}"}}]}',
        'Hm.\n```json\n{"name": "say", "arguments": {"text": "Hi {Ann}"}}\n```',
        'Hm. <tool_call>\n{"name": "say", "arguments": {"text": "Hi {Ann}"}}\n</tool_call>',
        'Hm. say({"text": "Hi {Ann}"})',
        'Hm. [{"name": "say", "parameters": {"text": "Hi {Ann}"}}]',
        'Hm. {"function": {"name": "say", "arguments": "{\\"text\\": \\"Hi {Ann}\\"}"}}',
        'Hm. {"function": "say", "params": {"text": "Hi {Ann}"}}',
        'Hm. {"name": "say", "arguments": {"text": "Hi {Ann}",},}',
        "Hm. {'name': 'say', 'arguments': {'text': 'Hi {Ann}'}}",
        '<think>{"name": "look"}</think>Hm. {"name": "say", "arguments": {"text": "Hi {Ann}"}}',
        'Hm. {"name": "say", "arguments": {"text": "Hi {Ann}"}}\nResult: {"ok": true}',
    ],
)
def test_a_call_is_found_in_many_forms(text):
    content, ((name, arguments),) = parse_answer(text, NAMES)
    assert (content, name, json.loads(arguments)) == ("Hm.", "say", ARGUMENTS)


@pytest.mark.parametrize(
    "text",
    [
        "Hello.",
        "See [1] and {2}.",
        '{"name": "Ann", "age": 3}',
        "say hello",
        "{",
        '{"a": [',
        "1 < 2",
    ],
)
def test_other_text_is_text(text):
    assert parse_answer(text, NAMES) == (text, [])


def test_an_unknown_function_among_calls_is_passed_on():
    text = '{"thought": "", "calls": [{"name": "fly", "arguments": {}}]}'
    assert parse_answer(text, NAMES) == ("", [("fly", "{}")])


def test_an_answer_without_calls_is_its_thought():
    assert parse_answer('{"thought": "Hi.", "calls": []}', NAMES) == ("Hi.", [])


@pytest.mark.parametrize(
    ("text", "thought"),
    [
        ('{"thought": "My name is Ann. My', "My name is Ann. My"),
        ('{\n    "thought": "She said: \\"no\\" \\', 'She said: "no"'),
        ('{"thought": "caf\\u00e9 \\u00', "café"),
        ('{"thought": "Hm.", "calls": [{"name": "sa', "Hm."),
        ('{"thought":', ""),
        ('{"calls": [{"name": "sa', ""),
        ('<tool_call>\n{"name": "say", "arguments": {"text": "He', ""),
        ('{"name": "Ann", "age": ', '{"name": "Ann", "age":'),
    ],
)
def test_of_an_answer_that_was_cut_off_nobody_sees_the_json(text, thought):
    assert parse_answer(text, NAMES) == (thought, [])


def test_of_an_answer_that_was_cut_off_the_complete_calls_and_the_thought_are_left():
    text = '{"thought": "Hm.", "calls": [{"name": "say", "arguments": {"text": "Hi"}}, {"name": "lo'
    assert parse_answer(text, NAMES) == ("Hm.", [("say", '{"text": "Hi"}')])


@given(st.text() | st.text(st.sampled_from("{}[]\"',: \\\nsay()")))
def test_any_text_is_read(text):
    content, calls = parse_answer(text, NAMES)
    assert isinstance(content, str)
    assert calls or content == text.strip()


@given(st.dictionaries(st.text(), st.text() | st.integers() | st.none()), st.text())
def test_what_was_written_is_read_back(arguments, thought):
    text = json.dumps({"thought": thought, "calls": [{"name": "say", "arguments": arguments}]})
    content, ((name, read),) = parse_answer(text, NAMES)
    assert (content, name, json.loads(read)) == (thought.strip(), "say", arguments)


@pytest.mark.parametrize("text", ["{" * 100_000, "[" * 100_000, '{"a": "' * 20_000, "{'" * 50_000])
def test_hostile_text_takes_no_long_time(text):
    begun = time.process_time()
    parse_answer(text, NAMES)
    assert time.process_time() - begun < 5
