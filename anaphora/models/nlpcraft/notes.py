"""What a translation tells of its work: what was mapped, what is changed or ignored, and why."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

__all__ = ["NoteCollector", "NoteKind", "TranslationNote"]

NoteKind: TypeAlias = Literal["mapped", "changed", "ignored"]

_INDEX = re.compile(r"\[\d+\]")


@dataclass(frozen=True, slots=True)
class TranslationNote:
    """What became of a key of the original file, or of one that it leaves out.

    ``mapped`` means the same as before under another name; ``changed`` means that something is
    added, taken as a default of theirs, or not quite the same; ``ignored`` has no effect.
    ``key`` is the path of the key as the file writes it, ``offset`` its place in the file.
    """

    kind: NoteKind
    key: str
    offset: int
    reason: str

    def __str__(self) -> str:
        return f"{self.key}: {self.reason}" if self.key else self.reason


class NoteCollector:
    """Gathers the notes of one file."""

    def __init__(self) -> None:
        self._notes: list[TranslationNote] = []

    def add(self, kind: NoteKind, key: str, offset: int, reason: str) -> None:
        self._notes.append(TranslationNote(kind, key, offset, reason))

    def collect(self) -> tuple[TranslationNote, ...]:
        """All of them in the order of the file; what is said of many elements is said once."""
        alike: dict[tuple[str, str, str], list[TranslationNote]] = {}
        for note in sorted(self._notes, key=lambda note: note.offset):
            pattern = _INDEX.sub("[]", note.key)
            alike.setdefault((note.kind, pattern, note.reason), []).append(note)
        return tuple(_merge_notes(notes) for notes in alike.values())


def _merge_notes(notes: Iterable[TranslationNote]) -> TranslationNote:
    first, *others = notes
    if not others:
        return first
    times = "time" if len(others) == 1 else "times"
    return replace(first, reason=f"{first.reason} (and {len(others):,} more {times})")
