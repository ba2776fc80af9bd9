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

from anaphora.entities.phrases.stem_candidates import StemCandidate
from anaphora.entities.phrases.stem_ids import StemIds
from anaphora.entities.tokens.token_runs import PatternEnds
from anaphora.entities.words.lexicon import Word
from anaphora.grammar.patterns import Pattern
from anaphora.grammar.synonyms.entity_part import EntityPart

__all__ = [
    "MAX_COMBINATIONS",
    "ROOT",
    "WILDCARD",
    "Nodes",
    "PartsAt",
    "PhraseMatch",
    "Step",
    "Trie",
    "form_of",
]

_IS_SPECIAL = attrgetter("is_special")
_NONE = -1

ROOT = -1
"""The node from which walks start."""

WILDCARD = "\0"
"""What stands in a form for the words that a pattern matches, or for an entity."""

MAX_COMBINATIONS = 16
"""In how many ways the same words may be made of different entities."""

# Of the walks over one text and for each of its words (5 µs each); what is left goes unfound.
_MAX_STEPS = 50_000
_MAX_STEPS_PER_WORD = 10
_MAX_SKIPPED = 4  # words that may be passed over in a row

Step: TypeAlias = Word | Pattern | EntityPart

_CandidateIds: TypeAlias = tuple[tuple[int, ...], StemCandidate]
"""The stems that a word may stand for by a guess, as numbers."""

PartsAt: TypeAlias = Callable[[EntityPart, int], Sequence[tuple[int, int]]]
"""Which entities that were found before fit a part at a word: where each ends, and its number."""


class PhraseMatch(Struct, frozen=True, gc=False):
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
    skipped: tuple[int, ...] = ()
    permuted: bool = False
    parts: tuple[tuple[str, int], ...] = ()
    typos: int = 0
    by_compound_head: bool = False


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
    parts: Mapping[int, Sequence[tuple[EntityPart, int]]] = field(default_factory=dict)


class Trie:
    """Phrases by the stems of their words, each leading to the number of an entry; a
    :class:`~anaphora.entities.phrases.trie_builder.TrieBuilder` makes one. May be asked by many
    threads."""

    __slots__ = (
        "_edges", "_entries", "_first", "_forms", "_inner", "_labels", "_parts", "_patterns",
        "nodes", "stems",
    )  # fmt: skip

    def __init__(self, nodes: Nodes) -> None:
        self.nodes = nodes
        self.stems = StemIds(nodes.hashes)
        """The numbers of the stems of the words in the phrases, -1 for any other."""
        self._edges, self._labels = nodes.edges, nodes.labels
        self._first, self._entries, self._forms = nodes.first, nodes.entries, nodes.forms
        self._patterns, self._parts = nodes.patterns, nodes.parts
        self._inner = len(nodes.first) - len(nodes.labels)  # the node that the first edge leads to

    def __len__(self) -> int:
        """How many different phrases of entries there are."""
        return len(self._entries)

    def is_phrase(self, stem: str) -> bool:
        """Whether a word with that stem is a phrase by itself."""
        number = self.stems[stem]
        return number >= 0 and self._first[number] >= 0

    def find(
        self,
        words: Sequence[Word],
        pattern_ends: PatternEnds | None = None,
        parts_at: PartsAt | None = None,
        skippable: Sequence[bool] | None = None,
        candidates: Sequence[Sequence[StemCandidate]] | None = None,
        *,
        has_special: bool = True,
    ) -> list[PhraseMatch]:
        """Every phrase at every place, also those that overlap; one hit for an entry, a place
        and the entities in it.

        ``pattern_ends`` and ``parts_at`` say what matches patterns and parts; ``passable`` says of
        each word whether it may be passed over between the first and the last of a phrase;
        ``guesses`` what it may stand for; ``has_special`` says whether some of the words are odd.
        """
        stems = self.stems
        numbers = [stems[word.stem] for word in words]
        others = None if candidates is None else self._candidate_ids(candidates)
        if (
            skippable is not None
            or others is not None
            or self._patterns
            or self._parts
            or (has_special and any(map(_IS_SPECIAL, words)))
        ):
            special = pattern_ends or _no_runs, parts_at or _no_parts
            return self._find_with_alternatives(
                numbers, words, *special, skippable or (), others or {}
            )
        return self._find_plain(numbers, words)

    def _candidate_ids(
        self, candidates: Sequence[Sequence[StemCandidate]]
    ) -> dict[int, list[_CandidateIds]] | None:
        """By the index of a word what else it may be, as numbers of stems."""
        stems = self.stems
        others: dict[int, list[_CandidateIds]] = {}
        for index, some in enumerate(candidates):
            for guess in some:
                numbers = tuple([stems[stem] for stem in guess.stems])
                if _NONE not in numbers:
                    others.setdefault(index, []).append((numbers, guess))
        return others or None

    def _find_plain(self, numbers: list[int], words: Sequence[Word]) -> list[PhraseMatch]:
        hits: list[PhraseMatch] = []
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
                        hits.append(PhraseMatch(start, end, -1 - entry, exact))
                    else:
                        hits += self._create_matches(node, start, end, form)
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

    def _find_with_alternatives(
        self,
        numbers: list[int],
        words: Sequence[Word],
        pattern_ends: PatternEnds,
        parts_at: PartsAt,
        skippable: Sequence[bool],
        others: Mapping[int, Sequence[_CandidateIds]],
    ) -> list[PhraseMatch]:
        """As :meth:`_find_plain`, where the text may be walked in several ways."""
        hits: list[PhraseMatch] = []
        count = len(words)
        anywhere = ROOT in self._patterns or ROOT in self._parts
        steps_left = _MAX_STEPS + _MAX_STEPS_PER_WORD * count
        for start in range(count):
            if steps_left < 0:
                break
            if numbers[start] == _NONE and not (anywhere or words[start].parts or start in others):
                continue
            ways = [_Walk(ROOT, start)]
            seen: dict[tuple[int, int], int] = {}
            while ways:
                way = ways.pop()
                node, at = way.node, way.at
                visits = seen[node, at] = seen.get((node, at), 0) + 1
                steps_left -= 1
                if visits > (MAX_COMBINATIONS if way.parts else 1):
                    continue
                if node != ROOT and self._first[node] >= 0:
                    hits += self._create_matches(node, start, at, " ".join(way.forms), way)
                for passed in range(_MAX_SKIPPED + 1):
                    if at + passed == count:
                        break
                    here = at + passed
                    for part, child in self._parts.get(node, ()):
                        ways += [
                            way.advance(child, end, passed, WILDCARD, ((part.alias, number),))
                            for end, number in reversed(parts_at(part, here))
                        ]
                    for pattern, child in self._patterns.get(node, ()):
                        for end in pattern_ends(pattern, here):
                            ways.append(way.advance(child, end, passed, WILDCARD))
                    word = words[here]
                    after = self._follow_word(node, word, numbers[here])
                    if after != _NONE:
                        ways.append(way.advance(after, here + 1, passed, word.form))
                    for stems, guess in others.get(here, ()) if others else ():
                        after = self._follow_all(node, stems)
                        if after != _NONE:
                            end = here + guess.words
                            form = " ".join([one.form for one in words[here:end]])
                            ways.append(way.advance(after, end, passed, form, candidate=guess))
                    if node == ROOT or not skippable or not skippable[here]:
                        break
        return _merge_matches(hits)

    def _follow_word(self, node: int, word: Word, number: int) -> int:
        if not word.parts:
            return self._edge(node, number)
        return self._follow_all(node, [self.stems[part] for part in word.parts])

    def _follow_all(self, node: int, numbers: Iterable[int]) -> int:
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

    def _create_matches(
        self,
        node: int,
        start: int,
        end: int,
        form: str,
        walk: _Walk | None = None,
    ) -> list[PhraseMatch]:
        here = get_string_id(form)
        found: dict[int, bool] = {}
        for entry, known in self._records(node):
            found[entry] = known == here or found.get(entry, False)
        if walk is None or not (walk.skipped or walk.parts or walk.typos or walk.by_compound_head):
            return [PhraseMatch(start, end, entry, exact) for entry, exact in found.items()]
        gaps, passed, parts, typos = len(walk.skipped), walk.skipped, walk.parts, walk.typos
        inexact = gaps or typos or walk.by_compound_head
        return [
            PhraseMatch(
                start, end, entry, exact and not inexact, gaps,
                skipped=passed, parts=parts, typos=typos, by_compound_head=walk.by_compound_head,
            )
            for entry, exact in found.items()
        ]  # fmt: skip

    def _records(self, node: int) -> Iterator[tuple[int, int]]:
        record = self._first[node]
        while (entry := self._entries[record]) >= 0:
            yield entry, self._forms[record]
            record += 1
        yield -1 - entry, self._forms[record]


class _Walk(NamedTuple):
    """How far a walk has come, and by what."""

    node: int
    at: int
    skipped: tuple[int, ...] = ()
    forms: tuple[str, ...] = ()
    parts: tuple[tuple[str, int], ...] = ()
    typos: int = 0
    by_compound_head: bool = False

    def advance(
        self,
        node: int,
        at: int,
        skip_count: int,
        form: str,
        parts: tuple[tuple[str, int], ...] = (),
        candidate: StemCandidate | None = None,
    ) -> _Walk:
        """The walk after one more step, before which some words were passed over; with a ``guess``,
        if the word only stands for that of the step."""
        over = (
            self.skipped + tuple(range(self.at, self.at + skip_count))
            if skip_count
            else self.skipped
        )
        typos, by_head = self.typos, self.by_compound_head
        if candidate is not None:
            typos, by_head = max(candidate.typos, typos), candidate.by_compound_head or by_head
        return _Walk(node, at, over, (*self.forms, form), self.parts + parts, typos, by_head)


def form_of(step: Step) -> str:
    """How the step is spelled, as forms of phrases and texts are compared."""
    return step.form if isinstance(step, Word) else WILDCARD


def _no_runs(pattern: Pattern, at: int) -> Sequence[int]:
    return ()


def _no_parts(part: EntityPart, at: int) -> Sequence[tuple[int, int]]:
    return ()


def _merge_matches(hits: list[PhraseMatch]) -> list[PhraseMatch]:
    """One hit for an entry, a place and the parts in it, where several ways led there."""
    best: dict[tuple[int, int, int, tuple[tuple[str, int], ...]], PhraseMatch] = {}
    for hit in hits:
        key = (hit.start, hit.end, hit.entry, hit.parts)
        known = best.get(key)
        if known is None or _rank(hit) < _rank(known):
            best[key] = hit
    return list(best.values())


def _rank(hit: PhraseMatch) -> tuple[int, int, bool, bool]:
    return hit.gaps, hit.typos, hit.by_compound_head, not hit.exact
