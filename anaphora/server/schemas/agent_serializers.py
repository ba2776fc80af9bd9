"""Convert values of agents to the types of the API."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from anaphora.api import agents as api

if TYPE_CHECKING:
    from anaphora.agents.agent import Agent
    from anaphora.agents.answer import AgentAnswer, AgentStep, CalledFunction, ContextSize
    from anaphora.agents.archive.pages import ArchivePage
    from anaphora.agents.context.blocks import CoreMemory
    from anaphora.agents.graph.facts import EntityRecord, Fact
    from anaphora.agents.state.messages import Message
    from anaphora.agents.state.state import AgentState, MemoryValue, UsageTotal

__all__ = [
    "serialize_agent",
    "serialize_answer",
    "serialize_archive_page",
    "serialize_core",
    "serialize_entities",
    "serialize_facts",
    "serialize_queue",
    "serialize_sources",
    "serialize_step",
    "serialize_usage",
]


def serialize_agent(agent: Agent) -> api.AgentInfo:
    """Serialize an agent in short."""
    return api.AgentInfo(
        agent.name,
        agent.model.model,
        agent.model.window,
        tuple(block.label for block in agent.blocks),
        graph=agent.graph is not None,
    )


def serialize_answer(answer: AgentAnswer, *, agent: str, user: str) -> api.AgentAnswer:
    """Serialize an answer of an agent to a user."""
    return api.AgentAnswer(
        agent,
        user,
        event=answer.event,
        kind=answer.kind,
        event_text=answer.event_text,
        messages=answer.messages,
        steps=tuple(map(serialize_step, answer.steps)),
        usage=_serialize_total(answer.usage),
        ended=answer.ended,
        detail=answer.detail,
        earlier=tuple(serialize_answer(one, agent=agent, user=user) for one in answer.earlier),
    )


def serialize_step(step: AgentStep) -> api.AgentStep:
    """Serialize an answer of the model."""
    return api.AgentStep(
        number=step.number,
        thought=step.thought,
        calls=tuple(map(_serialize_call, step.calls)),
        at=step.at,
    )


def serialize_core(
    core: CoreMemory, memories: Mapping[str, MemoryValue], *, agent: str, user: str
) -> api.AgentCore:
    """Serialize the core memory, and the values of declared memories."""
    blocks = tuple(
        api.AgentBlock(
            label=block.label,
            value=value,
            description=block.description,
            limit=block.limit,
            read_only=block.read_only,
        )
        for block, value in core
    )
    declared = tuple(
        api.AgentMemory(name=name, value=memory.value, turn=memory.turn)
        for name, memory in memories.items()
    )
    return api.AgentCore(agent, user, blocks, declared)


def serialize_queue(
    state: AgentState, size: ContextSize, *, agent: str, user: str
) -> api.AgentQueue:
    """Serialize the queue of messages, and the ``size`` of the next prompt."""
    return api.AgentQueue(
        agent,
        user,
        messages=tuple(map(_serialize_message, state.queue)),
        summary=state.summary,
        hidden=state.hidden,
        total=state.messages,
        running=None if state.event is None else state.event.id,
        context=api.AgentContext(
            window=size.window,
            reserved=size.reserved,
            system=size.system,
            functions=size.functions,
            summary=size.summary,
            messages=size.messages,
        ),
    )


def serialize_archive_page(page: ArchivePage, agent: Agent, user: str) -> api.AgentArchivePage:
    """Serialize a page of passages that a search for ``user`` found."""
    passages = tuple(
        api.AgentPassage(
            text=passage.text,
            heading=passage.heading,
            source=passage.source,
            position=passage.position,
            shared=passage.owner == agent.document_owner,
            at=passage.at,
            score=passage.score,
        )
        for passage in page.passages
    )
    return api.AgentArchivePage(agent.name, user, passages, page.page, page.pages, page.total)


def serialize_sources(
    own: Mapping[str, int], shared: Mapping[str, int], *, agent: str, user: str
) -> api.AgentArchivePage:
    """Serialize the sources of the archival memory: those of the user, and those of all users."""
    sources = [
        api.AgentSource(source=source, passages=passages, shared=found is shared)
        for found in (own, shared)
        for source, passages in sorted(found.items())
    ]
    return api.AgentArchivePage(agent, user, sources=tuple(sources))


def serialize_usage(state: AgentState, *, agent: str, user: str) -> api.AgentUsage:
    """Serialize what the model was used for."""
    total, today = _serialize_total(state.usage), _serialize_total(state.day_usage)
    return api.AgentUsage(agent, user, total, state.day, today)


def serialize_facts(facts: Iterable[Fact], entity: str, *, agent: str, user: str) -> api.AgentGraph:
    """Serialize the facts around an entity."""
    found = tuple(
        api.AgentFact(
            id=fact.id,
            subject=fact.subject,
            relation=fact.relation,
            object=fact.object,
            valid_at=fact.valid_at,
            invalid_at=fact.invalid_at,
            count=fact.count,
            source=fact.source,
        )
        for fact in facts
    )
    return api.AgentGraph(agent, user, entity, found)


def serialize_entities(
    entities: Iterable[EntityRecord], *, agent: str, user: str
) -> api.AgentGraph:
    """Serialize the entities that were mentioned most and last."""
    found = tuple(
        api.AgentEntity(
            name=one.name, kind=one.kind, count=one.count, last_seen=one.last_seen, score=one.score
        )
        for one in entities
    )
    return api.AgentGraph(agent, user, entities=found)


def _serialize_call(call: CalledFunction) -> api.AgentCall:
    return api.AgentCall(
        name=call.name, arguments=call.arguments, result=call.result, failed=call.failed
    )


def _serialize_message(message: Message) -> api.AgentMessage:
    return api.AgentMessage(
        number=message.number,
        kind=message.kind,
        name=message.name,
        text=message.text,
        calls=tuple(api.AgentCall(name=one.name, arguments=one.arguments) for one in message.calls),
        failed=message.failed,
        event=message.event,
        at=message.at,
        tokens=message.tokens,
        shown=message.shown,
    )


def _serialize_total(usage: UsageTotal) -> api.AgentUsageTotal:
    return api.AgentUsageTotal(
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        calls=usage.calls,
        seconds=usage.seconds,
    )
