"""What an engine makes of an utterance, in terms that all engines share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

__all__ = ["NO_ANSWER", "Answer", "Home"]


@dataclass(frozen=True, slots=True)
class Answer:
    """The intent, None if there is none, and the canonical value of each slot."""

    intent: str | None
    slots: dict[str, str] = field(default_factory=dict)


NO_ANSWER = Answer(None)


class Home(Protocol):
    """An engine that has been given the work; built once, asked again and again."""

    name: str

    def __call__(self, text: str) -> Answer: ...
