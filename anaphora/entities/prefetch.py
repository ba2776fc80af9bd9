"""Analyze texts in batches before they are assigned to conversations.

Components that work on batches (neural networks such as transformers) take far less time for a text
of many than for a single one.
"""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from anaphora.core.utterance import Utterance
from anaphora.entities.language_detection import select_likeliest

__all__ = ["PrefetchedUtterances", "UnreadText"]


class UnreadText(Struct, frozen=True):
    """A text to analyze, in its ``language`` (None: to be detected), at the local time ``at`` of
    the user (None: now)."""

    text: str
    language: str | None = None
    at: datetime | None = None


class PrefetchedUtterances(Struct, frozen=True):
    """The utterances of a text, one for each language that it may be in, by a ``pipeline``."""

    pipeline: object
    utterances: tuple[Utterance, ...]

    def select_likeliest(self, preferred: str = "") -> Utterance:
        """Select the utterance in the likeliest language; among equals the ``preferred`` one, else
        the first."""
        return select_likeliest(self.utterances, preferred)
