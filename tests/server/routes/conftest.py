"""An agent behind the API, whose language model plays a script."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from anaphora.agents.agent import Agent
from anaphora.agents.execution.limits import AgentLimits
from anaphora.chat_model.chat_model import ChatModel
from tests.conftest import Clock
from tests.server.conftest import Serve
from tests.support.chat_endpoint import Reply, ScriptedEndpoint, call

__all__ = ["hello"]


def hello(text: str = "Hello, Ann!") -> Reply:
    return call("send_message", {"message": text}, thought="A new user. I greet her.")


@pytest.fixture
def endpoint() -> Iterator[ScriptedEndpoint]:
    with ScriptedEndpoint() as endpoint:
        yield endpoint


@pytest.fixture
def ada(endpoint: ScriptedEndpoint, now: Clock, tmp_path: Path) -> Iterator[Agent]:
    """An agent whose language model plays what a test tells it to."""
    model = ChatModel(endpoint.url, "small", max_retries=0)
    with (
        closing(model),
        Agent(
            model,
            name="ada",
            memory=f"sqlite:///{tmp_path / 'memory.db'}",
            limits=AgentLimits(tokens_per_day=20_000),
            graph="beside",
            clock=now,
        ) as agent,
    ):
        yield agent


@pytest.fixture
def agent_api(serve: Serve, ada: Agent) -> TestClient:
    return serve(agents=[ada])
