"""``anaphora wyoming`` as a process of its own."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from wyoming.asr import Transcript
from wyoming.client import AsyncClient
from wyoming.info import Describe

from anaphora import Engine
from tests.support.real_server import wait_until
from tests.support.without_torch import PYTHONPATH
from tests.wyoming.conftest import HOME, WAIT_LIMIT, say, send, summarize
from tests.wyoming.test_dialogs import ENGLISH, GERMAN, outcome

ROOT = Path(__file__).parents[2]

SLOW = """\
import time
from pathlib import Path

FOLDER = Path(__file__).parent


def make():
    (FOLDER / "asked").touch()
    while not (FOLDER / "boils").exists():
        time.sleep(0.005)
    return "Tea."
"""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "home.yaml"
    path.write_text(HOME, encoding="utf-8")
    return path


@pytest.fixture
def slow_model(tmp_path: Path) -> Path:
    """A model that makes tea when the file ``boils`` is there."""
    (tmp_path / "slow.py").write_text(SLOW, encoding="utf-8")
    path = tmp_path / "home.yaml"
    path.write_text(f'{HOME}code: slow\nhandlers: {{tea: "#make"}}\n', encoding="utf-8")
    return path


@contextmanager
def started(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server and its address."""
    with subprocess.Popen(
        [sys.executable, "-m", "anaphora", "wyoming", "--uri", "tcp://127.0.0.1:0", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": PYTHONPATH},
    ) as process:
        try:
            assert process.stdout
            line = process.stdout.readline()
            assert line.startswith("Anaphora answers at "), process.stderr and process.stderr.read()
            yield process, line.split()[3]
        finally:
            process.kill()


def end(process: subprocess.Popen[str], sign: signal.Signals) -> tuple[int, str]:
    """Send a signal; return the exit code and the log."""
    process.send_signal(sign)
    output, log = process.communicate(timeout=WAIT_LIMIT)
    assert output == ""
    assert "Traceback" not in log
    return process.returncode, log


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_several_satellites_until_it_is_told_to_stop(
    model: Path, sign: signal.Signals
) -> None:
    async def satellite(uri: str, name: str, dialog: list[tuple[str, str]]) -> list[str]:
        context = {"conversation_id": name}
        return [outcome(await say(uri, text, context)) for text, _ in dialog]

    async def talk(uri: str) -> list[list[str]]:
        dialogs = {f"satellite {n}": (ENGLISH, GERMAN)[n % 2] for n in range(6)}
        one_by_one = (satellite(uri, name, dialog) for name, dialog in dialogs.items())
        return await asyncio.gather(*one_by_one)

    with started(str(model)) as (process, uri):
        expected = [[outcome for _, outcome in dialog] for dialog in (ENGLISH, GERMAN)]
        assert asyncio.run(talk(uri)) == expected * 3
        code, log = end(process, sign)
    assert code == 0
    lines = log.splitlines()
    assert len(lines) == 60
    assert all(" INFO 127.0.0.1:" in line for line in lines)
    assert "kitchen" not in log  # texts of users are not logged


def test_a_conversation_outlives_the_process_in_a_store(model: Path, tmp_path: Path) -> None:
    store, context = f"sqlite:///{tmp_path}/home.db", {"conversation_id": "01J"}
    with started(str(model), "--store", store) as (process, uri):
        asyncio.run(say(uri, "turn on the light in the kitchen", context))
        assert end(process, signal.SIGTERM)[0] == 0
    with started(str(model), "--store", store) as (_, uri):
        answer = asyncio.run(say(uri, "and in the bedroom", context))
    assert outcome(answer) == "HassTurnOn light bedroom"
    with Engine(model, store=store) as engine:
        assert engine.conversation(user="01J").questions == 2


def test_a_socket_of_the_file_system_is_an_address(model: Path, tmp_path: Path) -> None:
    path = tmp_path / "home.sock"
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(str(path))  # a server that was killed leaves its socket behind
    with started(str(model), "--uri", f"unix://{path}") as (process, uri):
        assert uri == f"unix://{path}"
        answers = asyncio.run(send(uri, Describe(), Transcript("make tea")))
        assert [answer.type for answer in answers] == ["info", "handled"]
        assert end(process, signal.SIGTERM)[0] == 0
    assert not path.exists()


def test_a_question_in_progress_is_answered_before_the_process_ends(
    slow_model: Path, tmp_path: Path
) -> None:
    with started(str(slow_model)) as (process, uri):

        async def talk() -> list[str]:
            async with AsyncClient.from_uri(uri) as client:
                await client.write_event(Transcript("make tea").event())
                await asyncio.to_thread(wait_until, (tmp_path / "asked").exists)
                process.send_signal(signal.SIGTERM)
                process.send_signal(signal.SIGTERM)  # impatience changes nothing
                await asyncio.to_thread(wait_until, lambda: not _accepts(uri))
                (tmp_path / "boils").touch()
                answer = await client.read_event()
                assert answer
                return [summarize(answer), str(await client.read_event())]

        assert asyncio.run(talk()) == ["handled: Tea.", "None"]
        assert process.wait(WAIT_LIMIT) == 0


def test_a_second_ctrl_c_ends_it_at_once(slow_model: Path, tmp_path: Path) -> None:
    with started(str(slow_model)) as (process, uri):

        async def talk() -> None:
            async with AsyncClient.from_uri(uri) as client:
                await client.write_event(Transcript("make tea").event())
                await asyncio.to_thread(wait_until, (tmp_path / "asked").exists)
                process.send_signal(signal.SIGINT)
                await asyncio.to_thread(wait_until, lambda: not _accepts(uri))
                process.send_signal(signal.SIGINT)
                assert await asyncio.to_thread(process.wait, WAIT_LIMIT) == 130

        asyncio.run(talk())


def _accepts(uri: str) -> bool:
    host, port = uri.removeprefix("tcp://").split(":")
    try:
        socket.create_connection((host, int(port))).close()
    except OSError:
        return False
    return True
