"""Replies to questions.

The server sends what :meth:`anaphora.engine.reply.Reply.to_dict` and
:meth:`anaphora.intents.explanation.Explanation.to_dict` write, without objects of these types:
change both together. The tests validate the responses against OpenAPI, which these types describe.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from anaphora.api.explanations import Explanation
from anaphora.api.problems import ProblemDetails
from anaphora.api.values import (
    BY,
    NEGATED,
    QUANTITY,
    QUICK_REPLIES,
    Resource,
    Source,
    Speaker,
    Status,
    Value,
    doc,
)

__all__ = [
    "DialogReplies",
    "MemoryItem",
    "OfferedItem",
    "Reply",
    "Slot",
    "UnusedEntity",
    "UnusedPart",
]


@dataclass(frozen=True, slots=True)
class Slot(Value):
    """The value of a slot: single texts, or lists if the slot may take several entities."""

    value: str | list[str] = field(metadata=doc("The element's value, else the text."))
    text: str | list[str] = field(default="", metadata=doc("The words of the user."))
    element: str | list[str] = ""
    source: Source | list[Source] = field(
        default="", metadata=doc("Where it came from: this sentence, or an earlier one.")
    )
    meta: Mapping[str, Any] | list[Mapping[str, Any]] | None = field(
        default=None,
        metadata=doc("Metadata of its recognizer, such as the days of a date.", omit_none=True),
    )
    quantity: int | float | list[int | float | None] | None = field(default=None, metadata=QUANTITY)
    negated: bool | list[bool] = field(default=False, metadata=NEGATED)


@dataclass(frozen=True, slots=True)
class OfferedItem(Value):
    """An entity of an offer."""

    element: str
    value: str
    groups: tuple[str, ...] = field(
        default=(), metadata=doc("An entity of another set of these groups replaces it.")
    )
    quantity: int | float | None = field(default=None, metadata=QUANTITY)
    negated: bool = field(default=False, metadata=NEGATED)


@dataclass(frozen=True, slots=True)
class MemoryItem(OfferedItem):
    """An entity that the conversation remembers after the question."""

    by: Speaker = field(default="user", metadata=BY)


@dataclass(frozen=True, slots=True)
class UnusedEntity(Value):
    """An entity that an answer did not use."""

    element: str
    value: str = field(metadata=doc("The element's value, else the text."))
    text: str = ""
    quantity: int | float | None = field(default=None, metadata=QUANTITY)
    negated: bool = field(default=False, metadata=NEGATED)


@dataclass(frozen=True, slots=True)
class UnusedPart(Value):
    """A part of the sentence, from ``start`` to ``end``, that the answer did not use."""

    text: str
    start: int = 0
    end: int = 0
    entities: tuple[UnusedEntity, ...] = ()
    words: tuple[str, ...] = field(
        default=(), metadata=doc("The words that nothing in the model covers.")
    )


@dataclass(frozen=True, slots=True)
class Reply(Resource):
    """The answer to one question."""

    status: Status
    intent: str | None = field(
        default=None, metadata=doc("The intent that answered, or that lacks something.")
    )
    slots: Mapping[str, Slot] = field(default_factory=dict)
    missing: tuple[str, ...] = field(
        default=(), metadata=doc("The terms that an incomplete question lacks.")
    )
    prompt: str | None = field(
        default=None, metadata=doc("The question that asks for the first missing term.")
    )
    text: str = field(default="", metadata=doc("What the bot says."))
    memory: tuple[MemoryItem, ...] = field(
        default=(), metadata=doc("What is remembered now, newest first.")
    )
    unused: tuple[UnusedPart, ...] = field(
        default=(), metadata=doc("The parts of the sentence that the answer did not use.")
    )
    reason: str = field(
        default="",
        metadata=doc("Why the question was rejected, or which of its words nothing uses."),
    )
    offers: tuple[tuple[OfferedItem, ...], ...] = field(
        default=(),
        metadata=doc(
            "What the bot offers, until it is accepted or declined: bundles of entities.",
            omit_empty=True,
        ),
    )
    offered_by: str = field(
        default="", metadata=doc("The intent that made the offers.", omit_empty=True)
    )
    confirms: bool = field(
        default=False,
        metadata=doc("Whether it waits for a yes to carry the intent out.", omit_empty=True),
    )
    quick_replies: tuple[str, ...] = field(default=(), metadata=QUICK_REPLIES)
    answered_by: str = field(
        default="",
        metadata=doc("The agent that answered what the model rejected.", omit_empty=True),
    )
    model: str = field(default="", metadata=doc("The model that was asked."))
    user: str = ""
    result: Any = field(
        default=None, metadata=doc("What the handler returned, if it is JSON.", omit_none=True)
    )
    explanation: Explanation | None = field(
        default=None, metadata=doc("Only if the question asks for it.", omit_none=True)
    )


@dataclass(frozen=True, slots=True)
class DialogReplies(Resource):
    """The answers to several questions."""

    replies: tuple[Reply, ...] = field(metadata=doc("One for each question that was answered."))
    problem: ProblemDetails | None = field(
        default=None,
        metadata=doc("Why the next question was not answered; the rest was not asked."),
    )
