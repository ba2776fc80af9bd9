"""Requests and answers with the tool calls of the protocol."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from anaphora.chat_model.messages import ChatMessage, ToolCall, ToolSchema

__all__ = ["render_messages", "render_tools"]


def render_messages(messages: Iterable[ChatMessage]) -> list[dict[str, Any]]:
    """Return the messages as the protocol has them."""
    return [_render(message) for message in messages]


def render_tools(tools: Sequence[ToolSchema]) -> list[dict[str, Any]]:
    """Return the functions as the protocol declares them."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": dict(tool.parameters),
            },
        }
        for tool in tools
    ]


def _render(message: ChatMessage) -> dict[str, Any]:
    rendered: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        rendered["tool_calls"] = [_render_call(call) for call in message.tool_calls]
    if message.role == "tool":
        rendered["tool_call_id"] = message.tool_call_id
    return rendered


def _render_call(call: ToolCall) -> dict[str, Any]:
    return {
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": _valid_arguments(call.arguments)},
    }


def _valid_arguments(arguments: str) -> str:
    """Return arguments that are a JSON object: chat templates parse them, and refuse others."""
    try:
        if isinstance(json.loads(arguments), dict):
            return arguments
    except (ValueError, RecursionError):
        pass
    return json.dumps({"malformed": arguments}, ensure_ascii=False)
