"""Reading a decoded answer of an endpoint: its message, calls, reason to finish, and usage."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from anaphora.chat_model.messages import FinishReason, ToolCall

__all__ = ["RawAnswer", "new_call_id", "read_answer"]

_REASONS: dict[Any, FinishReason] = {
    "length": "length",
    "max_tokens": "length",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "content_filter",
    "safety": "content_filter",
}


@dataclass(frozen=True, slots=True)
class RawAnswer:
    """An answer as the endpoint gave it. Tokens are ``None`` where it does not count them."""

    content: str
    calls: tuple[ToolCall, ...]
    finish_reason: FinishReason
    prompt_tokens: int | None
    completion_tokens: int | None


def read_answer(decoded: Mapping[str, Any]) -> RawAnswer:
    """Read the first choice of an answer. Raises ``ValueError`` that says what is missing."""
    choices = decoded.get("choices")
    if not isinstance(choices, list) or not choices:
        raise ValueError("it has no choices")
    message = choices[0].get("message") if isinstance(choices[0], dict) else None
    if not isinstance(message, dict):
        raise ValueError("its choice has no message")
    calls = _read_calls(message.get("tool_calls"))
    reason = _REASONS.get(choices[0].get("finish_reason"), "stop")
    content = _read_content(message)
    if content is None:
        if not calls and reason == "stop":
            raise ValueError("its message has neither text nor calls")
        content = ""
    if calls and reason == "stop":
        reason = "tool_calls"
    if reason == "tool_calls" and not calls:
        reason = "stop"
    usage = decoded.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    return RawAnswer(
        content,
        calls,
        reason,
        _read_number(usage.get("prompt_tokens")),
        _read_number(usage.get("completion_tokens")),
    )


def new_call_id() -> str:
    """Return an id for a call that the endpoint gave none."""
    return f"call_{uuid4().hex[:16]}"


def _read_content(message: Mapping[str, Any]) -> str | None:
    content = message.get("content")
    if content is None:
        content = message.get("refusal")
    if isinstance(content, list):  # of parts
        texts = [part.get("text") for part in content if isinstance(part, dict)]
        return "".join(text for text in texts if isinstance(text, str))
    return content if isinstance(content, str) else None


def _read_calls(listed: Any) -> tuple[ToolCall, ...]:
    calls: dict[str, ToolCall] = {}
    for one in listed if isinstance(listed, list) else ():
        function = one.get("function") if isinstance(one, dict) else None
        if not isinstance(function, dict):
            continue
        name, arguments = function.get("name"), function.get("arguments")
        if not isinstance(arguments, str):
            arguments = json.dumps({} if arguments is None else arguments, ensure_ascii=False)
        id_ = one.get("id")
        if not isinstance(id_, str) or not id_ or id_ in calls:
            id_ = new_call_id()
        calls[id_] = ToolCall(id_, name if isinstance(name, str) else "", arguments)
    return tuple(calls.values())


def _read_number(value: Any) -> int | None:
    return value if type(value) is int and value >= 0 else None
