"""The conversation as a value: what is remembered, the dialog flow, what is pending.

Nothing here knows a rule: :mod:`anaphora.stm.rules` makes a new conversation of an old one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from anaphora.errors import StoreError
from anaphora.models.utterance import Entity

__all__ = ["Conversation", "FlowStep", "Forgotten", "Pending", "Remembered", "Rule"]

FORMAT = 1


class Rule(StrEnum):
    """By which rule something left the memory."""

    TIMEOUT = "timeout"
    AGE = "age"
    DEPTH = "depth"
    REJECTIONS = "rejections"
    EVICTED = "evicted"
    TOPIC = "topic"
    RESET = "reset"


@dataclass(frozen=True, slots=True)
class Remembered:
    """An entity that the conversation remembers.

    ``question`` is the number of the question that stored it, ``used_match`` that of the
    matched question that last used it; both count from 1 in their conversation.
    """

    entity: Entity
    question: int
    stored_at: datetime
    used_at: datetime
    used_match: int


@dataclass(frozen=True, slots=True)
class Pending:
    """What an incomplete question understood, until it is completed or dropped."""

    intent: str
    entities: tuple[Entity, ...]
    missing: tuple[str, ...]
    at: datetime


@dataclass(frozen=True, slots=True)
class FlowStep:
    """An intent that answered, and when."""

    intent: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Forgotten:
    """An entity that left the memory, by which rule, and which new entity pushed it out."""

    remembered: Remembered
    rule: Rule
    by: Entity | None = None


@dataclass(frozen=True, slots=True)
class Conversation:
    """The conversation of one user with one model.

    ``remembered`` is newest first and, within one question, in the order of its terms;
    ``flow`` is oldest first. ``questions`` counts all questions, ``matches`` those that
    matched, ``rejections`` those rejected in a row. ``last`` is the time of the last question.
    """

    user: str
    model: str
    remembered: tuple[Remembered, ...] = ()
    flow: tuple[FlowStep, ...] = ()
    pending: Pending | None = None
    data: Mapping[str, Any] = field(default_factory=dict)
    last: datetime | None = None
    questions: int = 0
    matches: int = 0
    rejections: int = 0

    def to_plain(self) -> dict[str, Any]:
        """The conversation as JSON-able data; :meth:`from_plain` reads it back."""
        pending = self.pending
        return {
            "format": FORMAT,
            "user": self.user,
            "model": self.model,
            "remembered": [
                {
                    "entity": _entity_to_plain(held.entity),
                    "question": held.question,
                    "stored_at": held.stored_at.isoformat(),
                    "used_at": held.used_at.isoformat(),
                    "used_match": held.used_match,
                }
                for held in self.remembered
            ],
            "flow": [{"intent": step.intent, "at": step.at.isoformat()} for step in self.flow],
            "pending": {
                "intent": pending.intent,
                "entities": [_entity_to_plain(entity) for entity in pending.entities],
                "missing": list(pending.missing),
                "at": pending.at.isoformat(),
            }
            if pending
            else None,
            "data": dict(self.data),
            "last": self.last.isoformat() if self.last else None,
            "questions": self.questions,
            "matches": self.matches,
            "rejections": self.rejections,
        }

    @classmethod
    def from_plain(cls, plain: Any) -> Conversation:
        """The conversation that :meth:`to_plain` gave.

        Raises :class:`StoreError` for data of another format or shape.
        """
        if not isinstance(plain, Mapping) or plain.get("format") != FORMAT:
            raise StoreError(f"this is not a conversation in format {FORMAT}")
        try:
            pending = plain["pending"]
            return cls(
                user=plain["user"],
                model=plain["model"],
                remembered=tuple(
                    Remembered(
                        entity=_entity_from_plain(held["entity"]),
                        question=held["question"],
                        stored_at=datetime.fromisoformat(held["stored_at"]),
                        used_at=datetime.fromisoformat(held["used_at"]),
                        used_match=held["used_match"],
                    )
                    for held in plain["remembered"]
                ),
                flow=tuple(
                    FlowStep(step["intent"], datetime.fromisoformat(step["at"]))
                    for step in plain["flow"]
                ),
                pending=pending
                and Pending(
                    intent=pending["intent"],
                    entities=tuple(_entity_from_plain(one) for one in pending["entities"]),
                    missing=tuple(pending["missing"]),
                    at=datetime.fromisoformat(pending["at"]),
                ),
                data=plain["data"],
                last=plain["last"] and datetime.fromisoformat(plain["last"]),
                questions=plain["questions"],
                matches=plain["matches"],
                rejections=plain["rejections"],
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise StoreError(f"this conversation cannot be read: {error!r}") from error


def _entity_to_plain(entity: Entity) -> dict[str, Any]:
    return {
        "element": entity.element,
        "groups": sorted(entity.groups),
        "text": entity.text,
        "tokens": list(entity.tokens),
        "start": entity.start,
        "end": entity.end,
        "value": entity.value,
        "ancestors": list(entity.ancestors),
        "meta": dict(entity.meta),
        "topic": entity.topic,
        "exact": entity.exact,
        "own": entity.own,
    }


def _entity_from_plain(plain: Mapping[str, Any]) -> Entity:
    return Entity(
        **{
            **plain,
            "groups": frozenset(plain["groups"]),
            "tokens": tuple(plain["tokens"]),
            "ancestors": tuple(plain["ancestors"]),
        }
    )
