"""The stream of events of several questions: from what is sent to typed values."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TypeAlias

from anaphora.client.explanations import Explanation
from anaphora.client.problems import BadAnswer, Details, Unreachable, error_of
from anaphora.client.reading import read
from anaphora.client.replies import Reply

__all__ = ["Asked", "Ended", "Event", "cut_off", "read_event"]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question is being answered: which of them, from 0."""

    index: int
    text: str


@dataclass(frozen=True, slots=True)
class Ended:
    """All questions have been answered."""

    answered: int


Event: TypeAlias = Asked | Explanation | Reply | Ended
"""For each question ``Asked``, its ``Explanation`` if that is wanted, and the ``Reply``; ``Ended``
is the last."""


def read_event(name: str, data: str) -> Event | None:
    """The event of that name, None for one of a newer server.

    Raises :class:`ApiError` for the problem that ends the stream early.
    """
    try:
        plain = json.loads(data)
        match name:
            case "question":
                return read(Asked, plain)
            case "explanation":
                return read(Explanation, plain)
            case "reply":
                return read(Reply, plain)
            case "end":
                return read(Ended, plain)
    except (ValueError, RecursionError) as error:
        said = f"the event {name!r} of the stream cannot be read: {error}"
        raise BadAnswer(Details(200, detail=said)) from error
    if name == "problem":
        status = plain.get("status") if isinstance(plain, dict) else None
        raise error_of(status if isinstance(status, int) else 500, plain)
    return None


def cut_off() -> Unreachable:
    """The error of a stream that ends before its last event."""
    return Unreachable(
        "the stream of events ended early\n"
        "  hint: the questions without a reply may have been answered all the same; "
        "conversation() shows what is remembered",
        maybe_done=True,
    )
