"""What is kept of a conversation for good: its exchanges, and the summaries of those."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from anaphora.core.utterance import Entity
from anaphora.models.domain import Status

__all__ = ["DateMention", "Exchange", "Summary"]


@dataclass(frozen=True, slots=True)
class DateMention:
    """A date mentioned in a text, from ``start`` to ``end`` (half open), and its ``value`` as the
    built-in entity ``date`` writes it: "2026-11-27" for "next Friday"."""

    start: int
    end: int
    value: str


@dataclass(frozen=True, slots=True)
class Exchange:
    """One question and its answer, at a time with a zone.

    ``slots`` are the values by name (one or several); ``memory`` is what the conversation
    remembered after it, newest first. ``number`` counts the exchanges of a conversation from 1;
    it is 0 until the exchange is kept. ``clock`` is the logical time of the conversation at which
    it was asked: exchanges are in its order, in whatever order they are kept. It is 0 for one that
    is of no conversation of an engine, until the long-term memory takes it.
    ``truncated`` says what of it was too long to be kept in full (``question``, ``answer``,
    ``slots``, ``memory``), and how long it was: in characters, in values, in entities.
    ``question_dates`` and ``answer_dates`` are the dates that the two texts mention, resolved when
    they were said; None if nobody has looked for them yet.
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

    @property
    def is_silent(self) -> bool:
        """Whether nothing was said: it only marks that something was forgotten on purpose."""
        return not self.question and not self.answer


@dataclass(frozen=True, slots=True)
class Summary:
    """What stands for the exchanges numbered ``first`` to ``last`` of a conversation, which were
    said from ``since`` to ``until``.

    One of level 1 was made of exchanges, one of level n of the summaries ``of`` (their ids),
    the highest of which is of level n - 1. ``by`` names the summarizer; ``id`` is 0 until it is
    kept.
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
