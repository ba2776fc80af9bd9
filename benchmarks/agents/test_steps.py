"""What an agent adds to each step of its model: prompt, functions, log, in SQLite."""

from __future__ import annotations

import pytest

from anaphora.agents.agent import Agent
from anaphora.agents.state.state import AgentState
from anaphora.agents.store.sqlite import SqliteAgentStore
from anaphora.agents.store.store import AgentKey
from benchmarks.agents.stub_model import StubModel

STEPS = 10


@pytest.mark.parametrize("synchronous", ["full", "normal"])
@pytest.mark.parametrize("queue", [10, 500])
def test_step(benchmark, tmp_path, synchronous, queue):
    """A chain of ten steps; divide by ten. The window holds ``queue`` messages before it."""
    model = StubModel(window=128_000, searches=STEPS - 1)
    store = SqliteAgentStore(tmp_path / "agents.db", synchronous=synchronous)
    with Agent(model, memory=f"sqlite:///{tmp_path / 'memory.db'}", store=store) as agent:
        model.searches = 0
        for n in range(queue // 3):
            agent.send(f"What is the weather in town {n}?")
        model.searches, model.calls = STEPS - 1, 0
        agent.edit_block("human", "0")

        def prepare() -> None:
            model.calls = 0
            agent.edit_block("human", "0")

        benchmark.pedantic(agent.send, ("And now?",), setup=prepare, rounds=20)
        answer = agent.send("And now?")
        assert len(agent.state().queue) >= queue - 2
        assert answer.text
    store.close()


@pytest.mark.parametrize("queue", [100, 3_000])
def test_load(benchmark, tmp_path, queue):
    """The state is read once for an event."""
    store, key = _filled(tmp_path, queue)
    state = benchmark(store.load, key)
    assert len(state.queue) >= queue - 2
    store.close()


def _filled(folder, queue: int) -> tuple[SqliteAgentStore, AgentKey]:
    """A store with a queue of so many messages, some 40 tokens each."""
    store = SqliteAgentStore(folder / "agents.db", synchronous="normal")
    model = StubModel(window=1_000_000)
    with Agent(model, memory="memory:", store=store, archive="memory:") as agent:
        for n in range(queue // 3):
            agent.send(f"What is the weather in town {n}, and how will it be tomorrow?")
    assert store.load(AgentKey("user", "agent")) != AgentState()
    return store, AgentKey("user", "agent")
