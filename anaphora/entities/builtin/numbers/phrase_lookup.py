"""Look up the phrases of a language that end before or start at an atom."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Generic, TypeVar

from anaphora.entities.builtin.atoms import Atom, split_atoms
from anaphora.entities.languages import cached_table
from anaphora.entities.words.normalization import base_code, create_normalizer

__all__ = ["PhraseLookup", "expand_endings", "iter_phrases"]

T = TypeVar("T")


class PhraseLookup(Generic[T]):
    """Phrases of a language with their meanings. Where people leave out accents (``accents`` of the
    table of numbers), they are found without them too, unless such a phrase has its own meaning."""

    def __init__(
        self,
        language: str,
        phrases: Iterable[tuple[str, T]],
        others: Iterable[tuple[tuple[str, ...], T]] = (),
    ) -> None:
        """``others`` are phrases as words that are normalized already; the ``phrases`` take
        precedence."""
        normalize = create_normalizer(language)
        self._meanings: dict[tuple[str, ...], T] = {}
        # The number of words of the longest phrase with that first or last word.
        self._starting: dict[str, int] = {}
        self._ending: dict[str, int] = {}
        keys = ((_key(phrase, normalize), meaning) for phrase, meaning in phrases)
        for key, meaning in chain(keys, others):
            if not key:
                continue
            self._meanings.setdefault(key, meaning)
        for key, meaning in list(_without_accents(language, self._meanings)):
            self._meanings.setdefault(key, meaning)
        for key in self._meanings:
            self._starting[key[0]] = max(len(key), self._starting.get(key[0], 0))
            self._ending[key[-1]] = max(len(key), self._ending.get(key[-1], 0))
        self._longest = max(self._starting.values(), default=0)

    @property
    def phrases(self) -> Iterable[tuple[str, ...]]:
        """The normalized words of the phrases."""
        return self._meanings.keys()

    def get(self, word: str) -> T | None:
        """The meaning of a phrase of one word."""
        return self._meanings.get((word,))

    def find_attached(self, atoms: Sequence[Atom], end: int, last: str) -> tuple[int, T] | None:
        """The longest phrase whose last word is ``last`` and whose other words end before an atom:
        its first atom and its meaning."""
        for start in range(max(0, end - self._ending.get(last, 1) + 1), end):
            words = (*(atom.text for atom in atoms[start:end]), last)
            if words in self._meanings:
                return start, self._meanings[words]
        return None

    def find_before(self, atoms: Sequence[Atom], end: int) -> tuple[int, T] | None:
        """The longest phrase that ends before an atom: its first atom and its meaning."""
        most = self._ending.get(atoms[end - 1].text) if end else None
        if most is None:
            return None
        words = tuple([atom.text for atom in atoms[max(0, end - most) : end]])
        for skipped in range(len(words)):
            meaning = self._meanings.get(words[skipped:])
            if meaning is not None:
                return end - len(words) + skipped, meaning
        return None

    def find_after(self, atoms: Sequence[Atom], start: int) -> tuple[int, T] | None:
        """The longest phrase that starts with an atom: the atom after it and its meaning."""
        most = self._starting.get(atoms[start].text) if start < len(atoms) else None
        if most is None:
            return None
        words = tuple([atom.text for atom in atoms[start : start + most]])
        for size in range(len(words), 0, -1):
            meaning = self._meanings.get(words[:size])
            if meaning is not None:
                return start + size, meaning
        return None

    def match_between(self, atoms: Sequence[Atom], start: int, end: int) -> T | None:
        """The meaning of the phrase that consists of the atoms from ``start`` up to ``end``."""
        if not 0 < end - start <= self._longest:
            return None
        return self._meanings.get(tuple([atom.text for atom in atoms[start:end]]))


def iter_phrases(written: Mapping[str, Any], key: str) -> Iterator[tuple[str, Any]]:
    """The phrases under a key of a table with their meanings. The key has a list of phrases, each
    of which means itself, or a mapping from meanings to lists."""
    under = written.get(key) or {}
    endings = written.get("endings", {})
    if isinstance(under, list):
        under = {phrase: [phrase] for phrase in under}
    for meaning, forms in under.items():
        for form in forms if isinstance(forms, list) else [forms]:
            for phrase in expand_endings(str(form), endings):
                yield phrase, meaning


def expand_endings(form: str, endings: Mapping[str, Iterable[str]]) -> Iterator[str]:
    """The forms of a word whose last character is a key of ``endings`` (``перв*``); otherwise the
    word itself."""
    if len(form) <= 1 or form[-1] not in endings:
        yield form
        return
    for ending in endings[form[-1]]:
        yield form[:-1] + ending


def _without_accents(
    language: str, meanings: Mapping[tuple[str, ...], T]
) -> Iterator[tuple[tuple[str, ...], T]]:
    """The phrases with accents, without these."""
    written = cached_table(base_code(language), "numbers")
    if not (accents := written.get("accents")):
        return
    plain, distinct = str.maketrans(accents), frozenset(written.get("distinct", ()))
    for words, meaning in meanings.items():
        bare = tuple([word.translate(plain) for word in words])
        if bare != words and distinct.isdisjoint(words):
            yield bare, meaning


def _key(phrase: str, normalize: Callable[[str], str]) -> tuple[str, ...]:
    if phrase.isalpha() and phrase.isascii():
        return (normalize(phrase),)  # a single word, as most are
    return tuple(atom.text for atom in split_atoms(phrase, normalize))
