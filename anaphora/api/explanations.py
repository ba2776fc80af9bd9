"""Explanations: how a reply came about."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from anaphora.api.values import NEGATED, QUANTITY, OneOf, Resource, Source, Status, Value, doc

__all__ = [
    "Entity",
    "Explanation",
    "ForgottenEntity",
    "HiddenEntity",
    "Miss",
    "OfferedEntity",
    "RankedMatch",
    "TakenEntity",
]

_Rule = Annotated[
    str,
    OneOf("timeout", "age", "depth", "rejections", "evicted", "topic", "reset", "afresh"),
]


@dataclass(frozen=True, slots=True)
class Entity(Value):
    """An entity, and its position in the text."""

    element: str
    value: str | None = None
    text: str = ""
    groups: tuple[str, ...] = ()
    start: int = 0
    end: int = 0
    misspelt: bool = False
    quantity: int | float | None = field(default=None, metadata=QUANTITY)
    negated: bool = field(default=False, metadata=NEGATED)

    @property
    def value_or_text(self) -> str:
        """The value, or the text if the entity has no value."""
        return self.text if self.value is None else self.value


@dataclass(frozen=True, slots=True)
class OfferedEntity(Entity):
    """A remembered entity that intents could take."""

    ago: int = field(
        default=0,
        metadata=doc("Questions since it was stored, from the present one: 1 for the last one."),
    )


@dataclass(frozen=True, slots=True)
class HiddenEntity(Entity):
    """A remembered entity that an entity of the sentence replaces."""

    by: tuple[str, ...] = field(
        default=(), metadata=doc("The groups of the entity of the sentence that replaces it.")
    )


@dataclass(frozen=True, slots=True)
class TakenEntity(Entity):
    """An entity that a term took."""

    term: str = ""
    source: Source = ""


@dataclass(frozen=True, slots=True)
class ForgottenEntity(Entity):
    """An entity that left the memory."""

    rule: _Rule = ""
    by: str | None = field(default=None, metadata=doc("The entity that replaced it."))


@dataclass(frozen=True, slots=True)
class RankedMatch(Value):
    """An intent that matched."""

    intent: str
    taken: tuple[TakenEntity, ...] = ()
    why: str = field(
        default="", metadata=doc("Why it ranks before the next match; empty for the last.")
    )
    skipped: bool = field(
        default=False, metadata=doc("Whether its handler left the question to the next match.")
    )


@dataclass(frozen=True, slots=True)
class Miss(Value):
    """An intent that did not match."""

    intent: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Explanation(Resource):
    """How a reply came about."""

    text: str
    language: str = ""
    status: Status = ""
    reason: str = ""
    entities: tuple[Entity, ...] = field(
        default=(), metadata=doc("All candidate entities of the sentence.")
    )
    reading: tuple[Entity, ...] = field(
        default=(), metadata=doc("The entities of the variant that was answered.")
    )
    unused: tuple[Entity, ...] = field(
        default=(), metadata=doc("The entities of that variant that the answer did not use.")
    )
    unknown: tuple[str, ...] = field(
        default=(), metadata=doc("The words that nothing in the model covers.")
    )
    offered: tuple[OfferedEntity, ...] = field(
        default=(), metadata=doc("The remembered entities that intents could take.")
    )
    hidden: tuple[HiddenEntity, ...] = field(
        default=(), metadata=doc("The remembered entities that the sentence replaced.")
    )
    matches: tuple[RankedMatch, ...] = field(
        default=(), metadata=doc("The intents that matched, best first.")
    )
    misses: tuple[Miss, ...] = field(
        default=(), metadata=doc("The intents that did not match, nearest first.")
    )
    untouched: int = field(
        default=0, metadata=doc("The number of further intents that did not match.")
    )
    forgotten: tuple[ForgottenEntity, ...] = field(
        default=(), metadata=doc("The entities that left the memory.")
    )
    notes: tuple[str, ...] = field(default=(), metadata=doc("What else happened."))
