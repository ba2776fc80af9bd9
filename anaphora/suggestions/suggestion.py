"""The results of a study of questions."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["Findings", "Suggestion"]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A phrase that may be a missing synonym of an element.

    ``value`` is the most similar value of the element; None means the element itself or, if it has
    values, perhaps a new one. ``score`` is between 0 and 1, and ``evidence`` explains it. ``seen``
    counts the questions with the phrase; ``example`` is the first of them.
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
        return asdict(self) | {"evidence": list(self.evidence)}


@dataclass(frozen=True, slots=True)
class Findings:
    """The suggestions, by element in the order of the model and then best first.

    ``questions`` is the number of questions read, ``understood`` of those that the model
    understands already, ``left_out`` of the least frequent ones in a very long log, which were not
    read.
    """

    suggestions: tuple[Suggestion, ...]
    questions: int = 0
    understood: int = 0
    left_out: int = 0
