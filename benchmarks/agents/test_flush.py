"""How long a full window takes to make room, without the summary that the model writes."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from anaphora.agents.agent import Agent
from anaphora.agents.context.queue import Room, plan_flush
from anaphora.agents.state.messages import Message
from anaphora.agents.state.state import AgentState, apply_record
from benchmarks.agents.stub_model import StubModel

AT = datetime(2026, 1, 5, tzinfo=UTC)


def full_queue(tokens: int) -> tuple[Message, ...]:
    """Exchanges of 150 tokens each."""
    return tuple(
        Message(
            "event" if n % 2 == 0 else "assistant",
            "What is the weather in Kyoto? " * 10,
            AT,
            f"event {n // 2}",
            name="user_message",
            number=n + 1,
            tokens=75,
        )
        for n in range(tokens // 75)
    )


@pytest.mark.parametrize("window", [8_192, 131_072])
def test_flush(benchmark, window):
    """Plan which messages leave, and apply that to the state."""
    queue = full_queue(window)
    state = AgentState(number=len(queue), messages=len(queue), queue=queue)

    def flush() -> AgentState:
        planned = plan_flush(queue, 0, Room(window, 2_000))
        assert planned is not None
        return apply_record(state, planned)

    left = benchmark(flush)
    assert 0 < left.queue_tokens + 2_000 <= window // 2


@pytest.mark.parametrize("window", [8_192, 131_072])
def test_event_with_a_flush(benchmark, tmp_path, window):
    """A whole event whose message makes the window overflow, with a stub as summarizer."""
    model = StubModel(window=window)
    with Agent(model, memory=f"sqlite:///{tmp_path / 'memory.db'}") as agent:
        text = "What is the weather in Kyoto and in Osaka this week? " * 8

        def fill() -> None:
            """Up to the last exchange before the flush."""
            largest = 0
            while True:
                before = agent.state()
                if before.queue_tokens + 2 * largest + 1_500 > window - model.max_tokens - 2_500:
                    return
                agent.send(text)
                largest = max(largest, agent.state().queue_tokens - before.queue_tokens)

        def overflow() -> int:
            hidden, sent = agent.state().hidden, 0
            while agent.state().hidden == hidden:
                agent.send(text)
                sent += 1
            return sent

        benchmark.pedantic(overflow, setup=fill, rounds=3)
