"""Decode the event stream of several questions into typed values."""

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
    """The start of a question: its index, from 0."""

    index: int
    text: str


@dataclass(frozen=True, slots=True)
class EndEvent:
    """The end of the stream: all questions have been answered."""

    answered: int


Event: TypeAlias = QuestionEvent | Explanation | Reply | EndEvent
"""For each question ``QuestionEvent``, its ``Explanation`` if requested, and the ``Reply``;
``EndEvent`` is the last."""


def decode_event(name: str, data: str) -> Event | None:
    """Decode the event ``name``; None for an event of a newer server.

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
        detail = f"the event {name!r} of the stream cannot be read: {error}"
        raise InvalidResponse(ProblemDetails(200, detail=detail)) from error
    if name == "problem":
        status = plain.get("status") if isinstance(plain, dict) else None
        raise build_error(status if isinstance(status, int) else 500, plain)
    return None


def truncated_stream_error() -> Unreachable:
    """Create the error for a stream that ends before its last event."""
    return Unreachable(
        "the stream of events ended early\n"
        "  hint: questions without a reply may have been answered; "
        "conversation() shows what is remembered",
        maybe_done=True,
    )
