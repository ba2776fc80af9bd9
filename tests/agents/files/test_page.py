"""The page on agent files: its files are valid, its example runs, and it names every key.

``<!-- agent: NAME -->`` is an agent file, ``<!-- played: NAME -->`` Python with a model that plays
a script, ``<!-- mistaken -->`` the messages for the file ``MISTAKEN``.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import BaseModel

from anaphora.agents.files import schema
from anaphora.agents.files.bundled import bundled_agents
from anaphora.agents.files.reading import load_agent_file, parse_agent_file
from anaphora.errors import ModelError
from tests.agents.memories.sample_agents import functions_of, reply
from tests.documentation.examples import ROOT, page_examples
from tests.support.chat_endpoint import ScriptedEndpoint, call

PAGE = ROOT / "docs" / "agent-files.md"
EXAMPLES = list(page_examples(PAGE))
ADDRESS = "http://localhost:8080/v1"
STUDENT = {"name": "Ann", "level": "beginner", "goal": "to read Dante"}
MISTAKEN = """\
agent: bot
description: A bot.
memories:
  recent: {type: conversation, lst: 8}
states:
  interview: {until: student}
"""


def of_kind(kind: str):
    return [one for one in EXAMPLES if one.kind == kind]


def play(body):
    """A model that notes what it is told to note, and answers."""
    match functions_of(body):
        case ["update_progress"]:
            return call("update_progress", {"text": "Knows greetings."})
        case ["send_message", "write_student"]:
            return call("write_student", STUDENT)
    is_lesson = "Cominciamo!" in str(body["messages"])
    return reply("Come stai?" if is_lesson else "Benvenuta, Ann!")


@pytest.mark.parametrize("example", of_kind("agent"), ids=lambda one: one.arguments)
def test_files_of_the_page_are_valid(example):
    assert parse_agent_file(example.text, Path(example.arguments)).id


def test_examples_print_what_their_comments_say(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    played = of_kind("played")
    with ScriptedEndpoint(play) as endpoint:
        for one in of_kind("agent"):
            text = one.text.replace(ADDRESS, endpoint.url)
            Path(one.arguments).write_text(text, encoding="utf-8")
        for one in played:
            exec(compile(one.text, str(one), "exec"), {"__name__": "example"})
            expected = re.findall(r"^ *print\(.*\) +# (.+)$", one.text, re.MULTILINE)
            assert capsys.readouterr().out.splitlines() == expected
    assert played


def test_the_quoted_message_is_that_of_the_file():
    (quoted,) = of_kind("mistaken")
    messages = []
    for text in (MISTAKEN, MISTAKEN.replace("lst", "last")):
        with pytest.raises(ModelError) as raised:
            parse_agent_file(text, Path("bot.yaml"))
        messages.append(str(raised.value))
    assert quoted.text.rstrip("\n") == "\n".join(messages)


def test_bundled_agents_are_listed():
    text = PAGE.read_text("utf-8")
    for name in bundled_agents():
        assert f"| `{name}` |" in text
        assert load_agent_file(name).description


@pytest.mark.parametrize(
    "keys",
    [one for one in vars(schema).values() if isinstance(one, type) and issubclass(one, BaseModel)],
    ids=lambda one: one.__name__,
)
def test_every_key_is_documented(keys):
    text = PAGE.read_text("utf-8")
    for name, field in keys.model_fields.items():
        key = field.alias or name
        assert re.search(rf"[`{{ ,]{re.escape(key)}[`:]", text), key


def test_every_type_of_memory_is_documented():
    text = PAGE.read_text("utf-8")
    for name in schema.MEMORY_TYPES:
        assert f"| `{name}` |" in text
