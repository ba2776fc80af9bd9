"""What the service tells of conversations, of models and of itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from anaphora.client.types.decoding import raw_field

__all__ = [
    "ActiveModel",
    "CheckReport",
    "CheckedDialog",
    "CheckedTurn",
    "Conversation",
    "ConversationEntity",
    "ElementInfo",
    "FlowStep",
    "Health",
    "IntentInfo",
    "KeyInfo",
    "ModelInfo",
    "ModelSummary",
    "Offer",
    "Pending",
    "Readiness",
    "Remembered",
    "TermInfo",
]


# Conversations


@dataclass(frozen=True, slots=True)
class ConversationEntity:
    """An entity of a conversation; ``value`` is its text if its element gives it none."""

    element: str
    value: str
    text: str = ""
    groups: tuple[str, ...] = ()
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Remembered(ConversationEntity):
    """An entity that the conversation remembers: since when, when it was last used, and until when
    and after how many matched questions it stays if nothing uses it again."""

    stored_at: datetime | None = None
    used_at: datetime | None = None
    expires_at: datetime | None = None
    questions_ago: int = 0
    matches_left: int | None = None


@dataclass(frozen=True, slots=True)
class FlowStep:
    """An intent that answered, and when."""

    intent: str
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Pending:
    """A question that is yet to be completed."""

    intent: str
    missing: tuple[str, ...] = ()
    entities: tuple[ConversationEntity, ...] = ()
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Offer:
    """What was remembered at ``said_at`` and would come back if the user said yes."""

    question: str
    entities: tuple[ConversationEntity, ...] = ()
    said_at: datetime | None = None
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Conversation:
    """What a conversation holds ``now``, by the clock of the server: ``remembered`` newest first,
    ``flow`` oldest first."""

    user: str
    model: str
    language: str = ""
    questions: int = 0
    matches: int = 0
    rejections: int = 0
    now: datetime | None = None
    last: datetime | None = None
    expires: datetime | None = None
    timeout: timedelta = timedelta(minutes=5)
    depth: int = 3
    remembered: tuple[Remembered, ...] = ()
    flow: tuple[FlowStep, ...] = ()
    pending: Pending | None = None
    offer: Offer | None = None
    raw: Mapping[str, Any] = raw_field()


@dataclass(frozen=True, slots=True)
class ActiveModel:
    """The model that is asked when a question of the user names none."""

    user: str
    model: str
    raw: Mapping[str, Any] = raw_field()


# Models


@dataclass(frozen=True, slots=True)
class ModelSummary:
    """A model in the list: ``elements`` and ``intents`` are how many it has."""

    id: str
    name: str = ""
    version: str = ""
    description: str = ""
    languages: tuple[str, ...] = ()
    default: bool = False
    elements: int = 0
    intents: int = 0
    raw: Mapping[str, Any] = raw_field()


@dataclass(frozen=True, slots=True)
class ElementInfo:
    """An element of a model, with the names of its values."""

    id: str
    groups: tuple[str, ...] = ()
    topic: bool = False
    values: tuple[str, ...] = ()
    description: str = ""


@dataclass(frozen=True, slots=True)
class TermInfo:
    """A term of an intent; a ``conversational`` one takes entities from memory, too."""

    name: str
    required: bool = True
    conversational: bool = False


@dataclass(frozen=True, slots=True)
class IntentInfo:
    """An intent of a model."""

    id: str
    terms: tuple[TermInfo, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A model: what it understands, its sample dialogs, and what in its file looks like a
    mistake."""

    id: str
    name: str = ""
    version: str = ""
    description: str = ""
    languages: tuple[str, ...] = ()
    default: bool = False
    timeout: timedelta = timedelta(minutes=5)
    depth: int = 3
    elements: tuple[ElementInfo, ...] = ()
    intents: tuple[IntentInfo, ...] = ()
    samples: tuple[tuple[str, ...], ...] = ()
    warnings: tuple[str, ...] = ()
    raw: Mapping[str, Any] = raw_field()


@dataclass(frozen=True, slots=True)
class CheckedTurn:
    """A step of a sample dialog: what was said, and what came otherwise than it should."""

    said: str
    status: str | None = None
    text: str = ""
    failures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckedDialog:
    """A sample dialog that was run."""

    name: str
    line: int = 0
    passed: bool = False
    turns: tuple[CheckedTurn, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckReport:
    """Whether the samples of a model come out as they say."""

    passed: bool
    dialogs: tuple[CheckedDialog, ...] = ()
    raw: Mapping[str, Any] = raw_field()


# The service itself


@dataclass(frozen=True, slots=True)
class KeyInfo:
    """The key in use: what it may do, and for whom. ``id`` is None where no key is needed."""

    id: str | None = None
    tenant: str = ""
    scopes: tuple[str, ...] = ()
    user: str | None = None
    expires: datetime | None = None
    raw: Mapping[str, Any] = raw_field()


@dataclass(frozen=True, slots=True)
class Health:
    """A server that runs, its version, how many items its long-term memory has put aside, which
    it could not process, and how many damaged conversations its store has."""

    status: str
    version: str = ""
    quarantined: int = 0
    quarantined_conversations: int = 0
    raw: Mapping[str, Any] = raw_field()


@dataclass(frozen=True, slots=True)
class Readiness:
    """Whether the server can answer questions now, and what came of each of its checks."""

    status: str
    ready: bool = False
    checks: Mapping[str, Any] = field(default_factory=dict)
    raw: Mapping[str, Any] = raw_field()
