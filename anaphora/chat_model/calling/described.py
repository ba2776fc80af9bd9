"""Function calls as JSON in plain messages, for models without tool calls of their own.

The functions are described in a system message. A call is a JSON object that the model writes as
its answer, and a result is a JSON object in a message of the user.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from anaphora.chat_model.messages import ChatMessage, ToolCall, ToolSchema

__all__ = ["build_response_format", "describe_tools", "join_same_roles", "render_plain"]

_MAX_CALLS = 4  # in one answer; a small model would write them until its limit
_NOT_PORTABLE = ("$ref", "$defs", "definitions", "pattern", "patternProperties")
_HEADING = "You can call these functions. Each is given with the JSON Schema of its arguments."
_JSON_RULES = """\
Answer with one JSON object and nothing else: {"thought": "…", "calls": [{"name": "…", \
"arguments": {…}}]}. "thought" is your text; "calls" lists the functions to call, and is empty if \
none is needed."""
_TEXT_RULES = """\
To call functions, answer with one JSON object and nothing else: {"thought": "…", "calls": \
[{"name": "…", "arguments": {…}}]}. To call none, answer with plain text."""
_RESULT_RULES = 'The result of a call comes as a JSON object of the type "function_result".'


def describe_tools(tools: Sequence[ToolSchema], form: str) -> str:
    """Return the system message that describes the functions, for the form "json" or "text"."""
    listed = (
        f"- {tool.name}: {tool.description}\n  arguments: {_to_json(dict(tool.parameters))}"
        for tool in tools
    )
    rules = _JSON_RULES if form == "json" else _TEXT_RULES
    return "\n".join([_HEADING, *listed, rules, _RESULT_RULES])


def render_plain(messages: Iterable[ChatMessage]) -> list[dict[str, str]]:
    """Return messages of the roles system, user and assistant, calls and results as JSON text."""
    names: dict[str, str] = {}
    rendered = []
    for message in messages:
        role, content = message.role, message.content
        if message.tool_calls:
            names |= {call.id: call.name for call in message.tool_calls}
            calls = [_render_call(call) for call in message.tool_calls]
            content = _to_json({"thought": content, "calls": calls})
        elif role == "tool":
            role, content = "user", _render_result(message, names)
        rendered.append({"role": role, "content": content})
    return rendered


def join_same_roles(messages: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Join adjacent messages of one role, with system messages at the beginning only.

    Many chat templates (Gemma, Mistral, Llama 2) refuse roles that do not alternate, and an
    assistant that speaks first. Messages with tool calls, and their results, stay as they are.
    """
    joined: list[dict[str, Any]] = []
    for message in messages:
        role = message["role"]
        last = joined[-1]["role"] if joined else "system"
        if role == "system" and last != "system":
            role = "user"
        elif role == "assistant" and last == "system":
            joined.append({"role": "user", "content": "(The conversation continues.)"})
        plain = role != "tool" and "tool_calls" not in message
        if joined and plain and joined[-1]["role"] == role and "tool_calls" not in joined[-1]:
            content = f"{joined[-1]['content']}\n\n{message['content']}"
            joined[-1] = {**joined[-1], "content": content}
        else:
            joined.append({**message, "role": role})
    return joined


def build_response_format(tools: Sequence[ToolSchema]) -> dict[str, Any]:
    """Return the ``response_format`` that constrains an answer to a thought and calls."""
    schema = _object(
        thought={"type": "string"},
        calls={
            "type": "array",
            "items": {
                "anyOf": [
                    _object(
                        name={"type": "string", "enum": [tool.name]},
                        arguments=_portable_schema(tool.parameters),
                    )
                    for tool in tools
                ]
            },
            "maxItems": _MAX_CALLS,
        },
    )
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}


def _object(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _portable_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema that grammars of servers know: any object for one that refers elsewhere."""
    text = json.dumps(dict(schema))
    if any(f'"{word}":' in text for word in _NOT_PORTABLE):
        return {"type": "object"}
    return {"type": "object", **schema}


def _render_call(call: ToolCall) -> dict[str, Any]:
    return {"name": call.name, "arguments": _parse_if_json(call.arguments)}


def _render_result(message: ChatMessage, names: Mapping[str, str]) -> str:
    return _to_json(
        {
            "type": "function_result",
            "id": message.tool_call_id,
            "name": names.get(message.tool_call_id, ""),
            "result": _parse_if_json(message.content),
        }
    )


def _parse_if_json(text: str) -> Any:
    """Return the object or list that a text is, so that it is not quoted twice; else the text."""
    if text.startswith(("{", "[")):
        with suppress(ValueError, RecursionError):
            return json.loads(text)
    return text


def _to_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
