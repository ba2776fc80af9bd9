"""Facts, entities and mentions: the values of a knowledge graph."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

__all__ = ["USER", "EntityRecord", "Fact", "Mention", "NewFact"]

USER = "user"
"""The name of the entity that stands for the owner of a graph."""


@dataclass(frozen=True, slots=True)
class NewFact:
    """A fact to be added: "Ann", "lives in", "Kyoto".

    ``valid_at`` is when it began to hold; None if that is the time at which it was stated. The
    kinds of its entities are element ids or any other words ("place", "person"); "" if unknown.
    """

    subject: str
    relation: str
    object: str
    valid_at: datetime | None = None
    subject_kind: str = ""
    object_kind: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact of a graph. It holds from ``valid_at`` up to, but not including, ``invalid_at``; None
    if it still holds.

    ``source`` names the exchange that last stated it, ``last_stated`` is that exchange's time, and
    ``count`` says how often it was stated. ``created_at`` is when the graph learned it. ``id`` is
    unique among the facts of an owner.
    """

    id: int
    subject: str
    relation: str
    object: str
    valid_at: datetime
    invalid_at: datetime | None
    created_at: datetime
    last_stated: datetime
    count: int
    source: str

    def holds_at(self, time: datetime) -> bool:
        """Whether the fact holds at a time."""
        return self.valid_at <= time and (self.invalid_at is None or time < self.invalid_at)


@dataclass(frozen=True, slots=True)
class EntityRecord:
    """An entity with the number of its mentions and the times of the first and the last one.

    ``name`` is the spelling last used, ``kind`` an element id or another word. ``score`` ranks it
    by count and recency (see :mod:`anaphora.agents.graph.ranking`).
    """

    name: str
    kind: str
    count: int
    first_seen: datetime
    last_seen: datetime
    score: float


@dataclass(frozen=True, slots=True)
class Mention:
    """A mention of an entity at a time, in the exchange ``source``."""

    id: int
    entity: str
    kind: str
    at: datetime
    source: str
