"""The bodies and query parameters of requests to agents."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from anaphora.server.schemas.requests import AtTime, Id, StrictModel, UserQuery

__all__ = [
    "AgentArchiveQuery",
    "AgentDocument",
    "AgentEvent",
    "AgentGraphQuery",
    "AgentMessage",
    "AgentRecallQuery",
    "AgentSourceQuery",
    "AgentStepsQuery",
    "BlockValue",
    "MemoryValue",
]

_EventId = Annotated[
    Annotated[str, Field(min_length=1, max_length=200)] | None,
    Field(
        description="Identifies the event: sent again with the same id, it is answered once. "
        "Default: a new id.",
        examples=["4f1c"],
    ),
]
_Page = Annotated[int, Field(strict=False, ge=1, le=10_000, description="The page, from 1.")]
_Owner = Annotated[
    Id | None,
    Field(description="The user whose archive it is. Default: the archive that all users share."),
]


class AgentMessage(UserQuery):
    """A message of a user to an agent."""

    text: str = Field(description="The user's words.", examples=["Hi, I'm Ann."])
    id: _EventId = None


class AgentEvent(UserQuery):
    """Another event than a message."""

    kind: Literal["login", "heartbeat", "system_alert", "document"] = Field(
        description="What happened."
    )
    text: str = Field(default="", description="What the agent is told of it.")
    id: _EventId = None


class BlockValue(UserQuery):
    """The new value of a core block."""

    value: str = Field(description="The whole text of the block.", examples=["Name: Ann."])


class MemoryValue(UserQuery):
    """The new value of a declared memory."""

    value: str | dict[str, Any] | None = Field(
        description="The whole value: a text, or an object of its fields; null resets it.",
        examples=[{"name": "Bea", "class": "elf"}],
    )


class AgentDocument(StrictModel):
    """A text for the archival memory."""

    user: _Owner = None
    source: Id = Field(
        description="Identifies the text: what the source had before is replaced.",
        examples=["handbook.md"],
    )
    text: str = Field(description="The text.", min_length=1)


class AgentSourceQuery(StrictModel):
    """The query parameters for a source of the archival memory."""

    user: _Owner = None
    source: Id = Field(description="The source to remove.")


class AgentRecallQuery(UserQuery):
    """The query parameters of a search in the recall memory."""

    q: Annotated[str, Field(max_length=10_000)] = Field(
        default="", description="The text to search for. Default: everything, newest first."
    )
    page: _Page = 1


class AgentArchiveQuery(UserQuery):
    """The query parameters of a search in the archival memory."""

    q: Annotated[str, Field(max_length=10_000)] = Field(
        default="", description="The text to search for. Default: only the sources are listed."
    )
    page: _Page = 1


class AgentStepsQuery(UserQuery):
    """The query parameters for the last events."""

    limit: Annotated[int, Field(strict=False, ge=1, le=100)] = Field(
        default=20, description="The number of events."
    )


class AgentGraphQuery(UserQuery):
    """The query parameters for a part of the knowledge graph."""

    entity: Id | None = Field(
        default=None,
        description="The entity that the facts surround. Default: the entities are listed.",
        examples=["Kyoto"],
    )
    depth: Annotated[int, Field(strict=False, ge=1, le=2)] = Field(
        default=1, description="1 for its own facts, 2 also for those of its neighbours."
    )
    at: AtTime | None = Field(
        default=None, description="The time at which the facts hold. Default: now."
    )
