"""Phrases that stand beside numbers, found by the atoms before or behind a place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

from anaphora.entities.builtin.atoms import Atom, split_atoms
from anaphora.entities.builtin.numbers.shared_tables import expand_endings
from anaphora.entities.words.normalization import create_normalizer

__all__ = ["PhraseLookup", "iter_phrases"]

T = TypeVar("T")


class PhraseLookup(Generic[T]):
    """Phrases of a language, each with what it means."""

    def __init__(self, language: str, phrases: Iterable[tuple[str, T]]) -> None:
        normalize = create_normalizer(language)
        self._meanings: dict[tuple[str, ...], T] = {}
        self._starting: dict[str, int] = {}  # how many words the longest phrase has
        self._ending: dict[str, int] = {}
        for phrase, meaning in phrases:
            key = _key(phrase, normalize)
            if not key:
                continue
            self._meanings.setdefault(key, meaning)
            self._starting[key[0]] = max(len(key), self._starting.get(key[0], 0))
            self._ending[key[-1]] = max(len(key), self._ending.get(key[-1], 0))
        self._longest = max(self._starting.values(), default=0)

    def find_attached(self, found: Sequence[Atom], end: int, last: str) -> tuple[int, T] | None:
        """The longest phrase whose last word is ``last`` and whose others end before an atom."""
        for start in range(max(0, end - self._ending.get(last, 1) + 1), end):
            words = (*(atom.text for atom in found[start:end]), last)
            if words in self._meanings:
                return start, self._meanings[words]
        return None

    def find_before(self, found: Sequence[Atom], end: int) -> tuple[int, T] | None:
        """The longest phrase that ends before an atom: its first atom and its meaning."""
        most = self._ending.get(found[end - 1].text) if end else None
        if most is None:
            return None
        words = tuple([atom.text for atom in found[max(0, end - most) : end]])
        for skipped in range(len(words)):
            meaning = self._meanings.get(words[skipped:])
            if meaning is not None:
                return end - len(words) + skipped, meaning
        return None

    def find_after(self, found: Sequence[Atom], start: int) -> tuple[int, T] | None:
        """The longest phrase that starts with an atom: the atom after it and its meaning."""
        most = self._starting.get(found[start].text) if start < len(found) else None
        if most is None:
            return None
        words = tuple([atom.text for atom in found[start : start + most]])
        for size in range(len(words), 0, -1):
            meaning = self._meanings.get(words[:size])
            if meaning is not None:
                return start + size, meaning
        return None

    def match_between(self, found: Sequence[Atom], start: int, end: int) -> T | None:
        """What the atoms from one to another mean all together."""
        if not 0 < end - start <= self._longest:
            return None
        return self._meanings.get(tuple([atom.text for atom in found[start:end]]))


def iter_phrases(written: Mapping[str, Any], key: str) -> Iterator[tuple[str, Any]]:
    """The phrases under a key of a table, with what they stand for: a list of phrases (each
    means itself), or a mapping from meanings to lists."""
    under = written.get(key) or {}
    endings = written.get("endings", {})
    if isinstance(under, list):
        under = {phrase: [phrase] for phrase in under}
    for meaning, forms in under.items():
        for form in forms if isinstance(forms, list) else [forms]:
            for phrase in expand_endings(str(form), endings):
                yield phrase, meaning


def _key(phrase: str, normalize: Callable[[str], str]) -> tuple[str, ...]:
    if phrase.isalpha() and phrase.isascii():
        return (normalize(phrase),)  # one word: most are
    return tuple(atom.text for atom in split_atoms(phrase, normalize))
