"""What a study of questions finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Findings", "Suggestion"]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A phrase that may be a synonym which an element lacks.

    ``value`` is the value of the element that it is like; None where the element itself is
    meant or, if the element has values, perhaps a new one. ``score`` lies between 0 and 1;
    ``evidence`` says in words where it comes from. ``seen`` counts the questions with the
    phrase; ``example`` is the first of them.
    """

    element: str
    value: str | None
    phrase: str
    score: float
    seen: int
    evidence: tuple[str, ...]
    example: str

    @property
    def target(self) -> str:
        """``element``, or ``element=value``."""
        return self.element if self.value is None else f"{self.element}={self.value}"

    def to_dict(self) -> dict[str, Any]:
        return {
            "element": self.element,
            "value": self.value,
            "phrase": self.phrase,
            "score": self.score,
            "seen": self.seen,
            "evidence": list(self.evidence),
            "example": self.example,
        }


@dataclass(frozen=True, slots=True)
class Findings:
    """The suggestions, by element in the order of the model and then best first; how many
    questions were read, how many of them the model understands as it is, and how many further
    ones, those that were asked least, were left out of a very long log."""

    suggestions: tuple[Suggestion, ...]
    questions: int = 0
    understood: int = 0
    left_out: int = 0
