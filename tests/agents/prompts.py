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


def latest(request: Mapping[str, Any], *, alerts: bool = True) -> dict[str, Any]:
    """The last message of a prompt: an event, or the result of a function, with the arguments of
    its call. Alerts can be left out."""
    for message in reversed(request["messages"]):
        if message["role"] not in ("user", "tool"):
            continue
        value = json.loads(message["content"])
        assert isinstance(value, dict)
        if alerts or value.get("type") != "system_alert":
            return value | {"arguments": _arguments(request, message.get("tool_call_id"))}
    raise AssertionError("this prompt has no message")


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


def _arguments(request: Mapping[str, Any], id: str | None) -> dict[str, Any]:
    """The arguments of the call that a message is the result of."""
    for message in request["messages"]:
        for one in message.get("tool_calls", ()):
            if one["id"] == id:
                arguments = json.loads(one["function"]["arguments"])
                assert isinstance(arguments, dict)
                return arguments
    return {}
