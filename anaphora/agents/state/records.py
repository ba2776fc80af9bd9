"""Records of an agent's log: everything that changes its state."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import Struct

from anaphora.agents.state.messages import EventKind, Message
from anaphora.errors import StoreError

__all__ = [
    "BlockChanged",
    "EndReason",
    "EventBegun",
    "EventEnded",
    "Flushed",
    "HeartbeatsPaused",
    "MemoriesUpdated",
    "MemoryChanged",
    "MessageAdded",
    "MessageSent",
    "Record",
    "Shortened",
    "Summarized",
    "UsageCounted",
    "dump_record",
    "event_of",
    "load_record",
]

EndReason: TypeAlias = Literal[
    "done", "steps", "repeated", "time", "tokens", "silent", "quota", "partial", "failed"
]


class _Record(Struct, frozen=True, omit_defaults=True, tag_field="type"):
    pass


class EventBegun(_Record, frozen=True, tag="event"):
    """An event arrives, or is taken up again after a failure (``is_retry``). ``clock`` is its
    logical time."""

    id: str
    kind: EventKind
    at: datetime
    clock: int
    is_retry: bool = False


class MessageAdded(_Record, frozen=True, tag="message"):
    """A message enters the queue."""

    message: Message


class MessageSent(_Record, frozen=True, tag="sent"):
    """The agent says something to the user. The record is the delivery: it exists once."""

    event: str
    text: str
    at: datetime


class BlockChanged(_Record, frozen=True, tag="block"):
    """A block of the core memory gets a new value."""

    label: str
    value: str
    at: datetime
    by: Literal["agent", "user"] = "agent"


class Flushed(_Record, frozen=True, tag="flushed"):
    """The messages up to the number ``until`` leave the queue, except those ``kept``."""

    until: int
    kept: tuple[int, ...] = ()


class Shortened(_Record, frozen=True, tag="shortened"):
    """A message of the queue shows only the first ``shown`` characters from now on."""

    number: int
    shown: int
    tokens: int


class Summarized(_Record, frozen=True, tag="summarized"):
    """The summary covers all messages up to the number ``until`` that have left the queue."""

    until: int
    text: str
    tokens: int
    by: str


class HeartbeatsPaused(_Record, frozen=True, tag="paused"):
    """Timed heartbeats are ignored up to a time."""

    until: datetime


class UsageCounted(_Record, frozen=True, tag="usage"):
    """A call of the model, for an ``event`` and a ``purpose`` ("step", "summary", …)."""

    event: str
    purpose: str
    prompt_tokens: int
    completion_tokens: int
    seconds: float
    at: datetime


class MemoryChanged(_Record, frozen=True, tag="memory"):
    """A declared memory gets a new value (plain data), in the turn with that number."""

    name: str
    value: Any
    turn: int


class EventEnded(_Record, frozen=True, tag="ended"):
    """The chain of an event ends. ``detail`` says why, if it is not simply done."""

    event: str
    reason: EndReason
    detail: str = ""


class MemoriesUpdated(_Record, frozen=True, tag="updated"):
    """The declared memories have been updated after an event."""

    event: str


Record: TypeAlias = (
    EventBegun
    | MessageAdded
    | MessageSent
    | BlockChanged
    | Flushed
    | Shortened
    | Summarized
    | HeartbeatsPaused
    | UsageCounted
    | MemoryChanged
    | EventEnded
    | MemoriesUpdated
)

_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[Record] = msgspec.json.Decoder(Record)


def event_of(record: Record) -> str:
    """Return the id of the event that a record belongs to; "" if to none."""
    match record:
        case EventBegun(id):
            return id
        case MessageAdded(message):
            return message.event
        case MessageSent(event) | UsageCounted(event) | EventEnded(event) | MemoriesUpdated(event):
            return event
        case _:
            return ""


def dump_record(record: Record) -> bytes:
    """Serialize a record as JSON."""
    return _encoder.encode(record)


def load_record(data: bytes) -> Record:
    """Parse a record. Raises :class:`StoreError` if it is none."""
    try:
        return _decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise StoreError(f"this is not a record of an agent: {error}") from error
