"""Conversations: what is remembered, pending and offered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from anaphora.api.values import (
    BY,
    NEGATED,
    NOT_NULL,
    QUANTITY,
    QUICK_REPLIES,
    Resource,
    Speaker,
    Value,
    doc,
)

__all__ = [
    "ActiveModel",
    "Conversation",
    "ConversationEntity",
    "FlowStep",
    "Offer",
    "Pending",
    "Remembered",
]


@dataclass(frozen=True, slots=True)
class ConversationEntity(Value):
    """An entity that a conversation remembers, or of an incomplete question."""

    element: str
    value: str = field(metadata=doc("The element's value, else the text."))
    text: str = ""
    groups: tuple[str, ...] = ()
    meta: Mapping[str, Any] = field(default_factory=dict)
    quantity: int | float | None = field(default=None, metadata=QUANTITY)
    negated: bool = field(default=False, metadata=NEGATED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered(ConversationEntity):
    """An entity that a conversation remembers."""

    stored_at: datetime | None = field(default=None, metadata=NOT_NULL)
    used_at: datetime | None = field(default=None, metadata=NOT_NULL)
    expires_at: datetime | None = field(
        default=None, metadata=doc("When it is forgotten unless a question uses it.") | NOT_NULL
    )
    questions_ago: int = field(
        default=0, metadata=doc("From the last question, so 0 if that stored it.")
    )
    matches_left: int = field(
        default=0,
        metadata=doc("After how many matched questions that don't use it it is forgotten."),
    )
    by: Speaker = field(default="user", metadata=BY)


@dataclass(frozen=True, slots=True)
class FlowStep(Value):
    """An intent that answered."""

    intent: str
    at: datetime | None = field(default=None, metadata=NOT_NULL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending(Value):
    """A question that waits for its missing terms, or for a yes."""

    intent: str
    missing: tuple[str, ...] = ()
    entities: tuple[ConversationEntity, ...] = ()
    at: datetime | None = field(default=None, metadata=NOT_NULL)
    confirms: bool = field(
        default=False,
        metadata=doc("Whether it waits for a yes to be carried out.", omit_empty=True),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer(Value):
    """Entities of the long-term memory: a yes answers the question with them."""

    question: str
    entities: tuple[ConversationEntity, ...] = ()
    said_at: datetime | None = field(
        default=None, metadata=doc("When they were remembered.") | NOT_NULL
    )
    at: datetime | None = field(default=None, metadata=NOT_NULL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation(Resource):
    """The current state of a conversation."""

    user: str
    model: str
    language: str = field(default="", metadata=doc("Of the last question, empty before the first."))
    questions: int = 0
    matches: int = 0
    rejections: int = field(default=0, metadata=doc("The number of questions rejected in a row."))
    now: datetime | None = field(default=None, metadata=doc("The time of the server.") | NOT_NULL)
    last: datetime | None = field(default=None, metadata=doc("The time of the last question."))
    expires: datetime | None = field(default=None, metadata=doc("When everything is forgotten."))
    timeout: timedelta = field(
        default=timedelta(minutes=5), metadata=doc("The longest pause, in seconds.")
    )
    depth: int = 3
    remembered: tuple[Remembered, ...] = field(default=(), metadata=doc("Newest first."))
    flow: tuple[FlowStep, ...] = field(default=(), metadata=doc("Oldest first."))
    pending: Pending | None = None
    suspended: Pending | None = field(
        default=None,
        metadata=doc(
            "The question that the pending one suspends: it comes back after that.", omit_none=True
        ),
    )
    offer: Offer | None = None
    offers: tuple[tuple[ConversationEntity, ...], ...] = field(
        default=(),
        metadata=doc(
            "What the bot offers, until it is accepted or declined: bundles of entities.",
            omit_empty=True,
        ),
    )
    offered_by: str = field(
        default="", metadata=doc("The intent that made the offers.", omit_empty=True)
    )
    offers_expire: datetime | None = field(
        default=None,
        metadata=doc("When they are withdrawn if no question is about them.", omit_none=True),
    )
    quick_replies: tuple[str, ...] = field(default=(), metadata=QUICK_REPLIES)


@dataclass(frozen=True, slots=True)
class ActiveModel(Resource):
    """The model for questions of the user that name none."""

    user: str
    model: str
