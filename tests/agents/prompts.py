"""Reading the prompts that an agent sends, and writing the answers of its model."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tests.support.chat_endpoint import Reply, ScriptedEndpoint, call

__all__ = [
    "and_go_on",
    "block",
    "events",
    "is_summary_request",
    "latest",
    "prompt_text",
    "tell",
]


def tell(text: str) -> Reply:
    """The model says something to the user."""
    return call("send_message", {"message": text})


def and_go_on(name: str, /, **arguments: Any) -> Reply:
    """The model calls a function, and wants to run again."""
    return call(name, arguments | {"request_heartbeat": True})


def prompt_text(request: Mapping[str, Any] | ScriptedEndpoint) -> str:
    """All texts of a prompt (of an endpoint: of its last prompt)."""
    body = request.requests[-1] if isinstance(request, ScriptedEndpoint) else request
    return "\n".join(message["content"] or "" for message in body["messages"])


def latest(request: Mapping[str, Any]) -> dict[str, Any]:
    """The last message of a prompt: an event, or the result of a function."""
    value = json.loads(request["messages"][-1]["content"])
    assert isinstance(value, dict)
    return value


def events(request: Mapping[str, Any], type: str = "user_message") -> list[str]:
    """The messages of all events of a prompt with this type."""
    found = []
    for message in request["messages"]:
        if message["role"] == "user" and message["content"].startswith("{"):
            value = json.loads(message["content"])
            if value.get("type") == type:
                found.append(value["message"])
    return found


def block(request: Mapping[str, Any], label: str) -> str:
    """The value of a core block in a prompt."""
    system = request["messages"][0]["content"]
    return system.partition(f"<{label} ")[2].partition(">\n")[2].partition(f"\n</{label}>")[0]


def is_summary_request(request: Mapping[str, Any]) -> bool:
    """Whether the model is asked for a summary instead of a step."""
    return "tools" not in request and request["messages"][-1]["content"].startswith(
        "<conversation>"
    )
