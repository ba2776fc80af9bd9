"""A trie over the stems of words that finds every known phrase in an utterance.

Looking up takes time by the length of the utterance and of the phrases in it, whatever the
number of phrases known. All lies in flat arrays, sorted: 50 bytes for a phrase of two words that
no other has, where dictionaries take 350. What has been looked up of late is remembered.

Patterns and parts have edges of their own. With them, or with words that may be passed over, a
text may be walked in several ways; each state of such a walk is visited a bounded number of times.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import NamedTuple, TypeAlias

from msgspec import Struct
from spacy.strings import get_string_id

from anaphora.entities.guesses import Guess
from anaphora.entities.lexicon import Word
from anaphora.entities.numbered import Stems
from anaphora.entities.token_runs import PatternEnds
from anaphora.grammar.parts import Part
from anaphora.grammar.patterns import Pattern

__all__ = ["ANY", "MOST_MADE", "ROOT", "Hit", "Nodes", "PartsAt", "Step", "Trie", "form_of"]

_IS_ODD = attrgetter("odd")
_NONE = -1

ROOT = -1
"""The node from which walks start."""

ANY = "\0"
"""What stands in a form for the words that a pattern matches, or for an entity."""

MOST_MADE = 16
"""In how many ways the same words may be made of different entities."""

# Of the walks over one text and for each of its words (5 µs each); what is left goes unfound.
_MOST_STEPS = 50_000
_MOST_STEPS_EACH = 10
_MOST_PASSED = 4  # words that may be passed over in a row

Step: TypeAlias = Word | Pattern | Part

_Other: TypeAlias = tuple[tuple[int, ...], Guess]
"""The stems that a word may stand for by a guess, as numbers."""

PartsAt: TypeAlias = Callable[[Part, int], Sequence[tuple[int, int]]]
"""Which entities that were found before fit a part at a word: where each ends, and its number."""


class Hit(Struct, frozen=True, gc=False):
    """A phrase of ``entry`` in the words from ``start`` up to ``end``; ``exact`` when one of
    its spellings is that of the words, and not only their stems.

    ``gaps`` counts the words between its own; ``tokens`` are its own ones where they are not
    all from ``start`` to ``end``, else empty. ``passed`` are the words in it that were passed
    over. ``permuted`` says that they stand in another order than in the phrase; ``parts`` are the
    names and the numbers of the entities in it; ``typos`` is the most wrong letters that one of
    its words has; ``by_head`` says that one of them is a compound with a word of the phrase as its
    head.
    """

    start: int
    end: int
    entry: int
    exact: bool
    gaps: int = 0
    tokens: tuple[int, ...] = ()
    passed: tuple[int, ...] = ()
    permuted: bool = False
    parts: tuple[tuple[str, int], ...] = ()
    typos: int = 0
    by_head: bool = False


@dataclass(frozen=True, slots=True)
class Nodes:
    """The phrases of a trie in arrays.

    The first nodes are those of the words that a phrase begins with: the number of a stem is
    also its node, so that a phrase of one word needs no edge. Then come those of patterns and
    parts at the beginning, then those that the edges lead to, one each, in their order.
    """

    hashes: array[int]
    """Of the stems, sorted: the number of a stem is its place."""
    edges: array[int]
    """For each node its first edge, and one more at the end."""
    labels: array[int]
    """For each edge the stem that it takes; greater numbers are patterns and parts. Sorted for
    each node."""
    first: array[int]
    """For each node its first record, -1 for none."""
    entries: array[int]
    """For each record its entry, as -1 - entry if it is the last one of the node."""
    forms: array[int]
    """For each record the hash of its spelling, which itself would take 60 bytes and more."""
    patterns: Mapping[int, Sequence[tuple[Pattern, int]]] = field(default_factory=dict)
    """By nodes, and :data:`ROOT`, the patterns that lead on, each with the node it leads to."""
    parts: Mapping[int, Sequence[tuple[Part, int]]] = field(default_factory=dict)


class Trie:
    """Phrases by the stems of their words, each leading to the number of an entry; a
    :class:`~anaphora.entities.planting.TrieBuilder` makes one. May be asked by many threads."""

    __slots__ = (
        "_edges", "_entries", "_first", "_forms", "_inner", "_labels", "_parts", "_patterns",
        "nodes", "stems",
    )  # fmt: skip

    def __init__(self, nodes: Nodes) -> None:
        self.nodes = nodes
        self.stems = Stems(nodes.hashes)
        """The numbers of the stems of the words in the phrases, -1 for any other."""
        self._edges, self._labels = nodes.edges, nodes.labels
        self._first, self._entries, self._forms = nodes.first, nodes.entries, nodes.forms
        self._patterns, self._parts = nodes.patterns, nodes.parts
        self._inner = len(nodes.first) - len(nodes.labels)  # the node that the first edge leads to

    def __len__(self) -> int:
        """How many different phrases of entries there are."""
        return len(self._entries)

    def has(self, stem: str) -> bool:
        """Whether a word with that stem is a phrase by itself."""
        number = self.stems[stem]
        return number >= 0 and self._first[number] >= 0

    def find(
        self,
        words: Sequence[Word],
        pattern_ends: PatternEnds | None = None,
        parts_at: PartsAt | None = None,
        passable: Sequence[bool] | None = None,
        guesses: Sequence[Sequence[Guess]] | None = None,
        *,
        has_odd: bool = True,
    ) -> list[Hit]:
        """Every phrase at every place, also those that overlap; one hit for an entry, a place
        and the entities in it.

        ``pattern_ends`` and ``parts_at`` say what matches patterns and parts; ``passable`` says of
        each word whether it may be passed over between the first and the last of a phrase;
        ``guesses`` what it may stand for; ``has_odd`` says whether some of the words are odd.
        """
        stems = self.stems
        numbers = [stems[word.stem] for word in words]
        others = None if guesses is None else self._others(guesses)
        if (
            passable is not None
            or others is not None
            or self._patterns
            or self._parts
            or (has_odd and any(map(_IS_ODD, words)))
        ):
            special = pattern_ends or _no_runs, parts_at or _no_parts
            return self._find_all(numbers, words, *special, passable or (), others or {})
        return self._find_plain(numbers, words)

    def _others(self, guesses: Sequence[Sequence[Guess]]) -> dict[int, list[_Other]] | None:
        """By the index of a word what else it may be, as numbers of stems."""
        stems = self.stems
        others: dict[int, list[_Other]] = {}
        for index, some in enumerate(guesses):
            for guess in some:
                numbers = tuple([stems[stem] for stem in guess.stems])
                if _NONE not in numbers:
                    others.setdefault(index, []).append((numbers, guess))
        return others or None

    def _find_plain(self, numbers: list[int], words: Sequence[Word]) -> list[Hit]:
        hits: list[Hit] = []
        edges, labels, inner = self._edges, self._labels, self._inner
        first, entries, forms = self._first, self._entries, self._forms
        count = len(numbers)
        for start, node in enumerate(numbers):
            end = start + 1
            while node >= 0:
                if (record := first[node]) >= 0:
                    form = " ".join([word.form for word in words[start:end]])
                    if (entry := entries[record]) < 0:  # the only one, as most are
                        exact = forms[record] == get_string_id(form)
                        hits.append(Hit(start, end, -1 - entry, exact))
                    else:
                        hits += self._hits(node, start, end, form)
                if end == count or (number := numbers[end]) < 0:
                    break
                # As in _edge; a call takes longer than all else here.
                least, most = edges[node], edges[node + 1]
                if least == most:
                    break
                edge = bisect_left(labels, number, least, most)
                if edge == most or labels[edge] != number:
                    break
                node = inner + edge
                end += 1
        return hits

    def _find_all(
        self,
        numbers: list[int],
        words: Sequence[Word],
        pattern_ends: PatternEnds,
        parts_at: PartsAt,
        passable: Sequence[bool],
        others: Mapping[int, Sequence[_Other]],
    ) -> list[Hit]:
        """As :meth:`_find_plain`, where the text may be walked in several ways."""
        hits: list[Hit] = []
        count = len(words)
        anywhere = ROOT in self._patterns or ROOT in self._parts
        steps_left = _MOST_STEPS + _MOST_STEPS_EACH * count
        for start in range(count):
            if steps_left < 0:
                break
            if numbers[start] == _NONE and not (anywhere or words[start].parts or start in others):
                continue
            ways = [_Way(ROOT, start)]
            seen: dict[tuple[int, int], int] = {}
            while ways:
                way = ways.pop()
                node, at = way.node, way.at
                visits = seen[node, at] = seen.get((node, at), 0) + 1
                steps_left -= 1
                if visits > (MOST_MADE if way.parts else 1):
                    continue
                if node != ROOT and self._first[node] >= 0:
                    hits += self._hits(node, start, at, " ".join(way.forms), way)
                for passed in range(_MOST_PASSED + 1):
                    if at + passed == count:
                        break
                    here = at + passed
                    for part, child in self._parts.get(node, ()):
                        ways += [
                            way.over(child, end, passed, ANY, ((part.alias, number),))
                            for end, number in reversed(parts_at(part, here))
                        ]
                    for pattern, child in self._patterns.get(node, ()):
                        for end in pattern_ends(pattern, here):
                            ways.append(way.over(child, end, passed, ANY))
                    word = words[here]
                    after = self._follow(node, word, numbers[here])
                    if after != _NONE:
                        ways.append(way.over(after, here + 1, passed, word.form))
                    for stems, guess in others.get(here, ()) if others else ():
                        after = self._along(node, stems)
                        if after != _NONE:
                            end = here + guess.words
                            form = " ".join([one.form for one in words[here:end]])
                            ways.append(way.over(after, end, passed, form, guess=guess))
                    if node == ROOT or not passable or not passable[here]:
                        break
        return _merged(hits)

    def _follow(self, node: int, word: Word, number: int) -> int:
        if not word.parts:
            return self._edge(node, number)
        return self._along(node, [self.stems[part] for part in word.parts])

    def _along(self, node: int, numbers: Iterable[int]) -> int:
        for number in numbers:
            node = self._edge(node, number)
            if node == _NONE:
                break
        return node

    def _edge(self, node: int, number: int) -> int:
        if node == ROOT or number == _NONE:
            return number
        most = self._edges[node + 1]
        edge = bisect_left(self._labels, number, self._edges[node], most)
        if edge == most or self._labels[edge] != number:
            return _NONE
        return self._inner + edge

    def _hits(
        self,
        node: int,
        start: int,
        end: int,
        form: str,
        way: _Way | None = None,
    ) -> list[Hit]:
        here = get_string_id(form)
        found: dict[int, bool] = {}
        for entry, known in self._records(node):
            found[entry] = known == here or found.get(entry, False)
        if way is None or not (way.passed or way.parts or way.typos or way.by_head):
            return [Hit(start, end, entry, exact) for entry, exact in found.items()]
        gaps, passed, parts, typos = len(way.passed), way.passed, way.parts, way.typos
        inexact = gaps or typos or way.by_head
        return [
            Hit(
                start, end, entry, exact and not inexact, gaps,
                passed=passed, parts=parts, typos=typos, by_head=way.by_head,
            )
            for entry, exact in found.items()
        ]  # fmt: skip

    def _records(self, node: int) -> Iterator[tuple[int, int]]:
        record = self._first[node]
        while (entry := self._entries[record]) >= 0:
            yield entry, self._forms[record]
            record += 1
        yield -1 - entry, self._forms[record]


class _Way(NamedTuple):
    """How far a walk has come, and by what."""

    node: int
    at: int
    passed: tuple[int, ...] = ()
    forms: tuple[str, ...] = ()
    parts: tuple[tuple[str, int], ...] = ()
    typos: int = 0
    by_head: bool = False

    def over(
        self,
        node: int,
        at: int,
        passed: int,
        form: str,
        parts: tuple[tuple[str, int], ...] = (),
        guess: Guess | None = None,
    ) -> _Way:
        """The walk after one more step, before which some words were passed over; with a ``guess``,
        if the word only stands for that of the step."""
        over = self.passed + tuple(range(self.at, self.at + passed)) if passed else self.passed
        typos, by_head = self.typos, self.by_head
        if guess is not None:
            typos, by_head = max(guess.typos, typos), guess.by_head or by_head
        return _Way(node, at, over, (*self.forms, form), self.parts + parts, typos, by_head)


def form_of(step: Step) -> str:
    """How the step is spelled, as forms of phrases and texts are compared."""
    return step.form if isinstance(step, Word) else ANY


def _no_runs(pattern: Pattern, at: int) -> Sequence[int]:
    return ()


def _no_parts(part: Part, at: int) -> Sequence[tuple[int, int]]:
    return ()


def _merged(hits: list[Hit]) -> list[Hit]:
    """One hit for an entry, a place and the parts in it, where several ways led there."""
    best: dict[tuple[int, int, int, tuple[tuple[str, int], ...]], Hit] = {}
    for hit in hits:
        key = (hit.start, hit.end, hit.entry, hit.parts)
        known = best.get(key)
        if known is None or _rank(hit) < _rank(known):
            best[key] = hit
    return list(best.values())


def _rank(hit: Hit) -> tuple[int, int, bool, bool]:
    return hit.gaps, hit.typos, hit.by_head, not hit.exact
