"""The messages, function calls and answers of a chat model, independent of how they are sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

__all__ = [
    "ChatMessage",
    "Completion",
    "FinishReason",
    "Role",
    "ToolCall",
    "ToolSchema",
    "Usage",
]

Role = Literal["system", "user", "assistant", "tool"]
FinishReason = Literal["stop", "length", "tool_calls", "content_filter"]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a function. ``arguments`` is the JSON text as the model wrote it, valid or not."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message. A message of the role "tool" is the result of the call ``tool_call_id``."""

    role: Role
    content: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""


@dataclass(frozen=True, slots=True)
class ToolSchema:
    """A function that the model may call. ``parameters`` is the JSON Schema of an object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens, requests and seconds that completions took; usages can be added."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    calls: int = 0
    seconds: float = 0.0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.calls + other.calls,
            self.seconds + other.seconds,
        )


@dataclass(frozen=True, slots=True)
class Completion:
    """The answer of a model: its text, the functions that it calls, and why it ended."""

    content: str
    calls: tuple[ToolCall, ...]
    finish_reason: FinishReason
    usage: Usage
