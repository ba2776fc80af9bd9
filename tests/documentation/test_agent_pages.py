"""The examples of agents print what their comments show; a script plays the model."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.documentation.examples import Example, examples, write_files
from tests.support.chat_endpoint import Reply, ScriptedEndpoint, call, calls, say

ADDRESS = "http://localhost:8080/v1"
FOUND = examples(kind="scripted", language="python")


def _tell(text: str) -> Reply:
    return call("send_message", {"message": text})


SCRIPTS = {
    "hello": [
        calls(
            call("core_memory_append", {"name": "human", "content": "Ann, moved to Kyoto"}),
            _tell("Welcome to Kyoto, Ann!"),
        )
    ],
    "letta": [
        calls(
            call("core_memory_append", {"name": "human", "content": "Moved to Kyoto"}),
            _tell("Welcome to Kyoto, Ann!"),
        )
    ],
    "fallback": [say("In a quiet corner.")],
    "engine": [say("It is quieter there.")],
    "functions": [call("list_orders", {}), _tell("One teapot.")],
}


@pytest.mark.parametrize("example", FOUND, ids=map(str, FOUND))
def test_examples_of_agents_print_what_their_comments_say(
    example: Example,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    write_files(example.page, tmp_path)
    monkeypatch.chdir(tmp_path)
    with ScriptedEndpoint(SCRIPTS[example.arguments]) as endpoint:
        code = compile(example.text.replace(ADDRESS, endpoint.url), str(example), "exec")
        # A class of its own, whose annotations are found by name.
        exec(code, {"__name__": "example"})
    printed = capsys.readouterr().out.splitlines()
    expected = re.findall(r"^ *print\(.*\) +# (.+)$", example.text, re.MULTILINE)
    assert [line for line in printed if line in expected] == expected


def test_every_script_is_used() -> None:
    assert {example.arguments for example in FOUND} >= set(SCRIPTS)
