"""A trie over the stems of words, which finds all phrases of a model in a text.

A look-up takes time by the length of the text and of the phrases in it, regardless of the number of
phrases. The nodes are kept in flat sorted arrays: 50 bytes for a phrase of two words that no other
phrase has, where dictionaries take 350. Recent look-ups are cached.

Patterns and parts have edges of their own. With them, or with words that may be skipped, there are
several walks through a text; each state of such a walk is visited a bounded number of times.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
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
    "PhraseMatch",
    "SearchedText",
    "Step",
    "Trie",
    "form_of",
    "match_nothing",
    "merge_matches",
]

_IS_SPECIAL = attrgetter("is_special")
_NONE = -1

ROOT = -1
"""The node from which walks start."""

WILDCARD = "\0"
"""In a form, the words that a pattern matches, or an entity."""

MAX_COMBINATIONS = 16
"""Choices of entities for the parts of one match."""

# Steps of the walks over one text and for each of its words (5 µs each); further phrases are not
# found.
_MAX_STEPS = 50_000
_MAX_STEPS_PER_WORD = 10
_MAX_SKIPPED = 4  # words in a row that may be skipped

Step: TypeAlias = Word | Pattern | EntityPart

_CandidateIds: TypeAlias = tuple[tuple[int, ...], StemCandidate]
"""A candidate with the ids of its stems."""

PartsAt: TypeAlias = Callable[[EntityPart, int], Sequence[tuple[int, int]]]
"""The end and the number of each entity of earlier levels that satisfies a part at a word."""

PartsIn: TypeAlias = Callable[[EntityPart], Sequence[tuple[int, int, tuple[int, ...]]]]
"""The positions at which entities of earlier levels satisfy a part: start, end and the numbers of
the entities, in order."""


def match_nothing(*_: object) -> tuple[()]:
    """Match no pattern or part anywhere."""
    return ()


class SearchedText(Struct, frozen=True):
    """The words of a text, and what they may match: ``pattern_ends`` for patterns, ``parts_at`` and
    ``parts_in`` for parts, ``candidates`` for each word. ``skippable`` says of each word whether it
    may be skipped inside a phrase that is not sparse; ``has_special`` says whether any word is
    special."""

    words: Sequence[Word]
    pattern_ends: PatternEnds = match_nothing
    parts_at: PartsAt = match_nothing
    parts_in: PartsIn = match_nothing
    skippable: Sequence[bool] | None = None
    candidates: Sequence[Sequence[StemCandidate]] | None = None
    has_special: bool = True


class PhraseMatch(Struct, frozen=True, gc=False):
    """A phrase of ``entry`` in the words from ``start`` up to ``end``; ``exact`` if the words are
    spelled as in the phrase, instead of sharing stems alone.

    ``gaps`` is the number of words between its own; ``tokens`` are its own words if they are not
    all from ``start`` to ``end``, else empty. ``skipped`` are the words that were skipped.
    ``permuted`` says that the words are in another order than in the phrase; ``parts`` are the
    aliases and the numbers of the entities in it; ``typos`` is the maximum number of typos in one
    of its words; ``by_compound_head`` says that the head of a compound is a word of the phrase.
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

    The first nodes are those of the words that a phrase begins with: the id of a stem is also its
    node, so that a phrase of one word needs no edge. They are followed by the nodes of patterns and
    parts at the beginning, then by those that the edges lead to, one each, in their order.
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
    special: Mapping[int, Sequence[tuple[Pattern | EntityPart, int]]]
    """By nodes, and :data:`ROOT`, the patterns and parts that lead on, each with the node it leads
    to."""


class Trie:
    """Phrases by the stems of their words, each leading to the number of an entry. Built by
    :class:`~anaphora.entities.phrases.trie_builder.TrieBuilder`; thread-safe."""

    __slots__ = ("_inner", "nodes", "stems")

    def __init__(self, nodes: Nodes) -> None:
        self.nodes = nodes
        self.stems = StemIds(nodes.hashes)
        """The numbers of the stems of the words in the phrases, -1 for any other."""
        self._inner = len(nodes.first) - len(nodes.labels)  # the node that the first edge leads to

    def __len__(self) -> int:
        """Return the number of distinct phrases of entries."""
        return len(self.nodes.entries)

    def is_phrase(self, stem: str) -> bool:
        """Whether a word with that stem is a phrase by itself."""
        number = self.stems[stem]
        return number >= 0 and self.nodes.first[number] >= 0

    def find(self, text: SearchedText) -> list[PhraseMatch]:
        """Find every phrase at every position, including overlapping ones; one match for each
        entry, position and choice of parts."""
        stems, words = self.stems, text.words
        numbers = [stems[word.stem] for word in words]
        others = None if text.candidates is None else self._candidate_ids(text.candidates)
        if (
            others
            or text.skippable is not None
            or self.nodes.special
            or (text.has_special and any(map(_IS_SPECIAL, words)))
        ):
            return self._find_with_alternatives(numbers, text, others or {})
        return self._find_plain(numbers, words)

    def _candidate_ids(
        self, candidates: Sequence[Sequence[StemCandidate]]
    ) -> dict[int, list[_CandidateIds]]:
        """Map the indexes of words to their candidates as ids of stems."""
        stems = self.stems
        others: dict[int, list[_CandidateIds]] = {}
        for index, some in enumerate(candidates):
            for candidate in some:
                numbers = tuple([stems[stem] for stem in candidate.stems])
                if _NONE not in numbers:
                    others.setdefault(index, []).append((numbers, candidate))
        return others

    def _find_plain(self, numbers: list[int], words: Sequence[Word]) -> list[PhraseMatch]:
        matches: list[PhraseMatch] = []
        nodes, inner = self.nodes, self._inner
        edges, labels = nodes.edges, nodes.labels
        first, entries, forms = nodes.first, nodes.entries, nodes.forms
        count = len(numbers)
        for start, node in enumerate(numbers):
            end = start + 1
            while node >= 0:
                if (record := first[node]) >= 0:
                    form = " ".join([word.form for word in words[start:end]])
                    if (entry := entries[record]) < 0:  # the only one, as most are
                        exact = forms[record] == get_string_id(form)
                        matches.append(PhraseMatch(start, end, -1 - entry, exact))
                    else:
                        matches += self._create_matches(node, start, end, form)
                if end == count or (number := numbers[end]) < 0:
                    break
                # Inlined from _edge, for speed.
                least, most = edges[node], edges[node + 1]
                if least == most:
                    break
                edge = bisect_left(labels, number, least, most)
                if edge == most or labels[edge] != number:
                    break
                node = inner + edge
                end += 1
        return matches

    def _find_with_alternatives(
        self,
        numbers: list[int],
        text: SearchedText,
        others: Mapping[int, Sequence[_CandidateIds]],
    ) -> list[PhraseMatch]:
        """Find phrases as :meth:`_find_plain` does, where several walks through the text are
        possible."""
        matches: list[PhraseMatch] = []
        words, skippable = text.words, text.skippable
        first, special = self.nodes.first, self.nodes.special
        count = len(words)
        steps_left = _MAX_STEPS + _MAX_STEPS_PER_WORD * count
        for start in range(count):
            if steps_left < 0:
                break
            if numbers[start] == _NONE and not (
                ROOT in special or words[start].parts or start in others
            ):
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
                if node != ROOT and first[node] >= 0:
                    matches += self._create_matches(node, start, at, " ".join(way.forms), way)
                for passed in range(_MAX_SKIPPED + 1):
                    if at + passed == count:
                        break
                    here = at + passed
                    for step, child in special.get(node, ()):
                        if isinstance(step, Pattern):
                            ends = text.pattern_ends(step, here)
                            ways += [way.advance(child, end, passed, WILDCARD) for end in ends]
                            continue
                        ways += [
                            way.advance(child, end, passed, WILDCARD, ((step.alias, number),))
                            for end, number in reversed(text.parts_at(step, here))
                        ]
                    word = words[here]
                    if word.parts:
                        after = self._follow_all(node, [self.stems[part] for part in word.parts])
                    else:
                        after = self._edge(node, numbers[here])
                    if after != _NONE:
                        ways.append(way.advance(after, here + 1, passed, word.form))
                    for stems, candidate in others.get(here, ()):
                        after = self._follow_all(node, stems)
                        if after != _NONE:
                            end = here + candidate.words
                            form = " ".join([one.form for one in words[here:end]])
                            ways.append(way.advance(after, end, passed, form, candidate=candidate))
                    if node == ROOT or not skippable or not skippable[here]:
                        break
        return merge_matches(matches)

    def _follow_all(self, node: int, numbers: Iterable[int]) -> int:
        for number in numbers:
            node = self._edge(node, number)
            if node == _NONE:
                break
        return node

    def _edge(self, node: int, number: int) -> int:
        if node == ROOT or number == _NONE:
            return number
        edges, labels = self.nodes.edges, self.nodes.labels
        most = edges[node + 1]
        edge = bisect_left(labels, number, edges[node], most)
        if edge == most or labels[edge] != number:
            return _NONE
        return self._inner + edge

    def _create_matches(
        self, node: int, start: int, end: int, form: str, walk: _Walk | None = None
    ) -> list[PhraseMatch]:
        here = get_string_id(form)
        found: dict[int, bool] = {}
        for entry, known in self._records(node):
            found[entry] = known == here or found.get(entry, False)
        if walk is None or not (walk.skipped or walk.parts or walk.typos or walk.by_compound_head):
            return [PhraseMatch(start, end, entry, exact) for entry, exact in found.items()]
        gaps, inexact = len(walk.skipped), walk.skipped or walk.typos or walk.by_compound_head
        return [
            PhraseMatch(
                start, end, entry, exact and not inexact, gaps, skipped=walk.skipped,
                parts=walk.parts, typos=walk.typos, by_compound_head=walk.by_compound_head,
            )
            for entry, exact in found.items()
        ]  # fmt: skip

    def _records(self, node: int) -> Iterator[tuple[int, int]]:
        entries, forms, record = self.nodes.entries, self.nodes.forms, self.nodes.first[node]
        while (entry := entries[record]) >= 0:
            yield entry, forms[record]
            record += 1
        yield -1 - entry, forms[record]


class _Walk(NamedTuple):
    """The state of a walk through the trie and the text."""

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
        """Return the walk after one more step, with ``skip_count`` words skipped before it. A
        ``candidate`` says that the word only stands for that of the step."""
        over = self.skipped
        if skip_count:
            over += tuple(range(self.at, self.at + skip_count))
        typos, by_head = self.typos, self.by_compound_head
        if candidate is not None:
            typos, by_head = max(candidate.typos, typos), candidate.by_compound_head or by_head
        return _Walk(node, at, over, (*self.forms, form), self.parts + parts, typos, by_head)


def _rank(match: PhraseMatch) -> tuple[int, ...]:
    return match.gaps, match.typos, match.by_compound_head, not match.exact


def form_of(step: Step) -> str:
    """Return the spelling of a step by which forms of phrases and texts are compared."""
    return step.form if isinstance(step, Word) else WILDCARD


def merge_matches(
    matches: Iterable[PhraseMatch], rank: Callable[[PhraseMatch], tuple[int, ...]] = _rank
) -> list[PhraseMatch]:
    """Keep the match of the lowest rank for each entry, set of tokens and choice of parts."""
    best: dict[tuple[object, ...], PhraseMatch] = {}
    for match in matches:
        key = (match.start, match.end, match.entry, match.tokens, match.parts)
        known = best.get(key)
        if known is None or rank(match) < rank(known):
            best[key] = match
    return list(best.values())
