"""Phrases that stand beside numbers, found by the atoms before or behind a place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

from anaphora.entities.atoms import Atom, atoms
from anaphora.entities.languages import normalizer
from anaphora.entities.numbers.tables import inflected

__all__ = ["Phrases", "listed"]

T = TypeVar("T")


class Phrases(Generic[T]):
    """Phrases of a language, each with what it means."""

    def __init__(self, language: str, phrases: Iterable[tuple[str, T]]) -> None:
        normalize = normalizer(language)
        self._meanings: dict[tuple[str, ...], T] = {}
        for phrase, meaning in phrases:
            key = tuple(atom.text for atom in atoms(phrase, normalize))
            self._meanings.setdefault(key, meaning)
        self._longest = max(map(len, self._meanings), default=0)
        self._first = frozenset(key[0] for key in self._meanings if key)
        self._last = frozenset(key[-1] for key in self._meanings if key)

    def before(self, found: Sequence[Atom], end: int) -> tuple[int, T] | None:
        """The longest phrase that ends before an atom: its first atom and its meaning."""
        if not end or found[end - 1].text not in self._last:
            return None
        for start in range(max(0, end - self._longest), end):
            meaning = self._meanings.get(tuple(atom.text for atom in found[start:end]))
            if meaning is not None:
                return start, meaning
        return None

    def behind(self, found: Sequence[Atom], start: int) -> tuple[int, T] | None:
        """The longest phrase that starts with an atom: the atom after it and its meaning."""
        if start >= len(found) or found[start].text not in self._first:
            return None
        for end in range(min(len(found), start + self._longest), start, -1):
            meaning = self._meanings.get(tuple(atom.text for atom in found[start:end]))
            if meaning is not None:
                return end, meaning
        return None

    def between(self, found: Sequence[Atom], start: int, end: int) -> T | None:
        """What the atoms from one to another mean all together."""
        if not 0 < end - start <= self._longest:
            return None
        return self._meanings.get(tuple(atom.text for atom in found[start:end]))


def listed(written: Mapping[str, Any], key: str) -> Iterator[tuple[str, Any]]:
    """The phrases under a key of a table, with what they stand for: a list of phrases (each
    means itself), or a mapping from meanings to lists."""
    under = written.get(key) or {}
    endings = written.get("endings", {})
    if isinstance(under, list):
        under = {phrase: [phrase] for phrase in under}
    for meaning, forms in under.items():
        for form in forms if isinstance(forms, list) else [forms]:
            for phrase in inflected(str(form), endings):
                yield phrase, meaning
