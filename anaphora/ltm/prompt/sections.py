"""The sections of a prompt: as given, and as a renderer sees them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Literal, TypeAlias, get_args

from anaphora.core.utterance import Entity
from anaphora.ltm.exchange import Exchange, Summary
from anaphora.ltm.retrieval.search import Passage

__all__ = [
    "SECTIONS",
    "PromptContext",
    "PromptItem",
    "PromptLayout",
    "PromptSections",
    "QuotedEntity",
    "QuotedExchange",
    "QuotedItem",
    "QuotedSummary",
    "Section",
]

Section: TypeAlias = Literal["remembered", "summary", "passages", "recent"]
SECTIONS: tuple[Section, ...] = get_args(Section)
PromptItem: TypeAlias = Entity | Summary | Passage | Exchange


@dataclass(frozen=True, slots=True)
class PromptContext:
    """The contents for a prompt: the operator's ``instructions`` and the ``question`` to answer;
    ``remembered`` entities, newest first; ``summary`` and ``recent`` exchanges of a history, oldest
    first; ``passages`` of a search, best first."""

    instructions: str = ""
    question: str = ""
    remembered: Sequence[Entity] = ()
    summary: Sequence[Summary] = ()
    passages: Sequence[Passage] = ()
    recent: Sequence[Exchange] = ()


@dataclass(frozen=True, slots=True)
class PromptLayout:
    """The order of the sections, and their shares of the room that instructions and question
    leave. Only the proportions of the shares count; a section with share 0 is left out.

    Raises ValueError if the order does not name every section once, or if a share is negative or
    all shares are 0.
    """

    order: tuple[Section, ...] = ("remembered", "summary", "passages", "recent")
    remembered: float = 0.1
    summary: float = 0.2
    passages: float = 0.3
    recent: float = 0.4

    def __post_init__(self) -> None:
        if sorted(self.order) != sorted(SECTIONS):
            raise ValueError(f"the order must name each of {', '.join(SECTIONS)} once")
        shares = [self.share(part) for part in SECTIONS]
        if not (all(0 <= share < inf for share in shares) and any(shares)):
            raise ValueError("shares must be finite numbers of at least 0, one of them greater")

    def share(self, section: Section) -> float:
        """Return the share of a section."""
        share: float = getattr(self, section)
        return share


@dataclass(frozen=True, slots=True)
class QuotedExchange:
    """An exchange: the ``user``'s text, the ``bot``'s answer ('' if none), and its time."""

    user: str
    bot: str
    at: str


@dataclass(frozen=True, slots=True)
class QuotedSummary:
    """A summary of the time ``since`` … ``until``, with its ``level``."""

    text: str
    since: str
    until: str
    level: int


@dataclass(frozen=True, slots=True)
class QuotedEntity:
    """An entity that the conversation remembers: the ``name`` of its element, and its ``value``."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class PromptSections:
    """The contents of a prompt. Every text but the instructions is fenced
    (:func:`~anaphora.ltm.prompt.escaping.fence`): it can neither close a tag nor start a line.

    ``summary`` and ``recent`` are oldest first; ``passages`` best first, each with its exchanges in
    order. ``order`` is the order of the sections.
    """

    instructions: str
    question: str
    remembered: tuple[QuotedEntity, ...]
    summary: tuple[QuotedSummary, ...]
    passages: tuple[tuple[QuotedExchange, ...], ...]
    recent: tuple[QuotedExchange, ...]
    order: tuple[Section, ...]


QuotedItem: TypeAlias = QuotedEntity | QuotedSummary | QuotedExchange | tuple[QuotedExchange, ...]
