"""What a prompt is made of: as it is given, and as whoever renders it sees it."""

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
    """What a prompt can be made of: the ``instructions`` of whoever runs the bot, and the
    ``question`` that is to be answered; ``remembered`` entities, newest first; ``summary`` and
    ``recent`` exchanges as a history has them, oldest first; ``passages`` as a search found them,
    best first."""

    instructions: str = ""
    question: str = ""
    remembered: Sequence[Entity] = ()
    summary: Sequence[Summary] = ()
    passages: Sequence[Passage] = ()
    recent: Sequence[Exchange] = ()


@dataclass(frozen=True, slots=True)
class PromptLayout:
    """The order of the parts, and the share of each in the room that instructions and question
    leave. Only the proportions of the shares count; a part whose share is 0 is left out.

    Raises ValueError for an order that does not name every part once, a share below 0, and
    shares that are all 0.
    """

    order: tuple[Section, ...] = ("remembered", "summary", "passages", "recent")
    remembered: float = 0.1
    summary: float = 0.2
    passages: float = 0.3
    recent: float = 0.4

    def __post_init__(self) -> None:
        if sorted(self.order) != sorted(SECTIONS):
            raise ValueError(f"the order must name {', '.join(SECTIONS)}, each once")
        shares = [self.share(part) for part in SECTIONS]
        if not (all(0 <= share < inf for share in shares) and any(shares)):
            raise ValueError("shares must be numbers from 0, and one of them greater")

    def share(self, section: Section) -> float:
        """The share of a part."""
        share: float = getattr(self, section)
        return share


@dataclass(frozen=True, slots=True)
class QuotedExchange:
    """An exchange: what the ``user`` said and the ``bot`` answered ('' for nothing), and when."""

    user: str
    bot: str
    at: str


@dataclass(frozen=True, slots=True)
class QuotedSummary:
    """A summary of what was said ``since`` … ``until``, of that ``level``."""

    text: str
    since: str
    until: str
    level: int


@dataclass(frozen=True, slots=True)
class QuotedEntity:
    """An element that the conversation remembers, and its ``value``."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class PromptSections:
    """What goes into a prompt. Every text but the instructions is fenced
    (:func:`~anaphora.ltm.prompt.escaping.fence`): it can neither close a tag nor begin a line.

    ``summary`` and ``recent`` are oldest first, ``passages`` best first, each one or several
    exchanges in their order. ``order`` is that of the parts.
    """

    instructions: str
    question: str
    remembered: tuple[QuotedEntity, ...]
    summary: tuple[QuotedSummary, ...]
    passages: tuple[tuple[QuotedExchange, ...], ...]
    recent: tuple[QuotedExchange, ...]
    order: tuple[Section, ...]


QuotedItem: TypeAlias = QuotedEntity | QuotedSummary | QuotedExchange | tuple[QuotedExchange, ...]
