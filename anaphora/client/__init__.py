"""A client of the service, for programs in Python: ``Client``, and ``AsyncClient`` for asyncio.

>>> from anaphora.client import Client
>>> client = Client("http://localhost:8080")
>>> ask = client.ask  # as in ask("What is the weather in Tokyo now?", user="ann").text
>>> client.close()
"""

from __future__ import annotations

try:
    from anaphora.client.asynchronous import AsyncClient
    from anaphora.client.client import Client
    from anaphora.client.events import QuestionEvent, EndEvent, Event
except ImportError as error:
    if error.name not in ("httpx", "httpx_sse"):
        raise
    raise ImportError(
        f"the client needs the package {error.name}: pip install 'anaphora[client]'",
        name=error.name,
    ) from error
from anaphora.client.descriptions import (
    ActiveModel,
    CheckReport,
    Conversation,
    Health,
    KeyInfo,
    ModelInfo,
    ModelSummary,
    Readiness,
)
from anaphora.client.explanations import Explanation
from anaphora.client.memory import Erasure, Exchange, History, Passage, RecallPage, Summary
from anaphora.client.problems import (
    ApiError,
    InvalidResponse,
    Busy,
    Forbidden,
    Invalid,
    FieldError,
    NotFound,
    ServerError,
    TooManyRequests,
    Unauthorized,
    Unreachable,
)
from anaphora.client.replies import Dialog, Reply, Slot, UnusedEntity, UnusedPart

__all__ = [
    "ActiveModel",
    "ApiError",
    "QuestionEvent",
    "AsyncClient",
    "InvalidResponse",
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
    "Forbidden",
    "Health",
    "History",
    "Invalid",
    "KeyInfo",
    "FieldError",
    "ModelInfo",
    "ModelSummary",
    "NotFound",
    "Passage",
    "Readiness",
    "RecallPage",
    "Reply",
    "ServerError",
    "Slot",
    "Summary",
    "TooManyRequests",
    "Unauthorized",
    "Unreachable",
    "UnusedEntity",
    "UnusedPart",
]
