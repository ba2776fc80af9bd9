"""The protocol of summarizers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from anaphora.ltm.history.working_history import HistoryPart

__all__ = ["Segment", "Summarizer"]


@dataclass(frozen=True, slots=True)
class Segment:
    """Consecutive parts of a history, oldest first, and the maximum words of their summary."""

    parts: tuple[HistoryPart, ...]
    max_words: int


class Summarizer(Protocol):
    """Summarizes segments of histories. Only one thread calls it at a time.

    ``name`` identifies it in summaries ("extractive", "bart: facebook/bart-large-cnn").
    """

    @property
    def name(self) -> str: ...

    def summarize(self, segments: Sequence[Segment]) -> Sequence[str]:
        """Return a summary of each segment, in order: of at most about ``max_words`` words, in the
        language of the segment, and deterministic.

        Raises :class:`~anaphora.errors.SummaryError` on failure.
        """
