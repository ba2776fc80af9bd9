"""The service ends when it is told to: what is under way is finished, and nothing keeps it."""

from __future__ import annotations

import json
import signal
import sqlite3
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.server.served import PATIENCE, Served, until, write_bot


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as pool:
        yield pool


def ask_slowly(server: Served, pool: ThreadPoolExecutor) -> Future[dict[str, Any]]:
    """A question that is being answered, until the file "go on" is there."""
    answer = pool.submit(server.ask, "apples slowly")
    until((server.folder / "waiting").exists, "the question")
    return answer


@pytest.mark.parametrize("workers", ["1", "2"])
def test_what_is_under_way_is_finished_and_nobody_else_is_let_in(
    workers: str, tmp_path: Path, pool: ThreadPoolExecutor
) -> None:
    write_bot(tmp_path)
    store = "sqlite:///kept.db"
    arguments = ("counter.yaml", "--store", store, "--workers", workers)
    with Served(tmp_path, *arguments) as server, httpx.Client(timeout=PATIENCE) as early:
        early.get(f"{server.url}/health")  # a connection that is open when the end begins
        answer = ask_slowly(server, pool)
        server.send(signal.SIGTERM)

        def is_closed() -> bool:
            try:
                return server.get("/v1/models").status_code == 503
            except httpx.TransportError:
                return True

        until(is_closed, "the end")
        assert server.process.poll() is None
        assert not answer.done()
        (tmp_path / "go on").touch()
        assert answer.result(PATIENCE)["result"] == {"thing": "apples", "questions": 1}
        assert server.process.wait(PATIENCE) == 0, server.errors
        assert "Traceback" not in server.errors
    with closing(sqlite3.connect(tmp_path / "kept.db")) as kept:
        assert kept.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    with Served(tmp_path, "counter.yaml", "--store", store) as server:
        assert server.ask("again")["result"] == {"thing": "apples", "questions": 2}


def test_it_prints_its_address_and_ctrl_c_ends_it_without_a_traceback(tmp_path: Path) -> None:
    with Served(tmp_path, "sales") as server:
        assert server.output == f"Anaphora answers at {server.url} (Ctrl-C ends it)\n"
        assert server.end(signal.SIGINT) == 0
        assert "Traceback" not in server.errors
        assert [json.loads(line)["event"] for line in server.errors.splitlines()][-1] == "ended"


def test_a_second_ctrl_c_ends_at_once(tmp_path: Path, pool: ThreadPoolExecutor) -> None:
    write_bot(tmp_path)
    with Served(tmp_path, "counter.yaml") as server:
        answer = ask_slowly(server, pool)
        server.send(signal.SIGINT)
        until(server.is_gone, "the end")
        assert server.end(signal.SIGINT) == 130
        with pytest.raises(httpx.TransportError):
            answer.result(PATIENCE)


def test_a_question_that_never_ends_is_not_waited_for_beyond_the_grace(
    tmp_path: Path, pool: ThreadPoolExecutor
) -> None:
    write_bot(tmp_path)
    grace = {"ANAPHORA_SHUTDOWN_GRACE": "0.1"}
    with Served(tmp_path, "counter.yaml", env=grace) as server:
        answer = ask_slowly(server, pool)
        server.send(signal.SIGTERM)
        server.process.wait(PATIENCE)  # or it hangs
        with pytest.raises((httpx.TransportError, AssertionError)):
            answer.result(PATIENCE)
