"""Python clients of the service: ``Client``, and ``AsyncClient`` for asyncio.

>>> from anaphora.client import Client
>>> client = Client("http://localhost:8080")
>>> ask = client.ask  # for example ask("What is the weather in Tokyo now?", user="ann").text
>>> client.close()
"""

from __future__ import annotations

try:
    from anaphora.client.agent_client import AgentClient, AsyncAgentClient
    from anaphora.client.agent_requests import AgentEvent, TextEvent
    from anaphora.client.async_client import AsyncClient
    from anaphora.client.client import Client
    from anaphora.client.events import EndEvent, Event, QuestionEvent
except ImportError as error:
    if error.name not in ("httpx", "httpx_sse"):
        raise
    raise ImportError(
        f"the client needs the package {error.name}: pip install 'anaphora[client]'",
        name=error.name,
    ) from error
from anaphora.api.agents import (
    AgentAnswer,
    AgentAnswers,
    AgentArchivePage,
    AgentCore,
    AgentGraph,
    AgentInfo,
    AgentQueue,
    AgentStep,
    AgentUsage,
    ArchiveChange,
)
from anaphora.api.conversations import ActiveModel, Conversation
from anaphora.api.explanations import Explanation
from anaphora.api.long_term_memory import Erasure, Exchange, History, Passage, RecallPage, Summary
from anaphora.api.models import CheckReport, ModelInfo, ModelSummary
from anaphora.api.operations import Health, KeyInfo, Readiness
from anaphora.api.replies import Reply, Slot, UnusedEntity, UnusedPart
from anaphora.client.dialog import Dialog
from anaphora.client.errors import (
    ApiError,
    Busy,
    FieldError,
    Forbidden,
    Invalid,
    InvalidResponse,
    NotFound,
    ServerError,
    TooManyRequests,
    Unauthorized,
    Unreachable,
)

__all__ = [
    "ActiveModel",
    "AgentAnswer",
    "AgentAnswers",
    "AgentArchivePage",
    "AgentClient",
    "AgentCore",
    "AgentEvent",
    "AgentGraph",
    "AgentInfo",
    "AgentQueue",
    "AgentStep",
    "AgentUsage",
    "ApiError",
    "ArchiveChange",
    "AsyncAgentClient",
    "AsyncClient",
    "Busy",
    "CheckReport",
    "Client",
    "Conversation",
    "Dialog",
    "EndEvent",
    "Erasure",
    "Event",
    "Exchange",
    "Explanation",
    "FieldError",
    "Forbidden",
    "Health",
    "History",
    "Invalid",
    "InvalidResponse",
    "KeyInfo",
    "ModelInfo",
    "ModelSummary",
    "NotFound",
    "Passage",
    "QuestionEvent",
    "Readiness",
    "RecallPage",
    "Reply",
    "ServerError",
    "Slot",
    "Summary",
    "TextEvent",
    "TooManyRequests",
    "Unauthorized",
    "Unreachable",
    "UnusedEntity",
    "UnusedPart",
]
