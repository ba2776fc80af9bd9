"""The stream of events of several questions: from what is sent to typed values."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TypeAlias

from anaphora.api.explanations import Explanation
from anaphora.api.replies import Reply
from anaphora.api.values import decode
from anaphora.client.errors import InvalidResponse, ProblemDetails, Unreachable, build_error

__all__ = ["EndEvent", "Event", "QuestionEvent", "decode_event", "truncated_stream_error"]


@dataclass(frozen=True, slots=True)
class QuestionEvent:
    """A question is being answered: which of them, from 0."""

    index: int
    text: str


@dataclass(frozen=True, slots=True)
class EndEvent:
    """All questions have been answered."""

    answered: int


Event: TypeAlias = QuestionEvent | Explanation | Reply | EndEvent
"""For each question ``QuestionEvent``, its ``Explanation`` if that is wanted, and the ``Reply``;
``EndEvent`` is the last."""


def decode_event(name: str, data: str) -> Event | None:
    """The event of that name, None for one of a newer server.

    Raises :class:`ApiError` for the problem that ends the stream early.
    """
    try:
        plain = json.loads(data)
        match name:
            case "question":
                return decode(QuestionEvent, plain)
            case "explanation":
                return decode(Explanation, plain)
            case "reply":
                return decode(Reply, plain)
            case "end":
                return decode(EndEvent, plain)
    except (ValueError, RecursionError) as error:
        said = f"the event {name!r} of the stream cannot be read: {error}"
        raise InvalidResponse(ProblemDetails(200, detail=said)) from error
    if name == "problem":
        status = plain.get("status") if isinstance(plain, dict) else None
        raise build_error(status if isinstance(status, int) else 500, plain)
    return None


def truncated_stream_error() -> Unreachable:
    """The error of a stream that ends before its last event."""
    return Unreachable(
        "the stream of events ended early\n"
        "  hint: the questions without a reply may have been answered all the same; "
        "conversation() shows what is remembered",
        maybe_done=True,
    )
