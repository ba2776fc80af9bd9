"""The prompt of an agent: system message, summary of what is hidden, and the message queue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from json.encoder import encode_basestring

from anaphora.agents.context.blocks import CoreMemory, render_blocks
from anaphora.agents.state.messages import Message
from anaphora.agents.state.state import AgentState
from anaphora.chat_model.messages import ChatMessage, ToolCall
from anaphora.ltm.prompt.escaping import escape

__all__ = ["Section", "render_message", "render_summary", "render_system"]

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the system message that a memory adds: plain data under a ``title``, which is a
    word."""

    title: str
    text: str


def render_system(
    instructions: str,
    core: CoreMemory,
    sections: Sequence[Section],
    state: AgentState,
    passages: int,
    at: datetime,
) -> ChatMessage:
    """Render the system message. Whatever others have written in it (blocks, sections) stands
    between tags that no text in it can contain."""
    parts = [instructions.strip()]
    if core.declared:
        parts.append(f"<core_memory>\n{render_blocks(core)}\n</core_memory>")
    parts += [f"<{one.title}>\n{escape(one.text)}\n</{one.title}>" for one in sections if one.text]
    parts.append(
        # Neither a time of day, which each event has, nor a count that changes with each message:
        # servers process a prompt from its first change on.
        f"It is {_DAYS[at.weekday()]}, {at:%Y-%m-%d} {at.tzname() or ''}".rstrip() + ". "
        f"Recall memory holds the whole conversation; {state.hidden} of its messages are hidden "
        f"here. Archival memory holds {passages} passage{'' if passages == 1 else 's'}."
    )
    return ChatMessage("system", "\n\n".join(parts))


def render_summary(state: AgentState) -> ChatMessage | None:
    """Render the summary of the messages that have left the queue; None if none has."""
    if not state.hidden:
        return None
    text = f"{state.hidden} earlier messages are hidden; conversation_search finds them."
    if state.summary:
        text += f" Summary of the hidden messages: {state.summary}"
    return ChatMessage("user", _envelope("system_alert", message=text))


def render_message(message: Message) -> ChatMessage:
    """Render a message. The texts of users and functions stand in JSON strings, so that they cannot
    pose as another message."""
    match message.kind:
        case "assistant":
            calls = [
                ToolCall(one.id, one.name, _shown_arguments(one.arguments, message.shown))
                for one in message.calls
            ]
            return ChatMessage("assistant", _beginning(message.text, message.shown), tuple(calls))
        case "result":
            status = "Failed" if message.failed else "OK"
            content = _to_json(status=status, message=_shown_text(message))
            return ChatMessage("tool", content, tool_call_id=message.call_id)
        case "event":
            time = message.at.isoformat(sep=" ", timespec="seconds")
            text = _shown_text(message)
            return ChatMessage("user", _envelope(message.name, message=text, time=time))


def _shown_text(message: Message) -> str:
    if message.shown is None or message.shown >= len(message.text):
        return message.text
    return (
        f"{message.text[: message.shown]}… [{message.shown} of {len(message.text)} characters are "
        f"shown; read_more(number={message.number}, start={message.shown}) continues]"
    )


def _beginning(text: str, shown: int | None) -> str:
    return text if shown is None or shown >= len(text) else f"{text[:shown]}…"


def _shown_arguments(arguments: str, shown: int | None) -> str:
    if shown is None or shown >= len(arguments):
        return arguments
    return _to_json(beginning_of_arguments=_beginning(arguments, shown))


def _envelope(type: str, **fields: str) -> str:
    return _to_json(type=type, **fields)


def _to_json(**fields: str) -> str:
    """Format an object of strings as :func:`json.dumps` does, in half the time: a prompt has
    hundreds of them."""
    quoted = [f'"{name}": {encode_basestring(value)}' for name, value in fields.items()]
    return f"{{{', '.join(quoted)}}}"
