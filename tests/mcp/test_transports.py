"""The command as agents start it: a process of its own, over its streams or over HTTP."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import anyio
import httpx
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from anaphora import Engine, parse_model
from tests.mcp.conftest import SHOP
from tests.support.without_torch import PYTHONPATH

_T = TypeVar("_T")

ROOT = Path(__file__).parents[2]
DEADLINE = 60.0
ENVIRONMENT = {"PYTHONPATH": PYTHONPATH}

NOISY = """\
import os

print("imported")


def order(thing):
    print("ordered", end=" ")
    os.write(1, b"written ")
    return f"Here is your {thing}."
"""


@pytest.fixture
def noisy(tmp_path: Path) -> Path:
    """A model whose code prints, when it is loaded and when it answers."""
    (tmp_path / "noisy.py").write_text(NOISY, encoding="utf-8")
    model = tmp_path / "shop.yaml"
    model.write_text(f'{SHOP}code: noisy\nhandlers: {{order: "#order"}}\n', encoding="utf-8")
    return model


def talk(folder: Path, *arguments: str, ask: Callable[[Client], Awaitable[_T]]) -> tuple[_T, str]:
    """What comes of a talk with ``anaphora mcp``, and what it printed beside it."""
    log = folder / "stderr"

    async def run() -> _T:
        server = StdioServerParameters(
            command=sys.executable, args=["-m", "anaphora", "mcp", *arguments], env=ENVIRONMENT
        )
        with (
            anyio.fail_after(DEADLINE),
            log.open("w", encoding="utf-8") as errors,
        ):
            async with Client(stdio_client(server, errlog=errors)) as client:
                return await ask(client)

    return anyio.run(run), log.read_text(encoding="utf-8")


async def ask(client: Client, *texts: str) -> list[str]:
    found = [await client.call_tool("ask", {"text": text}) for text in texts]
    return [result.content[0].text for result in found]


def test_what_the_code_of_a_model_prints_does_not_disturb_the_messages(
    noisy: Path, tmp_path: Path
) -> None:
    said, printed = talk(
        tmp_path, str(noisy), ask=lambda client: ask(client, "I want tea", "and cake")
    )
    assert said == ["Here is your tea.", "Here is your cake."]
    assert printed.split() == ["imported", *["ordered", "written"] * 2]


def test_a_store_shares_the_conversation_with_other_processes(noisy: Path, tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/bot.db"
    with Engine(parse_model(SHOP), store=store) as engine:
        engine.ask("I want tea", user="ann")
        said, _ = talk(
            tmp_path, str(noisy), "--store", store, "--user", "ann",
            ask=lambda client: ask(client, "and cake"),
        )  # fmt: skip
        assert said == ["Here is your cake."]
        assert engine.conversation(user="ann").questions == 2


@contextmanager
def started(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-m", "anaphora", "mcp", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | ENVIRONMENT,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def test_what_is_no_message_does_not_end_it_and_ctrl_c_does_though_it_waits_for_input() -> None:
    ping = {"jsonrpc": "2.0", "id": 7, "method": "ping"}
    with started("cafe") as process:
        assert process.stdin
        assert process.stdout
        lines = ["no JSON", "{}", "[]", "null", "[" * 10_000, json.dumps(ping)]
        process.stdin.write("\n".join(lines) + "\n")
        process.stdin.flush()
        while json.loads(process.stdout.readline()) != {"jsonrpc": "2.0", "id": 7, "result": {}}:
            pass
        process.send_signal(signal.SIGINT)
        assert process.wait(DEADLINE) == -signal.SIGINT


def test_it_serves_over_http_until_it_is_told_to_stop() -> None:
    with started("cafe", "--http", "127.0.0.1:0") as process:
        assert process.stderr
        line = process.stderr.readline()
        url = line.split()[-1]
        assert line == f"The MCP server is listening at {url}\n"

        async def dialog() -> list[str]:
            async with Client(url) as client:
                return await ask(client, "How much is a coffee at Costa?", "and a tea?")

        said = anyio.run(dialog)
        assert [word for text in said for word in ("coffee", "tea") if word in text] == [
            "coffee",
            "tea",
        ]
        assert refusal(url, {"Host": "evil.example"}) == 421
        assert refusal(url, {"Origin": "http://evil.example"}) == 403
        process.send_signal(signal.SIGTERM)
        output, errors = process.communicate(timeout=DEADLINE)
        assert (process.returncode, output) == (128 + signal.SIGTERM, "")
        assert "Traceback" not in errors


def refusal(url: str, headers: dict[str, str]) -> int:
    """How a message is answered that a page of another site sends."""
    message = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    accept = {"Accept": "application/json, text/event-stream"}
    return httpx.post(url, json=message, headers=headers | accept, timeout=DEADLINE).status_code
