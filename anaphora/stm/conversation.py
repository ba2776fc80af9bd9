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
    matched, ``rejections`` those rejected in a row. ``last`` is the time of the last question,
    ``language`` what it was asked in ('' before the first).
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
    language: str = ""

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
            "language": self.language,
        }

    @classmethod
    def from_plain(cls, plain: Any) -> Conversation:
        """The conversation that :meth:`to_plain` gave.

        Raises :class:`StoreError` for data of another format or shape.
        """
        if not isinstance(plain, Mapping) or plain.get("format") != FORMAT:
            raise StoreError(f"this is not a conversation in format {FORMAT}")
        try:
            return _conversation_from_plain(plain)
        except (KeyError, TypeError, ValueError) as error:
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
        "stem": entity.stem,
        "lemma": entity.lemma,
        "pos": entity.pos,
        "aliases": list(entity.aliases),
        "parts": [_entity_to_plain(part) for part in entity.parts],
        "gaps": entity.gaps,
        "marks": sorted(entity.marks),
    }


def _conversation_from_plain(plain: Mapping[str, Any]) -> Conversation:
    pending = _field(plain, "pending", dict, type(None))
    return Conversation(
        user=_field(plain, "user", str),
        model=_field(plain, "model", str),
        remembered=tuple(map(_remembered_from_plain, _field(plain, "remembered", list))),
        flow=tuple(
            FlowStep(_field(step, "intent", str), _time(step["at"]))
            for step in _field(plain, "flow", list)
        ),
        pending=None if pending is None else _pending_from_plain(pending),
        data=_field(plain, "data", dict),
        last=None if plain["last"] is None else _time(plain["last"]),
        questions=_field(plain, "questions", int),
        matches=_field(plain, "matches", int),
        rejections=_field(plain, "rejections", int),
        language=_field(plain, "language", str),
    )


def _remembered_from_plain(plain: Mapping[str, Any]) -> Remembered:
    return Remembered(
        entity=_entity_from_plain(plain["entity"]),
        question=_field(plain, "question", int),
        stored_at=_time(plain["stored_at"]),
        used_at=_time(plain["used_at"]),
        used_match=_field(plain, "used_match", int),
    )


def _pending_from_plain(plain: Mapping[str, Any]) -> Pending:
    return Pending(
        intent=_field(plain, "intent", str),
        entities=tuple(map(_entity_from_plain, _field(plain, "entities", list))),
        missing=_items(plain, "missing", str),
        at=_time(plain["at"]),
    )


def _entity_from_plain(plain: Mapping[str, Any]) -> Entity:
    return Entity(
        element=_field(plain, "element", str),
        groups=frozenset(_items(plain, "groups", str)),
        text=_field(plain, "text", str),
        tokens=_items(plain, "tokens", int),
        start=_field(plain, "start", int),
        end=_field(plain, "end", int),
        value=_field(plain, "value", str, type(None)),
        ancestors=_items(plain, "ancestors", str),
        meta=_field(plain, "meta", dict),
        topic=_field(plain, "topic", bool),
        exact=_field(plain, "exact", bool),
        own=_field(plain, "own", bool),
        stem=_field(plain, "stem", str),
        lemma=_field(plain, "lemma", str),
        pos=_field(plain, "pos", str),
        aliases=_items(plain, "aliases", str),
        parts=tuple(map(_entity_from_plain, _field(plain, "parts", list))),
        gaps=_field(plain, "gaps", int),
        marks=frozenset(_items(plain, "marks", str)),
    )


def _field(plain: Mapping[str, Any], name: str, *kinds: type) -> Any:
    """What stands under ``name``; only of these very types (True is no number)."""
    value = plain[name]
    if type(value) not in kinds:
        raise TypeError(f"'{name}' is of type {type(value).__name__}")
    return value


def _items(plain: Mapping[str, Any], name: str, kind: type) -> tuple[Any, ...]:
    items = _field(plain, name, list)
    if any(type(item) is not kind for item in items):
        raise TypeError(f"'{name}' holds something else than {kind.__name__}")
    return tuple(items)


def _time(text: str) -> datetime:
    time = datetime.fromisoformat(text)
    if time.tzinfo is None:
        raise ValueError(f"the time {text} has no time zone")
    return time
