"""Selects the clauses that together cover the most facts within a number of words.

Coverage is a submodular function of the selected sentences. The greedy selection by gain per word,
or the best single piece if that covers more, achieves at least (1 - 1/e) / 2 of the optimum
(Leskovec et al., "Cost-effective outbreak detection in networks", KDD 2007). Gains only shrink, so
an earlier gain is an upper bound and few are recomputed ("lazy" greedy).
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from heapq import heapify, heappop, heappush
from typing import TypeAlias

__all__ = ["ScoredSentence", "SelectionCosts", "select_sentences"]

_Piece: TypeAlias = tuple[int, int]  # a sentence, and the number of its leading clauses


@dataclass(frozen=True, slots=True)
class ScoredSentence:
    """A sentence as its clauses: their ``sizes`` in words, and the ``facts`` in each.

    A change of ``turn`` costs ``label`` words, a change of ``day`` one more (None: the day is not
    shown). The whole sentence is selected only together with those it ``requires``, and only if it
    has at least ``min_words``.
    """

    sizes: tuple[int, ...]
    facts: tuple[Mapping[str, float], ...]
    turn: str = ""
    label: int = 0
    day: date | None = None
    requires: tuple[int, ...] = ()
    min_words: int = 0


@dataclass(frozen=True, slots=True)
class SelectionCosts:
    """Costs in addition to words, in words: for each ``sentence``, and for a ``cut`` at its end.
    They favour few whole sentences over many fragments. A cut sentence keeps at least
    ``min_words`` words. Pieces that gain less than ``min_gain`` per word are left out, even if
    there is room.

    (Cutting off the start of sentences as well would not cover more, and reads badly.)
    """

    sentence: float = 3.0
    cut: float = 1.5
    min_words: int = 4
    min_gain: float = 0.1


_COSTS = SelectionCosts()


def select_sentences(
    sentences: Sequence[ScoredSentence], budget: int, *, costs: SelectionCosts = _COSTS
) -> dict[int, int]:
    """Select sentences: return the number of leading clauses by index. Together with labels they
    have at most ``budget`` words. The result is deterministic."""
    pieces = [
        (index, count)
        for index, sentence in enumerate(sentences)
        for count in _clause_counts(sentence, costs.min_words)
    ]
    best = _Selection(sentences, costs)
    best.fill_greedily(pieces, budget)
    for piece in pieces:
        single = _Selection(sentences, costs)
        together = single.with_required(piece)
        if single.gain(together) > best.value and single.fits(together, budget):
            single.add(together)
            best = single
    return dict(sorted(best.counts.items()))


def _clause_counts(sentence: ScoredSentence, shortest: int) -> Iterator[int]:
    """Yield the allowed numbers of leading clauses: all of them, or enough to be meaningful."""
    size = 0
    for count, words in enumerate(sentence.sizes, 1):
        size += words
        if size >= (sentence.min_words if count == len(sentence.sizes) else shortest):
            yield count


class _Selection:
    """The selected pieces, their coverage and their size."""

    def __init__(self, sentences: Sequence[ScoredSentence], costs: SelectionCosts) -> None:
        self._sentences, self._costs = sentences, costs
        self._covered: dict[str, float] = {}
        self._order: list[int] = []
        self.counts: dict[int, int] = {}
        self.words = 0
        self.value = 0.0

    def fill_greedily(self, pieces: Sequence[_Piece], budget: int) -> None:
        """Add the pieces with the greatest gain per word until nothing fits."""
        heap = [
            (-self._density(self.with_required(piece)), number, 0)
            for number, piece in enumerate(pieces)
        ]
        heapify(heap)
        taken = 0
        while heap:
            _, number, known = heappop(heap)  # its gain was computed after so many additions
            piece = pieces[number]
            if piece[1] <= self.counts.get(piece[0], 0):
                continue
            together = self.with_required(piece)
            if not self.fits(together, budget):
                continue
            if known < taken:
                heappush(heap, (-self._density(together), number, taken))
            else:
                self.add(together)
                taken += 1

    def with_required(self, piece: _Piece) -> list[_Piece]:
        """Return a piece with the pieces it requires that are not selected yet."""
        sentence = self._sentences[piece[0]]
        if piece[1] < len(sentence.sizes):  # a cut question needs no answer
            return [piece]
        needed = ((index, len(self._sentences[index].sizes)) for index in sentence.requires)
        return [piece, *(one for one in needed if self.counts.get(one[0]) != one[1])]

    def fits(self, pieces: Sequence[_Piece], budget: int) -> bool:
        """Whether the pieces fit into the budget and gain enough."""
        return (
            self.words + self.cost(pieces) <= budget
            and self._density(pieces) >= self._costs.min_gain
            and self.gain(pieces) > 0
        )

    def gain(self, pieces: Sequence[_Piece]) -> float:
        """Return the worth of the facts that the pieces would newly cover."""
        best: dict[str, float] = {}
        covered = self._covered
        for index, count in pieces:
            for facts in self._sentences[index].facts[:count]:
                for fact, weight in facts.items():
                    if weight > covered.get(fact, 0.0) and weight > best.get(fact, 0.0):
                        best[fact] = weight
        return sum(weight - covered.get(fact, 0.0) for fact, weight in best.items())

    def cost(self, pieces: Sequence[_Piece]) -> int:
        """Return the words that the pieces would add, including labels."""
        words = 0
        for index, count in pieces:
            words += sum(self._sentences[index].sizes[self.counts.get(index, 0) : count])
        new, order = [index for index, _ in pieces if index not in self.counts], self._order
        for index in new:
            words += self._label_words_added(order, index)
            if index != new[-1]:
                order = sorted([*order, index])
        return words

    def add(self, pieces: Sequence[_Piece]) -> None:
        self.words += self.cost(pieces)
        self.value += self.gain(pieces)
        for index, count in pieces:
            if index not in self.counts:
                insort(self._order, index)
            self.counts[index] = count
            for facts in self._sentences[index].facts[:count]:
                for fact, weight in facts.items():
                    if weight > self._covered.get(fact, 0.0):
                        self._covered[fact] = weight

    def _density(self, pieces: Sequence[_Piece]) -> float:
        costs, penalty = self._costs, 0.0
        for index, count in pieces:
            if index not in self.counts:
                penalty += costs.sentence
            if count < len(self._sentences[index].sizes):
                penalty += costs.cut
        return self.gain(pieces) / max(1.0, self.cost(pieces) + penalty)

    def _label_words_added(self, order: Sequence[int], index: int) -> int:
        """Return the words of labels that one more sentence adds to those in ``order``."""
        place = bisect_left(order, index)
        before = self._sentences[order[place - 1]] if place else None
        sentence = self._sentences[index]
        if place == len(order):
            return _label_size(before, sentence)
        after = self._sentences[order[place]]
        return (
            _label_size(before, sentence)
            + _label_size(sentence, after)
            - _label_size(before, after)
        )


def _label_size(before: ScoredSentence | None, sentence: ScoredSentence) -> int:
    """Return the words of a sentence's label, if it differs from the one before."""
    if sentence.day is not None and (before is None or before.day != sentence.day):
        return 1 + sentence.label
    if before is None or before.turn != sentence.turn:
        return sentence.label
    return 0
