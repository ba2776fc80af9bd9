"""What must hold for an agent with a user after each event, whatever its model has said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from anaphora.agents.agent import Agent
from anaphora.agents.state.records import MessageAdded, MessageSent
from anaphora.agents.state.state import AgentState, replay
from anaphora.agents.store.store import AgentKey

__all__ = ["find_faults"]

_ALL = 1 << 20  # exchanges
_MEMORY_LIMIT = 3_000  # characters of a declared memory


def find_faults(agent: Agent, user: str, said: Sequence[str]) -> Iterator[str]:
    """Yield what does not hold. ``said`` are all messages of the user, in order."""
    key = AgentKey(user, agent.name)
    state, records = agent.state(user), agent._store.records(key)
    if replay(AgentState(), records) != state:
        yield "the log does not give the state"

    messages = [one.message for one in records if isinstance(one, MessageAdded)]
    if [one.text for one in messages if one.is_user_message] != [*said]:
        yield "the log does not hold each message once"
    shown = {one.number for one in state.queue}
    lost = [one for one in messages if one.number not in shown and one.number > state.flushed]
    if lost or len(shown) + state.hidden != len(messages) or len(shown) != len(state.queue):
        yield "a message is neither in the queue nor hidden, or it is both"

    exchanges = [*reversed(agent.memory.latest(key, _ALL))]
    if _join(one.question for one in exchanges) != _join(said):
        yield "recall memory does not hold each message once"
    sent = [one.text for one in records if isinstance(one, MessageSent)]
    if _join(one.answer for one in exchanges) != _join(sent):
        yield "recall memory does not hold each answer once"

    if not agent.search_archive("tea houses of Nara", user=user).passages:
        yield "archival memory does not find the guide"

    for block, value in agent.core(user):
        if len(value) > block.limit:
            yield f"the block '{block.label}' is over its limit"
    for name, memory in agent.memories(user).items():
        if len(str(memory.value)) > _MEMORY_LIMIT:
            yield f"the memory '{name}' is too long"


def _join(texts: Iterator[str] | Sequence[str]) -> str:
    """Join texts without blanks: a long text is kept in pages."""
    return "".join("".join(texts).split())
