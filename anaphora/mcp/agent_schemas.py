"""The output schemas of the tools for agents with memories, and the conversions to them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import BaseModel, Field
from pydantic_core import to_jsonable_python

from anaphora.agents.agent import Agent
from anaphora.agents.answer import AgentAnswer, AgentStep
from anaphora.agents.archive.pages import ArchivePage
from anaphora.agents.graph.facts import Fact
from anaphora.ltm.retrieval.search import Page

__all__ = [
    "AgentMemory",
    "AgentReply",
    "Agents",
    "Facts",
    "FoundTexts",
    "to_agents",
    "to_facts",
    "to_memory",
    "to_passages",
    "to_reply",
    "to_said",
]


class AgentShape(BaseModel):
    """An agent that can be talked to."""

    name: str
    model: str = Field(description="Its language model, if its name is known.")
    blocks: list[str] = Field(description="The labels of its core memory.")
    graph: bool = Field(description="Whether it has a knowledge graph.")


class Agents(BaseModel):
    """The agents that can be talked to."""

    agents: list[AgentShape]

    def __str__(self) -> str:
        """The agents in words."""
        return "\n".join(
            f"{one.name} ({one.model})" if one.model else one.name for one in self.agents
        )


class CallShape(BaseModel):
    """A function that the agent called."""

    name: str
    arguments: str
    result: str | None
    failed: bool


class StepShape(BaseModel):
    """An answer of the agent's language model."""

    thought: str
    calls: list[CallShape]


class AgentReply(BaseModel):
    """What an agent did with a message."""

    messages: list[str] = Field(description="What it said to the user.")
    steps: list[StepShape]
    ended: str = Field(description="done, or the limit that ended its work.")
    detail: str
    event: str = Field(description="The id of the message.")
    agent: str
    user: str

    def __str__(self) -> str:
        """What the agent said."""
        return "\n\n".join(self.messages) or f"(no answer: {self.detail or self.ended})"


class AgentMemory(BaseModel):
    """What an agent always knows of a user."""

    agent: str
    user: str
    core: dict[str, str] = Field(description="The blocks of its core memory, by label.")
    declared: dict[str, Any] = Field(description="The values of its declared memories.")
    summary: str = Field(description="The summary of the older part of the conversation.")

    def __str__(self) -> str:
        """The memory in words."""
        lines = [f"{label}: {value or '(empty)'}" for label, value in self.core.items()]
        lines += [f"{name}: {value}" for name, value in self.declared.items()]
        return "\n".join([*lines, *([f"summary: {self.summary}"] if self.summary else [])])


class FoundText(BaseModel):
    """A text that a search found."""

    text: str
    source: str = Field(description="The document, or what the user said before it.")
    at: datetime


class FoundTexts(BaseModel):
    """A page of texts, best first."""

    found: list[FoundText]
    page: int
    more: bool = Field(description="Whether another page follows.")

    def __str__(self) -> str:
        """The texts in words."""
        return (
            "\n\n".join(f"[{one.source}] {one.text}" for one in self.found) or "Nothing was found."
        )


class FactShape(BaseModel):
    """A fact: when it began to hold, and when it ended."""

    subject: str
    relation: str
    object: str
    valid_at: datetime
    invalid_at: datetime | None


class Facts(BaseModel):
    """Facts about an entity."""

    facts: list[FactShape]

    def __str__(self) -> str:
        """The facts in words."""
        lines = [f"{one.subject} {one.relation} {one.object}" for one in self.facts]
        return "\n".join(lines) or "Nothing is known."


def to_agents(listed: list[Agent]) -> Agents:
    """Convert agents to a list."""
    return Agents(
        agents=[
            AgentShape(
                name=agent.name,
                model=agent.model.model,
                blocks=[block.label for block in agent.blocks],
                graph=agent.graph is not None,
            )
            for agent in listed
        ]
    )


def to_reply(answer: AgentAnswer, *, agent: str, user: str) -> AgentReply:
    """Convert an answer."""
    return AgentReply(
        messages=list(answer.messages),
        steps=list(map(_to_step, answer.steps)),
        ended=answer.ended,
        detail=answer.detail,
        event=answer.event,
        agent=agent,
        user=user,
    )


def to_memory(agent: Agent, user: str) -> AgentMemory:
    """Return what an agent always knows of a user."""
    state = agent.state(user)
    declared = {name: one.value for name, one in agent.memories(user).items()}
    return AgentMemory(
        agent=agent.name,
        user=user,
        core={block.label: value for block, value in agent.core(user)},
        declared=to_jsonable_python(declared, serialize_unknown=True),
        summary=state.summary,
    )


def to_said(page: Page) -> FoundTexts:
    """Convert a page of exchanges."""
    exchanges = [passage.exchange for passage in page.passages]
    found = [FoundText(text=one.answer, source=one.question, at=one.at) for one in exchanges]
    return FoundTexts(found=found, page=page.page, more=page.more)


def to_passages(page: ArchivePage) -> FoundTexts:
    """Convert a page of passages."""
    found = [
        FoundText(text=one.text, source=one.heading or one.source, at=one.at)
        for one in page.passages
    ]
    return FoundTexts(found=found, page=page.page, more=page.page < page.pages)


def to_facts(facts: list[Fact]) -> Facts:
    """Convert facts."""
    return Facts(
        facts=[
            FactShape(
                subject=one.subject,
                relation=one.relation,
                object=one.object,
                valid_at=one.valid_at,
                invalid_at=one.invalid_at,
            )
            for one in facts
        ]
    )


def _to_step(step: AgentStep) -> StepShape:
    calls = [
        CallShape(name=one.name, arguments=one.arguments, result=one.result, failed=one.failed)
        for one in step.calls
    ]
    return StepShape(thought=step.thought, calls=calls)
