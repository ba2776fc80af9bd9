"""What the tests of agents share: agents whose model is a scripted endpoint."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from anaphora.agents.agent import Agent
from anaphora.chat_model.chat_model import ChatModel
from tests.support.chat_endpoint import ScriptedEndpoint

_MODEL_OPTIONS = ("window", "max_tokens", "timeout", "calls", "max_retries")


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key of whoever runs the tests, and no proxy before the endpoint."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def opened() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def endpoint(opened: ExitStack) -> Callable[..., ScriptedEndpoint]:
    """Starts endpoints that play a script."""
    return lambda *script, **options: opened.enter_context(ScriptedEndpoint(*script, **options))


@pytest.fixture
def agent(opened: ExitStack, tmp_path: Path, clock) -> Callable[..., Agent]:
    """Makes agents with an endpoint; all of a test share their stores."""

    def make(endpoint: ScriptedEndpoint, **options: Any) -> Agent:
        chosen = {name: options.pop(name) for name in _MODEL_OPTIONS if name in options}
        model = ChatModel(endpoint.url, **({"sleep": lambda seconds: None} | chosen))
        opened.callback(model.close)
        stores = {"memory": f"sqlite:///{tmp_path / 'memory.db'}", "clock": clock}
        return opened.enter_context(Agent(model, **(stores | options)))

    return make
