"""The operations of the clients of a run, with their results, and the stored data at the end."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

__all__ = ["SERIAL", "Exchange", "Kind", "Operation", "Outcome", "Reply", "serials_in"]

SERIAL = re.compile(r"u\d{3}n\d{5}")
"""The unique serial of a question: its user and its number."""

Kind = Literal["ask", "forget", "erase", "pause", "read"]
Outcome = Literal["answered", "refused", "unknown"]
"""``refused``: the answer was an error, so nothing may have changed. ``unknown``: the connection
broke before the answer, so the operation may have happened or not."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The part of a reply that the checker compares.

    ``said`` are the entries in the data of the conversation, to which the handler adds one per
    answered question, and ``count`` is its count of them. ``offer`` has the values that the bot
    offers to restore.
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

    ``serial`` is part of the ``text`` of a question. ``entry`` is the serial that the handler adds
    to the conversation if the question matches: the question's own or, for the "yes" to an offer,
    that of the question before the offer. ``item`` and ``color`` are those in the question, or
    restored by a "yes". ``needs_item`` marks a question that needs an item from the conversation.
    ``seen`` are the texts that a read returned. ``problem`` is why it was refused. A ``pause`` is
    longer than the timeout of the model: the conversation is forgotten.
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
    problem: str = ""

    @property
    def is_matched(self) -> bool:
        """Whether the handler is known to have answered."""
        return self.reply is not None and self.reply.status == "matched"

    def precedes(self, other: Operation) -> bool:
        """Whether this operation ended before the other began."""
        return self.end < other.begin


@dataclass(frozen=True, slots=True)
class Exchange:
    """An exchange in the long-term memory at the end, with its number in the conversation."""

    number: int
    question: str


def serials_in(text: str) -> list[str]:
    """The serials in a text, in order."""
    return SERIAL.findall(text)
