"""What an agent did with an event, collected from the records of its log."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from anaphora.agents.state.messages import EventKind, FunctionCall, Message
from anaphora.agents.state.records import (
    EndReason,
    EventBegun,
    EventEnded,
    MessageAdded,
    MessageSent,
    Record,
    UsageCounted,
)
from anaphora.agents.state.state import UsageTotal

__all__ = [
    "AgentAnswer",
    "AgentStep",
    "CalledFunction",
    "ContextSize",
    "collect_answer",
    "collect_step",
]


_NO_USAGE = UsageTotal()


@dataclass(frozen=True, slots=True)
class CalledFunction:
    """A call of a function, and its ``result`` (None: it has not run yet)."""

    name: str
    arguments: str
    result: str | None = None
    failed: bool = False


@dataclass(frozen=True, slots=True)
class AgentStep:
    """One answer of the model: its private ``thought``, and the functions that it called."""

    number: int
    thought: str
    calls: tuple[CalledFunction, ...]
    at: datetime


@dataclass(frozen=True, slots=True)
class AgentAnswer:
    """The answer to an ``event``: the ``messages`` to the user, the ``steps`` of the model, and the
    ``usage`` of all its calls. ``event_text`` is what the user said, or what the agent was told.

    ``ended`` says why the chain of steps ended: ``done``; a limit was reached (``steps``,
    ``repeated``, ``time``, ``tokens``, ``quota``); the model had nothing to say (``silent``); it
    ``failed``, or failed after it had answered (``partial``); "" while it is running. ``detail``
    has the limit or the error. ``earlier`` holds the answers of events that another process had
    left unfinished.
    """

    event: str
    kind: EventKind = "user_message"
    event_text: str = ""
    messages: tuple[str, ...] = ()
    steps: tuple[AgentStep, ...] = ()
    usage: UsageTotal = _NO_USAGE
    ended: EndReason | str = ""
    detail: str = ""
    earlier: tuple[AgentAnswer, ...] = field(default=())

    @property
    def text(self) -> str:
        """All messages to the user, one a paragraph."""
        return "\n\n".join(self.messages)


@dataclass(frozen=True, slots=True)
class ContextSize:
    """The tokens of the next prompt: of its ``system`` message (with the core memory), of the
    declared ``functions``, of the ``summary`` and of the ``messages`` of the queue; in a ``window``
    of which ``reserved`` tokens are for the answer."""

    window: int
    reserved: int
    system: int
    functions: int
    summary: int
    messages: int


def collect_answer(event: str, records: Iterable[Record]) -> AgentAnswer:
    """Collect the answer from the records of an event."""
    kind: EventKind = "user_message"
    said: list[str] = []
    messages: list[Message] = []
    usage, ended, detail = UsageTotal(), "", ""
    for record in records:
        match record:
            case EventBegun():
                kind, ended, detail = record.kind, "", ""
            case MessageSent(_, text):
                said.append(text)
            case MessageAdded(message):
                messages.append(message)
            case UsageCounted():
                usage = usage.add(record)
            case EventEnded(_, ended, detail):
                pass
    steps = [collect_step(one, messages) for one in messages if one.kind == "assistant"]
    texts = [one.text for one in messages if one.kind == "event" and one.name == kind]
    return AgentAnswer(
        event, kind, texts[0] if texts else "", tuple(said), tuple(steps), usage, ended, detail
    )


def collect_step(message: Message, results: Iterable[Message]) -> AgentStep:
    """Collect a step from an answer of the model and the results of its calls."""
    by_id = {one.call_id: one for one in results if one.kind == "result"}
    calls = [_collect_call(call, by_id.get(call.id)) for call in message.calls]
    return AgentStep(message.number, message.text, tuple(calls), message.at)


def _collect_call(call: FunctionCall, result: Message | None) -> CalledFunction:
    if result is None:
        return CalledFunction(call.name, call.arguments)
    return CalledFunction(call.name, call.arguments, result.text, result.failed)
