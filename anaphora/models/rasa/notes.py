"""Notes about the translation of a Rasa project, with the places that they are about."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from anaphora.models.nlpcraft.notes import NoteKind
from anaphora.models.reading.source import SourceText

__all__ = ["AddNote", "Place", "RasaNote"]


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file."""

    source: SourceText
    line: int

    def __str__(self) -> str:
        return f"{self.source.name}:{self.line}"


@dataclass(frozen=True, slots=True)
class RasaNote:
    """What became of a part of a project: ``mapped``, ``changed`` or ``ignored``."""

    kind: NoteKind
    place: Place
    text: str

    def __str__(self) -> str:
        return f"{self.place}  {self.text}"


AddNote: TypeAlias = Callable[[NoteKind, Place, str], None]
"""Adds a note of a kind about a place."""
