"""Agents: what they answer, what they remember, and what they know."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any

from anaphora.api.values import NOT_NULL, OneOf, Resource, Value, doc

__all__ = [
    "AgentAnswer",
    "AgentAnswers",
    "AgentArchivePage",
    "AgentBlock",
    "AgentCall",
    "AgentContext",
    "AgentCore",
    "AgentEntity",
    "AgentFact",
    "AgentGraph",
    "AgentInfo",
    "AgentList",
    "AgentMemory",
    "AgentMessage",
    "AgentPassage",
    "AgentQueue",
    "AgentSource",
    "AgentStep",
    "AgentUsage",
    "AgentUsageTotal",
    "ArchiveChange",
]

_EventKind = Annotated[str, OneOf("user_message", "login", "heartbeat", "system_alert", "document")]
_EndReason = Annotated[
    str,
    OneOf(
        *("", "done", "steps", "repeated", "time", "tokens", "silent", "quota"),
        *("partial", "failed", "ignored"),
    ),
]


@dataclass(frozen=True, slots=True)
class AgentInfo(Value):
    """An agent of the service."""

    name: str
    model: str = field(default="", metadata=doc("The language model, if its name is known."))
    window: int = field(default=0, metadata=doc("The tokens that the model reads at most."))
    blocks: tuple[str, ...] = field(default=(), metadata=doc("The labels of its core memory."))
    graph: bool = field(default=False, metadata=doc("Whether it has a knowledge graph."))


@dataclass(frozen=True, slots=True)
class AgentList(Resource):
    """The agents of the service."""

    agents: tuple[AgentInfo, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentCall(Value):
    """A call of a function by the model."""

    name: str
    arguments: str = field(default="", metadata=doc("Its arguments as the model wrote them: JSON."))
    result: str | None = field(default=None, metadata=doc("None if it has not run."))
    failed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentStep(Value):
    """One answer of the model: its private thought, and the functions that it called."""

    number: int
    thought: str = ""
    calls: tuple[AgentCall, ...] = ()
    at: datetime | None = field(default=None, metadata=NOT_NULL)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentUsageTotal(Value):
    """What the model was used for."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    calls: int = field(default=0, metadata=doc("The number of requests to the model."))
    seconds: float = field(default=0.0, metadata=doc("The time that they took."))


@dataclass(frozen=True, slots=True)
class AgentAnswer(Resource):
    """What an agent did with an event of a user."""

    agent: str
    user: str
    event: str = field(
        default="",
        metadata=doc("The id of the event. A message sent again with this id is answered once."),
    )
    kind: _EventKind = "user_message"
    event_text: str = field(
        default="", metadata=doc("What the user said, or what the agent was told of the event.")
    )
    messages: tuple[str, ...] = field(default=(), metadata=doc("What it said to the user."))
    steps: tuple[AgentStep, ...] = ()
    usage: AgentUsageTotal = field(default_factory=AgentUsageTotal)
    ended: _EndReason = field(
        default="",
        metadata=doc(
            "Why the chain of steps ended: `done`; a limit (`steps`, `repeated`, `time`, `tokens`, "
            "`quota`); `silent`, if the model had nothing to say; `failed`; `partial`, if it "
            "failed after it had answered; `ignored`, if the agent has paused heartbeats; empty "
            "while it runs."
        ),
    )
    detail: str = field(default="", metadata=doc("The limit that was reached, or the error."))
    earlier: tuple[AgentAnswer, ...] = field(
        default=(), metadata=doc("Answers to earlier events that had been left unfinished.")
    )


@dataclass(frozen=True, slots=True)
class AgentAnswers(Resource):
    """What an agent did with the last events of a user, oldest first."""

    agent: str
    user: str
    answers: tuple[AgentAnswer, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentBlock(Value):
    """A block of the core memory, which is part of every prompt."""

    label: str
    value: str = ""
    description: str = ""
    limit: int = field(default=0, metadata=doc("The most characters of its value."))
    read_only: bool = field(default=False, metadata=doc("Whether the agent may not edit it."))


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentMemory(Value):
    """The value of a declared memory."""

    name: str
    value: Any = None
    turn: int = field(default=0, metadata=doc("The number of the event that set it."))


@dataclass(frozen=True, slots=True)
class AgentCore(Resource):
    """The core memory of an agent with a user, and the values of its declared memories."""

    agent: str
    user: str
    blocks: tuple[AgentBlock, ...] = ()
    memories: tuple[AgentMemory, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentMessage(Value):
    """A message of the queue."""

    number: int
    kind: Annotated[str, OneOf("event", "assistant", "result")]
    name: str = field(default="", metadata=doc("The kind of the event, or the function called."))
    text: str = ""
    calls: tuple[AgentCall, ...] = ()
    failed: bool = False
    event: str = ""
    at: datetime | None = field(default=None, metadata=NOT_NULL)
    tokens: int = 0
    shown: int | None = field(
        default=None, metadata=doc("The characters of the text in the prompt; None if all.")
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentContext(Value):
    """The tokens of the next prompt, by part."""

    window: int = 0
    reserved: int = field(default=0, metadata=doc("What is left for the answer of the model."))
    system: int = field(default=0, metadata=doc("Instructions and core memory."))
    functions: int = 0
    summary: int = 0
    messages: int = 0


@dataclass(frozen=True, slots=True)
class AgentQueue(Resource):
    """What the prompt contains of the conversation of an agent with a user."""

    agent: str
    user: str
    messages: tuple[AgentMessage, ...] = ()
    summary: str = field(default="", metadata=doc("The summary of the messages that are hidden."))
    hidden: int = field(default=0, metadata=doc("The messages that have left the queue."))
    total: int = field(default=0, metadata=doc("All messages, with those that are hidden."))
    running: str | None = field(
        default=None, metadata=doc("The id of the event that is being answered.")
    )
    context: AgentContext = field(default_factory=AgentContext)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentPassage(Value):
    """A passage of the archival memory."""

    text: str
    heading: str = field(default="", metadata=doc("The title of its document, and headings."))
    source: str = ""
    position: int = field(default=0, metadata=doc("Its place in the source, from 1."))
    shared: bool = field(default=False, metadata=doc("Whether all users of the agent share it."))
    at: datetime | None = field(default=None, metadata=NOT_NULL)
    score: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSource(Value):
    """A source of passages: a document, or notes of the agent."""

    source: str
    passages: int = 0
    shared: bool = False


@dataclass(frozen=True, slots=True)
class AgentArchivePage(Resource):
    """A page of a search in the archival memory, best first; without a query, its sources."""

    agent: str
    user: str
    passages: tuple[AgentPassage, ...] = ()
    page: int = 1
    pages: int = 0
    total: int = field(default=0, metadata=doc("The number of passages found."))
    sources: tuple[AgentSource, ...] = field(
        default=(), metadata=doc("All sources, if there is no query.")
    )


@dataclass(frozen=True, slots=True)
class ArchiveChange(Resource):
    """The result of adding or removing a source."""

    agent: str
    source: str
    user: str | None = field(default=None, metadata=doc("None if all users share it."))
    passages: int = field(default=0, metadata=doc("The number of passages added or removed."))


@dataclass(frozen=True, slots=True)
class AgentUsage(Resource):
    """What the model of an agent was used for a user."""

    agent: str
    user: str
    total: AgentUsageTotal = field(default_factory=AgentUsageTotal)
    day: str = field(default="", metadata=doc("The day (in UTC) that `today` counts."))
    today: AgentUsageTotal = field(default_factory=AgentUsageTotal)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentFact(Value):
    """A fact of the knowledge graph."""

    id: int
    subject: str
    relation: str
    object: str
    valid_at: datetime | None = field(default=None, metadata=doc("When it began.", not_null=True))
    invalid_at: datetime | None = field(
        default=None, metadata=doc("When it ended; None if it still holds.")
    )
    count: int = field(default=1, metadata=doc("How often it was stated."))
    source: str = field(default="", metadata=doc("The exchange that stated it last."))


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentEntity(Value):
    """An entity of the knowledge graph."""

    name: str
    kind: str = ""
    count: int = field(default=0, metadata=doc("How often it was mentioned."))
    last_seen: datetime | None = field(default=None, metadata=NOT_NULL)
    score: float = field(default=0.0, metadata=doc("Its rank by count and recency."))


@dataclass(frozen=True, slots=True)
class AgentGraph(Resource):
    """A part of the knowledge graph of a user."""

    agent: str
    user: str
    entity: str | None = field(default=None, metadata=doc("The entity that the facts surround."))
    facts: tuple[AgentFact, ...] = field(default=(), metadata=doc("Those that hold at that time."))
    entities: tuple[AgentEntity, ...] = field(
        default=(), metadata=doc("The entities mentioned most and last, if none is named.")
    )
