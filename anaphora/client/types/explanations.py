"""Why a question was answered as it was, as the service tells it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from anaphora.client.types.decoding import raw_field

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


@dataclass(frozen=True, slots=True)
class Entity:
    """Something that was understood, and where in the sentence it stood."""

    element: str
    value: str | None = None
    text: str = ""
    groups: tuple[str, ...] = ()
    start: int = 0
    end: int = 0
    misspelt: bool = False

    @property
    def said(self) -> str:
        """The value, else the text."""
        return self.text if self.value is None else self.value


@dataclass(frozen=True, slots=True)
class OfferedEntity(Entity):
    """An entity that the memory held ready, and how many questions ago it was stored."""

    ago: int = 0


@dataclass(frozen=True, slots=True)
class HiddenEntity(Entity):
    """An entity that the memory held back, and the groups of the one that stood in for it."""

    by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TakenEntity(Entity):
    """An entity that an intent took, for which term, and where it came from."""

    term: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class ForgottenEntity(Entity):
    """An entity that left the memory, by which rule, and which one pushed it out."""

    rule: str = ""
    by: str | None = None


@dataclass(frozen=True, slots=True)
class RankedMatch:
    """An intent that matched, and what puts it before the next one ('' for the last)."""

    intent: str
    taken: tuple[TakenEntity, ...] = ()
    why: str = ""
    skipped: bool = False


@dataclass(frozen=True, slots=True)
class Miss:
    """An intent that did not match, and why."""

    intent: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a question is answered as it is; see :class:`anaphora.Explanation` for the fields."""

    text: str
    status: str
    language: str = ""
    reason: str = ""
    entities: tuple[Entity, ...] = ()
    reading: tuple[Entity, ...] = ()
    unused: tuple[Entity, ...] = ()
    unknown: tuple[str, ...] = ()
    offered: tuple[OfferedEntity, ...] = ()
    hidden: tuple[HiddenEntity, ...] = ()
    matches: tuple[RankedMatch, ...] = ()
    misses: tuple[Miss, ...] = ()
    untouched: int = 0
    forgotten: tuple[ForgottenEntity, ...] = ()
    notes: tuple[str, ...] = ()
    raw: Mapping[str, Any] = raw_field()
