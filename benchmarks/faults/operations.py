"""What the clients of a run did and saw, and what the stores held at the end."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

__all__ = ["SERIAL", "Exchange", "Kind", "Operation", "Outcome", "Reply", "serials_in"]

SERIAL = re.compile(r"u\d{3}n\d{5}")
"""What makes each question unique: its user and its number."""

Kind = Literal["ask", "forget", "erase", "pause", "read"]
Outcome = Literal["answered", "refused", "unknown"]
"""``refused``: an error was the answer, so nothing may have changed. ``unknown``: the connection
broke before there was an answer, so the operation may have happened or not."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The part of a reply that the checker compares.

    ``said`` are the entries of the conversation's own data, which the handler extends by one
    with each question that it answers, ``count`` is how many it counted. ``offer`` are the values
    that the bot offers to continue with.
    """

    status: str
    item: str | None = None
    color: str | None = None
    said: tuple[str, ...] = ()
    count: int = 0
    offer: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Operation:
    """One attempt of a client: from ``begin`` to ``end`` in seconds of a monotonic clock.

    ``serial`` stands in the ``text`` of a question. ``entry`` is the serial that the handler adds
    to the conversation if the question matches: the question's own one or, for the "yes" to an
    offer, that of the question to which the offer was made. ``item`` and ``color`` are what the
    question says itself, or brings back with a "yes". ``needs_item`` marks a question that is
    complete only with an item from the conversation. ``seen`` are the texts that a read returned.
    A ``pause`` is longer than the timeout of the model: the conversation is forgotten.
    """

    user: str
    kind: Kind
    begin: float
    end: float
    outcome: Outcome = "answered"
    serial: str = ""
    entry: str = ""
    text: str = ""
    item: str | None = None
    color: str | None = None
    needs_item: bool = False
    reply: Reply | None = None
    seen: tuple[str, ...] = ()

    @property
    def is_matched(self) -> bool:
        """Whether the handler is known to have answered."""
        return self.reply is not None and self.reply.status == "matched"

    def precedes(self, other: Operation) -> bool:
        """Whether it ended before the other began."""
        return self.end < other.begin


@dataclass(frozen=True, slots=True)
class Exchange:
    """An exchange that the long-term memory holds at the end, with its number in the
    conversation."""

    number: int
    question: str


def serials_in(text: str) -> list[str]:
    """The serials in a text, in their order."""
    return SERIAL.findall(text)
