"""Agents in the processes of the service: killed, stopped, and shared by workers."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.server.sample_bots import LAMP, WAIT_LIMIT
from tests.server.server_process import ServerProcess
from tests.support.chat_endpoint import Reply, ScriptedEndpoint, call

HELLO = call("send_message", {"message": "Hello, Ann!"}, thought="A new user.")


class SlowModel:
    """A language model that answers when it is told to."""

    def __init__(self) -> None:
        self.asked, self.let_go = threading.Event(), threading.Event()

    def __call__(self, body: dict[str, Any]) -> Reply:
        self.asked.set()
        assert self.let_go.wait(WAIT_LIMIT)
        return HELLO


@pytest.fixture
def model() -> Iterator[SlowModel]:
    model = SlowModel()
    yield model
    model.let_go.set()


@pytest.fixture
def endpoint(model: SlowModel) -> Iterator[ScriptedEndpoint]:
    with ScriptedEndpoint(model) as endpoint:
        yield endpoint
        model.let_go.set()


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as pool:
        yield pool


def serve(folder: Path, endpoint: ScriptedEndpoint, *arguments: str) -> ServerProcess:
    (folder / "lamp.yaml").write_text(LAMP, encoding="utf-8")
    (folder / "ada.yaml").write_text("agent: ada\n", encoding="utf-8")
    given = ("--agent", "ada.yaml", "--chat-model-url", endpoint.url)
    kept = ("--memory", "sqlite:///memory.db", "--store", "sqlite:///bot.db")
    return ServerProcess(folder, "lamp.yaml", *given, *kept, *arguments)


def send(server: ServerProcess, id: str = "x") -> httpx.Response:
    body = {"user": "ann", "text": "Hi!", "id": id}
    return httpx.post(f"{server.url}/v1/agents/ada/messages", json=body, timeout=WAIT_LIMIT)


def send_slowly(
    server: ServerProcess, model: SlowModel, pool: ThreadPoolExecutor
) -> Future[httpx.Response]:
    """Send a message; the model has received it, and waits."""
    response = pool.submit(send, server)
    assert model.asked.wait(WAIT_LIMIT)
    return response


def test_a_message_survives_a_killed_server(
    tmp_path: Path, endpoint: ScriptedEndpoint, model: SlowModel, pool: ThreadPoolExecutor
) -> None:
    with serve(tmp_path, endpoint) as server:
        response = send_slowly(server, model, pool)
        server.stop(signal.SIGKILL)
        assert isinstance(response.exception(WAIT_LIMIT), httpx.TransportError)
        model.let_go.set()
        server.start().wait_until_ready()
        answer = send(server).json()
        assert answer["messages"] == ["Hello, Ann!"]
        assert send(server).json()["messages"] == ["Hello, Ann!"]
        queue = server.get("/v1/agents/ada/queue?user=ann").json()
    assert [one["text"] for one in queue["messages"] if one["kind"] == "event"] == ["Hi!"]


def test_an_answer_in_progress_is_finished_at_the_end(
    tmp_path: Path, endpoint: ScriptedEndpoint, model: SlowModel, pool: ThreadPoolExecutor
) -> None:
    with serve(tmp_path, endpoint) as server:
        response = send_slowly(server, model, pool)
        server.send(signal.SIGTERM)
        model.let_go.set()
        assert response.result(WAIT_LIMIT).json()["messages"] == ["Hello, Ann!"]
        assert server.process.wait(WAIT_LIMIT) == 0, server.errors
        assert "Traceback" not in server.errors


@pytest.mark.thorough
def test_an_answer_that_takes_too_long_does_not_keep_the_server(
    tmp_path: Path, endpoint: ScriptedEndpoint, model: SlowModel, pool: ThreadPoolExecutor
) -> None:
    config = tmp_path / "anaphora.yaml"
    config.write_text("shutdown_grace: 0.5\n", encoding="utf-8")
    with serve(tmp_path, endpoint) as server:
        response = send_slowly(server, model, pool)
        server.send(signal.SIGTERM)
        refused = response.result(WAIT_LIMIT)
        assert refused.status_code == 503
        assert "The message is kept" in refused.json()["detail"]
        assert server.process.wait(WAIT_LIMIT) == 0, server.errors
        model.let_go.set()
        server.start().wait_until_ready()
        assert send(server).json()["messages"] == ["Hello, Ann!"]


def test_workers_share_the_agents(
    tmp_path: Path, endpoint: ScriptedEndpoint, model: SlowModel, pool: ThreadPoolExecutor
) -> None:
    model.let_go.set()
    with serve(tmp_path, endpoint, "--workers", "2") as server:
        responses = list(pool.map(lambda number: send(server, f"m{number}"), range(12)))
        assert [one.status_code for one in responses] == [200] * 12
        steps = server.get("/v1/agents/ada/steps?user=ann").json()["answers"]
        assert len(steps) == 12
        assert {one["ended"] for one in steps} == {"done"}
        total = server.get("/v1/agents/ada/usage?user=ann").json()["total"]["calls"]
        assert total == len(endpoint.requests)  # with those for summaries
        metrics = server.get("/metrics").text
    assert 'anaphora_agent_event_seconds_count{agent="ada",ended="done"} 12.0' in metrics
