"""Find the positions in a text at which the steps of phrases match."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from anaphora.entities.phrases.stem_candidates import StemCandidate
from anaphora.entities.phrases.trie import SearchedText, Step
from anaphora.entities.words.lexicon import Word
from anaphora.grammar.patterns import Pattern
from anaphora.grammar.synonyms.entity_part import EntityPart

__all__ = ["StepFinder", "StepPositions", "word_key"]

MAX_WORK = 30_000
"""Look-ups of positions in one text (some 0.1 s); further phrases are not found."""


def word_key(word: Word) -> str:
    """Return the key that equal words share."""
    return " ".join(word.parts) if word.parts else word.stem


class StepPositions(Struct, frozen=True, gc=False):
    """The positions of a step, sorted by start, and the numbers of the entities at each."""

    starts: Sequence[int]
    ends: Sequence[int]
    numbers: Sequence[tuple[int, ...]] = ()

    def first_from(self, at: int) -> int:
        return bisect_left(self.starts, at)


_NOWHERE = StepPositions((), ())


class StepFinder:
    """The positions of steps in one text, and the work done to find them. Words also match by those
    candidates that ``is_accepted`` accepts."""

    def __init__(self, text: SearchedText, is_accepted: Callable[[StemCandidate], bool]) -> None:
        self.work = 0
        self.words = text.words
        self._text = text
        self._candidates: dict[tuple[str, int], StemCandidate] = {}
        self._special: dict[Pattern | EntityPart, StepPositions] = {}
        starts: dict[str, list[int]] = {}
        for index, word in enumerate(text.words):
            starts.setdefault(word_key(word), []).append(index)
            for candidate in text.candidates[index] if text.candidates else ():
                if is_accepted(candidate):
                    key = " ".join(candidate.stems)
                    starts.setdefault(key, []).append(index)
                    self._candidates[key, index] = candidate
        self._places = {
            key: StepPositions(indexes, [index + 1 for index in indexes])
            for key, indexes in starts.items()
        }

    @property
    def is_spent(self) -> bool:
        return self.work > MAX_WORK

    def find_candidates(self, steps: Iterable[tuple[Step, int]]) -> list[StemCandidate]:
        """Return the candidates by which words match these steps."""
        if not self._candidates:
            return []
        words = [(word_key(step), index) for step, index in steps if isinstance(step, Word)]
        return [self._candidates[word] for word in words if word in self._candidates]

    def find_positions(self, step: Step) -> StepPositions:
        """Return the positions of a step."""
        if isinstance(step, Word):
            return self._places.get(word_key(step), _NOWHERE)
        if step not in self._special:
            self.work += len(self.words)
            self._special[step] = self._match_special(step)
        return self._special[step]

    def keep_exact(self, step: Step, places: StepPositions) -> StepPositions:
        """Keep the positions at which a step is spelled as in the phrase."""
        if not isinstance(step, Word):
            return places
        self.work += len(places.starts)
        starts = [start for start in places.starts if self.words[start].form == step.form]
        return StepPositions(starts, [start + 1 for start in starts])

    def _match_special(self, step: Pattern | EntityPart) -> StepPositions:
        if isinstance(step, EntityPart):
            found = self._text.parts_in(step)
            return StepPositions(*zip(*found, strict=True)) if found else _NOWHERE
        runs = {
            index: ends[0]
            for index in range(len(self.words))
            if (ends := self._text.pattern_ends(step, index))
        }
        return StepPositions(list(runs), list(runs.values()))

    def shortest(self, step: Step, places: StepPositions) -> StepPositions:
        """Return the positions of a step with the shortest match of a pattern at each start instead
        of the longest."""
        if not isinstance(step, Pattern):
            return places
        ends = [self._text.pattern_ends(step, start)[-1] for start in places.starts]
        return places if ends == places.ends else StepPositions(places.starts, ends)
