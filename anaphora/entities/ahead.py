"""Texts that are read many at once, before it is known in which conversations they stand.

Components that work on batches (a transformer, any other neural network) take far less time for
a text of many than for one alone.
"""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from anaphora.entities.detection import likeliest
from anaphora.models.utterance import Utterance

__all__ = ["Readings", "Unread"]


class Unread(Struct, frozen=True):
    """A text that is to be read in its ``language`` (None: to be found), at the local time
    ``at`` of the one who asks (None: now)."""

    text: str
    language: str | None = None
    at: datetime | None = None


class Readings(Struct, frozen=True):
    """What the pipeline ``by`` makes of a text in each language that it may be in."""

    by: object
    each: tuple[Utterance, ...]

    def settled(self, usual: str = "") -> Utterance:
        """That in the likeliest language; among equals the ``usual`` one, else the first."""
        return self.each[0] if len(self.each) == 1 else likeliest(self.each, usual)
