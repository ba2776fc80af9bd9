"""Compare the spelling of phrases with the synonyms of a model."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Indel
from rapidfuzz.process import extract

from anaphora.suggestions.synonyms import Synonym

__all__ = [
    "SpellingMatch",
    "SpellingMatcher",
    "root_similarity",
    "spelling_similarity",
    "strip_accents",
]

_LEAST = 0.7  # similarity: about one letter in four is wrong
_NOTHING = 0.5  # a similarity that is no evidence at all
_OTHER_INITIAL = 0.9  # typing errors rarely affect the first letter
_SHORTEST = 3  # letters; shorter words are similar by chance
_SHORTEST_ROOT = 4  # letters
_MOST_HITS = 50  # synonyms examined for one phrase


@dataclass(frozen=True, slots=True)
class SpellingMatch:
    """A synonym that is similar to a phrase: their similarity, and its strength as evidence, both
    from 0 to 1."""

    synonym: Synonym
    similarity: float
    strength: float
    same_root: bool = False

    def __str__(self) -> str:
        how = "has the root of" if self.same_root else "like"
        return f"{how} '{self.synonym.text}' ({self.similarity:.2f})"


class SpellingMatcher:
    """Finds the synonyms of one language that are similar to a phrase."""

    def __init__(self, synonyms: Sequence[Synonym]) -> None:
        self._synonyms = synonyms
        self._texts = [strip_accents(synonym.form) for synonym in synonyms]
        self._roots: defaultdict[str, list[Synonym]] = defaultdict(list)
        for synonym in synonyms:
            if len(synonym.stems) == 1 and len(synonym.stems[0]) >= _SHORTEST_ROOT:
                self._roots[synonym.stems[0][:_SHORTEST_ROOT]].append(synonym)

    def find_best(self, form: str, stems: tuple[str, ...]) -> Mapping[str, SpellingMatch]:
        """Return for each element the synonym most similar to the phrase, if there is one."""
        best: dict[str, SpellingMatch] = {}
        for match in (*self._iter_similar(strip_accents(form)), *self._iter_same_root(stems)):
            so_far = best.get(match.synonym.element)
            if so_far is None or match.strength > so_far.strength:
                best[match.synonym.element] = match
        return best

    def _iter_similar(self, form: str) -> Iterable[SpellingMatch]:
        if len(form) < _SHORTEST:
            return
        for text, _, index in extract(
            form,
            self._texts,
            scorer=Indel.normalized_similarity,
            score_cutoff=_LEAST,
            limit=_MOST_HITS,
        ):
            similarity = spelling_similarity(form, text)
            if similarity >= _LEAST and len(text) >= _SHORTEST:
                yield SpellingMatch(self._synonyms[index], similarity, _strength(similarity))

    def _iter_same_root(self, stems: tuple[str, ...]) -> Iterable[SpellingMatch]:
        if len(stems) != 1:
            return
        for synonym in self._roots.get(stems[0][:_SHORTEST_ROOT], ()):
            if similarity := root_similarity(stems[0], synonym.stems[0]):
                yield SpellingMatch(synonym, similarity, _strength(similarity), same_root=True)


def spelling_similarity(one: str, other: str) -> float:
    """Return the similarity of two spellings, from 0 to 1: twice the length of their longest
    common subsequence over their total length, reduced if they begin differently."""
    ratio = Indel.normalized_similarity(one, other)
    return ratio if one[:1] == other[:1] else ratio * _OTHER_INITIAL


def root_similarity(one: str, other: str) -> float:
    """Return how much of two stems is a common root, from 0 to 1: the mean share of their common
    prefix. 0 if the prefix is shorter than four letters or than three quarters of the shorter
    stem."""
    shorter, longer = sorted((one, other), key=len)
    common = next(
        (i for i, (a, b) in enumerate(zip(shorter, longer, strict=False)) if a != b), len(shorter)
    )
    if common < _SHORTEST_ROOT or 4 * common < 3 * len(shorter):
        return 0.0
    return (common / len(shorter) + common / len(longer)) / 2


def strip_accents(text: str) -> str:
    """Remove the accents from ``text``, because leaving them out is not a typing error."""
    if text.isascii():
        return text
    parts = unicodedata.normalize("NFKD", text)
    return "".join(char for char in parts if not unicodedata.combining(char))


def _strength(similarity: float) -> float:
    return max(0.0, (similarity - _NOTHING) / (1 - _NOTHING))
