"""Exchanges of a conversation, and summaries of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from anaphora.core.utterance import Entity
from anaphora.models.domain import Status

__all__ = ["DateMention", "Exchange", "Summary"]


@dataclass(frozen=True, slots=True)
class DateMention:
    """A date mentioned at ``start:end`` of a text. ``value`` has the form of the built-in entity
    ``date``: "2026-11-27" for "next Friday"."""

    start: int
    end: int
    value: str


@dataclass(frozen=True, slots=True)
class Exchange:
    """One question and its answer, at a time with a zone.

    ``slots`` maps slot names to their values; ``memory`` holds the entities that the conversation
    remembered afterwards, newest first, and ``by_bot`` those of them that the bot said. ``number``
    counts the exchanges of a conversation from 1; it is 0 until the exchange is stored. ``clock``
    is the logical time of the question and determines the order of the exchanges. An exchange that
    belongs to no conversation of an engine has clock 0 until it is added to the long-term memory.
    ``truncated`` names the fields that were too long to be stored in full (``question``,
    ``answer``, ``slots``, ``memory``) with their original length in characters, values or entities.
    ``question_dates`` and ``answer_dates`` are the dates mentioned in the two texts, resolved at
    the time of the exchange; None if they have not been determined yet.
    """

    question: str
    answer: str
    at: datetime
    status: Status = "matched"
    intent: str | None = None
    slots: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    language: str = ""
    memory: tuple[Entity, ...] = ()
    number: int = 0
    clock: int = 0
    truncated: Mapping[str, int] = field(default_factory=dict)
    question_dates: tuple[DateMention, ...] | None = None
    answer_dates: tuple[DateMention, ...] | None = None
    by_bot: tuple[Entity, ...] = ()

    @property
    def is_silent(self) -> bool:
        """Whether both texts are empty: such an exchange only records a deliberate reset."""
        return not self.question and not self.answer


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary of the exchanges ``first`` to ``last`` of a conversation, which took place from
    ``since`` to ``until``.

    A summary of level 1 covers exchanges; one of level n replaces the summaries ``of`` (their
    ids), the highest of which has level n - 1. ``by`` names the summarizer. ``id`` is 0 until the
    summary is stored.
    """

    text: str
    first: int
    last: int
    since: datetime
    until: datetime
    by: str
    level: int = 1
    of: tuple[int, ...] = ()
    id: int = 0
