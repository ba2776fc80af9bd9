"""What questions are answered with. Whatever a newer server says beside it is in ``raw``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from anaphora.client.errors import ApiError, build_error
from anaphora.client.types.decoding import decode, raw_field
from anaphora.client.types.explanations import Explanation

__all__ = [
    "Dialog",
    "MemoryItem",
    "Reply",
    "Slot",
    "UnusedEntity",
    "UnusedPart",
    "decode_dialog",
]


@dataclass(frozen=True, slots=True)
class Slot:
    """What fills a named term: single texts or, if the term may take several, lists of them.
    ``source`` is ``sentence`` or ``memory``; ``meta`` what a recognizer knows of it."""

    value: str | list[str]
    text: str | list[str] = ""
    element: str | list[str] = ""
    source: str | list[str] = ""
    meta: Mapping[str, Any] | list[Mapping[str, Any]] | None = None


@dataclass(frozen=True, slots=True)
class MemoryItem:
    """An entity that is remembered after the question."""

    element: str
    value: str
    groups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UnusedEntity:
    """An entity that an answer did not use."""

    element: str
    value: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class UnusedPart:
    """A stretch of the sentence, from ``start`` to ``end``, that an answer did not use; ``words``
    are those that nothing in the model covers."""

    text: str
    start: int = 0
    end: int = 0
    entities: tuple[UnusedEntity, ...] = ()
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to one question.

    ``status`` is ``matched``, ``incomplete`` (``prompt`` asks for the first of the ``missing``
    terms), ``rejected`` (``reason`` says what was lacking) or ``reset``. ``text`` is what the bot
    says, ``memory`` what it remembers after the question, newest first; ``unused`` is what of the
    sentence was not used.
    """

    status: str
    intent: str | None = None
    slots: Mapping[str, Slot] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    prompt: str | None = None
    text: str = ""
    reason: str = ""
    result: Any = None
    memory: tuple[MemoryItem, ...] = ()
    unused: tuple[UnusedPart, ...] = ()
    model: str = ""
    user: str = ""
    explanation: Explanation | None = None
    raw: Mapping[str, Any] = raw_field()


@dataclass(frozen=True, slots=True)
class Dialog:
    """The answers to several questions, and the problem that ended them early (None: none did)."""

    replies: tuple[Reply, ...]
    problem: ApiError | None = None
    raw: Mapping[str, Any] = raw_field()


def decode_dialog(plain: object) -> Dialog:
    """The dialog that ``plain`` describes. Raises ``ValueError`` for data of another shape."""
    if not isinstance(plain, dict) or not isinstance(plain.get("replies"), list):
        raise ValueError("a list of replies should have come")
    problem = plain.get("problem")
    error = None
    if isinstance(problem, dict):
        status = problem.get("status")
        error = build_error(status if isinstance(status, int) else 0, problem)
    return Dialog(tuple(decode(Reply, one) for one in plain["replies"]), error, plain)
