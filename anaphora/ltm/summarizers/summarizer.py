"""What a summarizer is: the one contract of all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from anaphora.ltm.history.working_history import HistoryPart

__all__ = ["Segment", "Summarizer"]


@dataclass(frozen=True, slots=True)
class Segment:
    """Successive parts of a history, oldest first, and how many words may stand for them."""

    parts: tuple[HistoryPart, ...]
    max_words: int


class Summarizer(Protocol):
    """Makes short texts of long ones. Only one thread calls it at a time.

    ``name`` says what made a summary ("extractive", "bart: facebook/bart-large-cnn").
    """

    @property
    def name(self) -> str: ...

    def summarize(self, segments: Sequence[Segment]) -> Sequence[str]:
        """A text for each segment, in their order: of at most about ``max_words`` words, in the
        language of the segment, the same whenever the segment is the same.

        Raises :class:`~anaphora.errors.SummaryError` if it cannot.
        """
        ...
