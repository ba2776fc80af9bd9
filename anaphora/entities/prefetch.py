"""Texts that are read many at once, before it is known in which conversations they stand.

Components that work on batches (a transformer, any other neural network) take far less time for
a text of many than for one alone.
"""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from anaphora.core.utterance import Utterance
from anaphora.entities.language_detection import select_likeliest

__all__ = ["PrefetchedReadings", "UnreadText"]


class UnreadText(Struct, frozen=True):
    """A text that is to be read in its ``language`` (None: to be found), at the local time
    ``at`` of the one who asks (None: now)."""

    text: str
    language: str | None = None
    at: datetime | None = None


class PrefetchedReadings(Struct, frozen=True):
    """What the pipeline ``by`` makes of a text in each language that it may be in."""

    pipeline: object
    utterances: tuple[Utterance, ...]

    def select_likeliest(self, preferred: str = "") -> Utterance:
        """That in the likeliest language; among equals the ``usual`` one, else the first."""
        return (
            self.utterances[0]
            if len(self.utterances) == 1
            else select_likeliest(self.utterances, preferred)
        )
