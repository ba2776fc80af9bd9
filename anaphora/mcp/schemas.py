"""The output schemas of the tools, and the conversions from the engine's values."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pydantic import BaseModel, Field
from pydantic_core import to_jsonable_python

from anaphora.api.replies import MemoryItem, OfferedItem, Slot
from anaphora.api.values import doc
from anaphora.core.plurals import pluralize
from anaphora.engine.reply import Reply
from anaphora.models.domain import AskStep, Model, Status
from anaphora.stm.conversation import Conversation, PendingQuestion

__all__ = [
    "Answer",
    "Memory",
    "ModelShape",
    "Models",
    "format_reply",
    "to_answer",
    "to_memory",
    "to_models",
]

_MAX_SAMPLES = 5


class Answer(BaseModel):
    """The bot's answer to one question."""

    status: Status = Field(
        description="matched: answered. incomplete: a required slot is missing. "
        "rejected: not understood. reset: the memory was cleared."
    )
    text: str = Field(description="The bot's answer.")
    intent: str | None = Field(description="The intent that answered.")
    slots: dict[str, Slot] = Field(description="The slots by name.")
    missing: list[str] = Field(description="The slots that are missing.")
    prompt: str | None = Field(description="The question that asks the user for the first of them.")
    reason: str = Field(description="Why the question was rejected.")
    memory: list[MemoryItem] = Field(description="What is remembered now, newest first.")
    unused: list[str] = Field(description="The parts of the question that the answer did not use.")
    model: str = Field(description="The model that was asked.")
    user: str
    result: Any = Field(default=None, description="The handler's result besides the text.")
    offers: list[list[OfferedItem]] = Field(
        default=[],
        description="What the bot offers until it is accepted or declined: bundles of entities.",
    )
    offered_by: str = Field(default="", description="The intent that made the offers.")
    confirms: bool = Field(
        default=False, description="Whether it waits for a yes to carry the intent out."
    )
    quick_replies: list[str] = Field(
        default=[],
        description="Texts to answer with: a yes and a no if it waits for one, else one for each "
        "of the offers, which accepts it.",
    )
    answered_by: str = Field(
        default="", description="The agent that answered what was not understood."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberedItem(MemoryItem):
    """A remembered entity, and when it was last used."""

    questions_ago: int = field(metadata=doc("From the last question, so 0 if that stored it."))
    used_at: datetime


class PendingShape(BaseModel):
    """A question that waits for its missing slots, or for a yes."""

    intent: str
    missing: list[str]
    understood: list[str] = Field(description="Its entities, each as element=value.")
    confirms: bool = Field(
        default=False, description="Whether it waits for a yes to carry the intent out."
    )


class Memory(BaseModel):
    """What the bot remembers of a conversation."""

    user: str
    model: str
    questions: int = Field(description="The number of questions so far.")
    last: datetime | None = Field(description="The time of the last question.")
    timeout_seconds: float = Field(description="A longer pause clears the memory.")
    remembered: list[RememberedItem] = Field(description="Newest first.")
    flow: list[str] = Field(description="The intents that answered, oldest first.")
    pending: PendingShape | None
    suspended: PendingShape | None = Field(
        default=None, description="The question that comes back after the pending one."
    )
    offers: list[list[str]] = Field(
        default=[],
        description="What the bot offers until it is accepted or declined: bundles of entities, "
        "each as element=value.",
    )
    offered_by: str = Field(default="", description="The intent that made the offers.")

    def __str__(self) -> str:
        """The memory in words."""
        lines = [
            f"{_format_entity(held)}, {_format_age(held.questions_ago)}" for held in self.remembered
        ]
        for one, state in ((self.pending, "waiting"), (self.suspended, "then again waiting")):
            if one is not None:
                lacks = ", ".join(one.missing) or "a yes or a no"
                lines.append(f"{state} for {lacks} of {one.intent}")
        lines += [f"offered by {self.offered_by}: {', '.join(bundle)}" for bundle in self.offers]
        if self.flow:
            lines.append(f"answered so far: {', '.join(self.flow)}")
        return "\n".join(lines) or "Nothing is remembered."


class ModelShape(BaseModel):
    """A bot that can be asked."""

    id: str
    name: str
    description: str
    languages: list[str]
    active: bool = Field(description="Whether it is the default model.")
    examples: list[str] = Field(description="Example questions: the first dialog of its samples.")


class Models(BaseModel):
    """The bots that can be asked."""

    models: list[ModelShape]

    def __str__(self) -> str:
        """The models in words."""
        return "\n".join(
            f"{model.id}{' (active)' if model.active else ''}: {model.description or model.name}"
            + "".join(f"\n  {example}" for example in model.examples)
            for model in self.models
        )


def to_answer(reply: Reply, *, user: str, model: str) -> Answer:
    """Convert a reply of the engine to an answer."""
    plain = to_jsonable_python(reply.to_dict(), serialize_unknown=True)
    plain |= {
        "text": format_reply(reply),
        "reason": reply.reason,
        "unused": [one.text for one in reply.unused],
        "user": user,
        "model": model,
    }
    if reply.result is not None and not isinstance(reply.result, str):  # ``text`` has it
        plain["result"] = to_jsonable_python(reply.result, serialize_unknown=True)
    return Answer.model_validate(plain)


def format_reply(reply: Reply) -> str:
    """Format a reply as one text for the user, which is never empty."""
    if reply.text:
        return reply.text
    if reply.status == "rejected":
        return f"Not understood: {reply.reason}"
    if reply.status == "reset":
        return "Everything is forgotten."
    slots = ", ".join(f"{name}: {slot.value}" for name, slot in reply.slots.items())
    return f"{reply.intent or reply.status}{f' ({slots})' if slots else ''}"


def to_memory(conversation: Conversation, model: Model) -> Memory:
    """Convert a conversation with a model to its memory."""
    pending, offers = conversation.pending, conversation.open_offers
    bundles = offers.bundles if offers else ()
    return Memory(
        user=conversation.user,
        model=conversation.model,
        questions=conversation.questions,
        last=conversation.last,
        timeout_seconds=model.conversation.timeout.total_seconds(),
        remembered=[
            RememberedItem(
                element=held.entity.element,
                value=held.entity.value_or_text,
                groups=tuple(sorted(held.entity.groups)),
                questions_ago=conversation.questions - held.question_number,
                used_at=held.used_at,
                by=held.by,
                **held.entity.modifiers,
            )
            for held in conversation.remembered
        ],
        flow=[step.intent for step in conversation.flow],
        pending=_to_pending(pending) if pending else None,
        suspended=_to_pending(pending.suspended) if pending and pending.suspended else None,
        offers=[list(map(str, bundle)) for bundle in bundles],
        offered_by=offers.intent if offers and bundles else "",
    )


def to_models(listed: tuple[Model, ...], *, active: str) -> Models:
    """Convert models to a list; ``active`` is the id of the default for questions that name
    none."""
    return Models(
        models=[
            ModelShape(
                id=model.id,
                name=model.name or model.id,
                description=model.description,
                languages=list(model.languages),
                active=model.id == active,
                examples=_examples(model),
            )
            for model in listed
        ]
    )


def _to_pending(pending: PendingQuestion) -> PendingShape:
    return PendingShape(
        intent=pending.intent,
        missing=list(pending.missing),
        understood=[str(entity) for entity in pending.entities],
        confirms=pending.confirms,
    )


def _examples(model: Model) -> list[str]:
    first = next(iter(model.samples), None)
    texts = [step.text for step in first.steps if isinstance(step, AskStep)] if first else []
    return texts[:_MAX_SAMPLES]


def _format_entity(held: RememberedItem) -> str:
    groups = "" if held.groups == (held.element,) else f" ({', '.join(held.groups)})"
    speaker = ", said by the bot" if held.by == "bot" else ""
    count = "" if held.quantity is None else f"{held.quantity} × "
    return f"{'not ' if held.negated else ''}{count}{held.element}={held.value}{groups}{speaker}"


def _format_age(questions: int) -> str:
    if not questions:
        return "from the last question"
    return f"{pluralize(questions, 'question')} ago"
