"""The state of an agent with one user, and how each record changes it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import reduce
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from anaphora.agents.state.messages import EventKind, Message
from anaphora.agents.state.records import (
    BlockChanged,
    EventBegun,
    EventEnded,
    Flushed,
    HeartbeatsPaused,
    MemoriesUpdated,
    MemoryChanged,
    MessageAdded,
    MessageSent,
    Record,
    Shortened,
    Summarized,
    UsageCounted,
)

__all__ = ["AgentState", "MemoryValue", "RunningEvent", "UsageTotal", "apply_record", "replay"]

PRESSURE_ALERT = "memory_pressure"


class UsageTotal(Struct, frozen=True, omit_defaults=True):
    """Calls of the model, their tokens, and the seconds that they took."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    calls: int = 0
    seconds: float = 0.0

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens

    def add(self, used: UsageCounted) -> UsageTotal:
        return UsageTotal(
            self.prompt_tokens + used.prompt_tokens,
            self.completion_tokens + used.completion_tokens,
            self.calls + 1,
            self.seconds + used.seconds,
        )


class RunningEvent(Struct, frozen=True, omit_defaults=True):
    """The event that is being answered: ``first`` is the number of its first record, ``steps``
    counts answers of the model, ``sent`` messages to the user, ``empty`` answers without any
    content. ``is_recorded``: its message is in the long-term memory already."""

    id: str
    kind: EventKind
    at: datetime
    clock: int
    first: int
    steps: int = 0
    sent: int = 0
    empty: int = 0
    is_recorded: bool = False
    usage: UsageTotal = UsageTotal()


class MemoryValue(Struct, frozen=True):
    """The value of a declared memory, and the turn in which it was set."""

    value: Any
    turn: int


class AgentState(Struct, frozen=True, omit_defaults=True):
    """What an agent knows of one user.

    ``number`` counts the records of the log. ``blocks`` has the core blocks that were changed.
    ``queue`` holds the messages of the prompt, ``summary`` covers the messages that have left it up
    to the number ``summarized``, and ``flushed`` is the number of the last one that has left it.
    ``messages`` and ``hidden`` count all messages, and those that have left the queue. ``alerted``
    says that the model was warned of memory pressure since the last flush. ``owed`` is the event
    after which memories must still be updated, ``unrecorded`` the failed one whose message is not
    in the long-term memory yet. ``day`` is the day that ``day_usage`` counts.
    """

    number: int = 0
    turn: int = 0
    clock: int = 0
    blocks: dict[str, str] = field(default_factory=dict)
    queue: tuple[Message, ...] = ()
    summary: str = ""
    summary_tokens: int = 0
    summarized: int = 0
    flushed: int = 0
    messages: int = 0
    hidden: int = 0
    alerted: bool = False
    event: RunningEvent | None = None
    owed: str = ""
    unrecorded: str = ""
    paused_until: datetime | None = None
    usage: UsageTotal = UsageTotal()
    day: str = ""
    day_usage: UsageTotal = UsageTotal()
    memories: dict[str, MemoryValue] = field(default_factory=dict)

    @property
    def queue_tokens(self) -> int:
        """The size of the queue with the summary."""
        return self.summary_tokens + sum([message.tokens for message in self.queue])

    def memory_values(self) -> Mapping[str, Any]:
        """The values of the declared memories."""
        return {name: one.value for name, one in self.memories.items()}


def replay(state: AgentState, records: Iterable[Record]) -> AgentState:
    """Apply records in order."""
    return reduce(apply_record, records, state)


def apply_record(state: AgentState, record: Record) -> AgentState:
    """Return the state after the next record of the log."""
    number = state.number + 1
    state = replace(state, number=number)
    match record:
        case EventBegun():
            return _begin_event(state, record)
        case MessageAdded(message):
            return _add_message(state, replace(message, number=number))
        case MessageSent():
            return _change_event(state, sent=1)
        case BlockChanged(label, value):
            return replace(state, blocks={**state.blocks, label: value})
        case Flushed():
            return _flush(state, record)
        case Shortened():
            queue = [
                replace(one, shown=record.shown, tokens=record.tokens)
                if one.number == record.number
                else one
                for one in state.queue
            ]
            return replace(state, queue=tuple(queue))
        case Summarized(until, text, tokens):
            return replace(state, summarized=until, summary=text, summary_tokens=tokens)
        case HeartbeatsPaused(until):
            return replace(state, paused_until=until)
        case UsageCounted():
            return _count_usage(state, record)
        case MemoryChanged(name, value, turn):
            return replace(state, memories={**state.memories, name: MemoryValue(value, turn)})
        case EventEnded(event, reason):
            if reason != "failed":
                return replace(state, event=None, owed=event)
            is_recorded = state.event is not None and state.event.is_recorded
            return replace(state, event=None, unrecorded="" if is_recorded else event)
        case MemoriesUpdated():
            return replace(state, owed="")


def _begin_event(state: AgentState, record: EventBegun) -> AgentState:
    event = RunningEvent(
        record.id,
        record.kind,
        record.at,
        record.clock,
        state.number,
        is_recorded=record.is_retry and state.unrecorded != record.id,
    )
    clock = max(state.clock, record.clock)
    return replace(state, event=event, turn=state.turn + 1, clock=clock, unrecorded="")


def _add_message(state: AgentState, message: Message) -> AgentState:
    is_alert = message.kind == "event" and message.name == "system_alert"
    state = replace(
        state,
        queue=(*state.queue, message),
        messages=state.messages + 1,
        alerted=state.alerted or (is_alert and message.call_id == PRESSURE_ALERT),
    )
    if message.kind != "assistant":
        return state
    is_empty = not message.text.strip() and not message.calls
    return _change_event(state, steps=1, empty=int(is_empty))


def _change_event(
    state: AgentState, *, steps: int = 0, sent: int = 0, empty: int = 0
) -> AgentState:
    event = state.event
    if event is None:
        return state
    changed = replace(
        event, steps=event.steps + steps, sent=event.sent + sent, empty=event.empty + empty
    )
    return replace(state, event=changed)


def _flush(state: AgentState, record: Flushed) -> AgentState:
    kept = frozenset(record.kept)
    queue = tuple([one for one in state.queue if one.number > record.until or one.number in kept])
    return replace(
        state,
        queue=queue,
        flushed=max(state.flushed, record.until),  # a message that was kept leaves later
        hidden=state.hidden + len(state.queue) - len(queue),
        alerted=False,
    )


def _count_usage(state: AgentState, used: UsageCounted) -> AgentState:
    day = used.at.date().isoformat()
    today = state.day_usage if day == state.day else UsageTotal()
    event = state.event
    if event is not None and event.id == used.event:
        event = replace(event, usage=event.usage.add(used))
    return replace(
        state, usage=state.usage.add(used), day=day, day_usage=today.add(used), event=event
    )
