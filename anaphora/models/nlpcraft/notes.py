"""Notes about a translation: keys that were mapped, changed or ignored, and why."""

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
    """The translation of a key of the original file, or of a missing key.

    ``mapped``: the same meaning under another name. ``changed``: something is added, is a default
    of NLPCraft, or is not quite the same. ``ignored``: without effect. ``key`` is the path of the
    key in the original file, ``offset`` its offset there.
    """

    kind: NoteKind
    key: str
    offset: int
    reason: str

    def __str__(self) -> str:
        return f"{self.key}: {self.reason}" if self.key else self.reason


class NoteCollector:
    """Collects the notes of one file."""

    def __init__(self) -> None:
        self._notes: list[TranslationNote] = []

    def add(self, kind: NoteKind, key: str, offset: int, reason: str) -> None:
        self._notes.append(TranslationNote(kind, key, offset, reason))

    def collect(self) -> tuple[TranslationNote, ...]:
        """The notes in file order; equal notes about several elements are merged."""
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
