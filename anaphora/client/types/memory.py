"""What the service tells of its long-term memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from anaphora.client.types.decoding import raw_field

__all__ = ["Erasure", "Exchange", "History", "Passage", "RecallPage", "Summary"]


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question and its answer; ``number`` counts those of a conversation from 1, ``slots`` are
    the values by name. ``truncated`` says what was too long to be kept in full, and how long it
    was."""

    question: str
    answer: str = ""
    at: datetime | None = None
    number: int = 0
    status: str = ""
    intent: str | None = None
    slots: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    language: str = ""
    truncated: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Summary:
    """What stands for the exchanges numbered ``first`` to ``last``. One of ``level`` 1 was made of
    exchanges, others of the summaries whose ids are ``of``; ``by`` is what made it."""

    text: str
    first: int = 0
    last: int = 0
    since: datetime | None = None
    until: datetime | None = None
    level: int = 1
    id: int = 0
    of: tuple[int, ...] = ()
    by: str = ""


@dataclass(frozen=True, slots=True)
class History:
    """The working history of a conversation, oldest first; its ``size`` is in the ``unit``."""

    user: str
    model: str
    size: int = 0
    unit: str = ""
    summaries: tuple[Summary, ...] = ()
    exchanges: tuple[Exchange, ...] = ()
    raw: Mapping[str, Any] = raw_field()


@dataclass(frozen=True, slots=True)
class Passage:
    """An exchange that was found (with which ``model``; the greater its ``score`` the better), and
    its neighbours."""

    exchange: Exchange
    model: str = ""
    score: float = 0.0
    before: tuple[Exchange, ...] = ()
    after: tuple[Exchange, ...] = ()


@dataclass(frozen=True, slots=True)
class RecallPage:
    """A page of what was found, best first; ``more`` says whether another one follows."""

    user: str
    passages: tuple[Passage, ...] = ()
    page: int = 1
    more: bool = False
    raw: Mapping[str, Any] = raw_field()


@dataclass(frozen=True, slots=True)
class Erasure:
    """A user who was erased, and how many exchanges the long-term memory had."""

    user: str
    exchanges: int = 0
    raw: Mapping[str, Any] = raw_field()
