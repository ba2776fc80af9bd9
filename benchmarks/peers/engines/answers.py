"""Answers of engines in a common format."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

__all__ = ["NO_ANSWER", "Answer", "Home"]


@dataclass(frozen=True, slots=True)
class Answer:
    """An intent, or None, and the canonical value of each slot."""

    intent: str | None
    slots: dict[str, str] = field(default_factory=dict)


NO_ANSWER = Answer(None)


class Home(Protocol):
    """An engine that is built for the work once and then asked repeatedly."""

    name: str

    def __call__(self, text: str) -> Answer: ...
