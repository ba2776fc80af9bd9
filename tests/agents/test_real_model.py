"""Agents with a small real model, which cannot be clever: whatever it says, they hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.agents.soak import Soak, SoakOptions, open_agents
from tests.support.llama_server import LlamaServer, is_installed

pytestmark = [
    pytest.mark.llm,
    pytest.mark.skipif(not is_installed(), reason="needs pip install 'anaphora[llm]'"),
]
OPTIONS = SoakOptions(window=3072, max_tokens=24, steps=2, timeout=300)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> LlamaServer:
    with LlamaServer(tmp_path_factory.mktemp("model"), window=OPTIONS.window) as server:
        yield server


def test_twenty_events(server: LlamaServer, tmp_path: Path) -> None:
    """All forms of calls and declared memories, a restart of the agents and one of the server: no
    exception, no endless chain, every message answered, every prompt in its window."""
    soak = Soak(lambda report: open_agents(server.url, tmp_path, report, OPTIONS), server, OPTIONS)
    try:
        report = soak.run(20)
    finally:
        soak.close()
    assert not report.faults
    assert report.events >= 20
    assert report.most_steps <= OPTIONS.steps
    assert 0 < report.longest_prompt <= OPTIONS.window - OPTIONS.max_tokens
    assert report.excess < 1.5
