"""A trie over the stems of words that finds every known phrase in an utterance.

Looking up takes time by the length of the utterance and of the phrases in it, whatever the
number of phrases known. All edges lie in one dictionary and all else in flat arrays: a node
that is an object with a dictionary of its own takes four times the memory.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from spacy.strings import get_string_id

from anaphora.entities.lexicon import Word
from anaphora.grammar.patterns import Pattern

__all__ = ["Hit", "Step", "Trie"]

_ROOT = -1
_NONE = -1
_ANY = "\0"  # stands in a form for a word that a pattern takes

Step = Word | Pattern


@dataclass(frozen=True, slots=True)
class Hit:
    """A phrase of ``entry`` in the words from ``start`` up to ``end``; ``exact`` when one of
    its spellings is that of the words, and not only their stems."""

    start: int
    end: int
    entry: int
    exact: bool


class Trie:
    """Phrases by the stems of their words, each leading to the number of an entry."""

    __slots__ = ("_edges", "_entries", "_first", "_forms", "_next", "_patterns", "_stems")

    def __init__(self) -> None:
        # A stem's number is also the node that it leads to from the root, so that a phrase of
        # one word needs no edge.
        self._stems: dict[str, int] = {}
        self._edges: dict[int, int] = {}
        self._patterns: dict[int, list[tuple[Pattern, int]]] = {}
        self._first = array("i")  # node → its first record, and for the records:
        self._next = array("i")
        self._entries = array("i")
        self._forms = array("Q")  # hashes: a form itself would take 60 bytes and more

    def __len__(self) -> int:
        """How many different phrases of entries there are."""
        return len(self._entries)

    def add(self, phrase: Sequence[Step], entry: int) -> None:
        """Lets ``phrase`` lead to ``entry``; one without words is ignored."""
        node = _ROOT
        for step in phrase:
            if isinstance(step, Pattern):
                node = self._pattern(node, step)
            else:
                for stem in step.parts or (step.stem,):
                    node = self._child(node, stem)
        if node == _ROOT:
            return
        form = get_string_id(" ".join([_form(step) for step in phrase]))
        for known, spelling in self._records(node):
            if known != entry:  # the phrases of an entry come one after the other
                break
            if spelling == form:
                return
        self._entries.append(entry)
        self._forms.append(form)
        self._next.append(self._first[node])
        self._first[node] = len(self._entries) - 1

    def find(self, words: Sequence[Word], texts: Sequence[str]) -> list[Hit]:
        """Every phrase at every place, also those that overlap; one hit for an entry and place.

        ``texts`` are the words as they were written, for the patterns.
        """
        stems = self._stems
        numbers = [stems.get(word.stem, _NONE) for word in words]
        if self._patterns or any(word.parts for word in words):
            return self._find_all(numbers, words, texts)
        return self._find_plain(numbers, words)

    def _find_plain(self, numbers: list[int], words: Sequence[Word]) -> list[Hit]:
        hits: list[Hit] = []
        edges, first, count = self._edges, self._first, len(numbers)
        for start, node in enumerate(numbers):
            end = start + 1
            while node >= 0:
                if first[node] >= 0:
                    form = " ".join([word.form for word in words[start:end]])
                    hits += self._hits(node, start, end, form)
                if end == count or numbers[end] < 0:
                    break
                node = edges.get(node << 32 | numbers[end], _NONE)
                end += 1
        return hits

    def _find_all(
        self, numbers: list[int], words: Sequence[Word], texts: Sequence[str]
    ) -> list[Hit]:
        """As :meth:`_find_plain`, where a word may go several ways."""
        hits: list[Hit] = []
        count = len(words)
        for start in range(count):
            ways: list[tuple[int, int, tuple[str, ...]]] = [(_ROOT, start, ())]
            while ways:
                node, at, forms = ways.pop()
                if node != _ROOT and self._first[node] >= 0:
                    hits += self._hits(node, start, at, " ".join(forms))
                if at == count:
                    continue
                word, text = words[at], texts[at]
                after = self._follow(node, word, numbers[at])
                if after != _NONE:
                    ways.append((after, at + 1, (*forms, word.form)))
                for pattern, child in self._patterns.get(node, ()):
                    if pattern.fits(text) or pattern.fits(word.lower):
                        ways.append((child, at + 1, (*forms, _ANY)))
        return _merged(hits) if self._patterns else hits

    def _follow(self, node: int, word: Word, number: int) -> int:
        if not word.parts:
            return self._edge(node, number)
        after = node
        for part in word.parts:
            after = self._edge(after, self._stems.get(part, _NONE))
            if after == _NONE:
                break
        return after

    def _edge(self, node: int, number: int) -> int:
        if node == _ROOT or number == _NONE:
            return number
        return self._edges.get(node << 32 | number, _NONE)

    def _hits(self, node: int, start: int, end: int, form: str) -> list[Hit]:
        here = get_string_id(form)
        found: dict[int, bool] = {}
        for entry, known in self._records(node):
            found[entry] = known == here or found.get(entry, False)
        return [Hit(start, end, entry, exact) for entry, exact in found.items()]

    def _records(self, node: int) -> Iterator[tuple[int, int]]:
        record = self._first[node]
        while record >= 0:
            yield self._entries[record], self._forms[record]
            record = self._next[record]

    def _child(self, node: int, stem: str) -> int:
        number = self._stems.get(stem, _NONE)
        if number == _NONE:
            number = self._stems[stem] = self._node()
        if node == _ROOT:
            return number
        key = node << 32 | number
        child = self._edges.get(key, _NONE)
        if child == _NONE:
            child = self._edges[key] = self._node()
        return child

    def _pattern(self, node: int, pattern: Pattern) -> int:
        edges = self._patterns.setdefault(node, [])
        for known, child in edges:
            if known == pattern:
                return child
        edges.append((pattern, self._node()))
        return edges[-1][1]

    def _node(self) -> int:
        self._first.append(_NONE)
        return len(self._first) - 1


def _form(step: Step) -> str:
    return _ANY if isinstance(step, Pattern) else step.form


def _merged(hits: list[Hit]) -> list[Hit]:
    """One hit for an entry and place, where several ways led there."""
    best: dict[tuple[int, int, int], Hit] = {}
    for hit in hits:
        key = (hit.start, hit.end, hit.entry)
        if key not in best or hit.exact:
            best[key] = hit
    return list(best.values())
