"""Find what is negated: the scope of the negations among the entities of a sentence.

A negation reaches from its word over one entity, and over those coordinated with it ("without
onions and olives"). Punctuation, words of contrast ("but") and other cues ("with", "add") end it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from anaphora.core.utterance import Entity, Utterance
from anaphora.entities.cues.clauses import COMMAS, is_boundary
from anaphora.entities.cues.cue import Cue
from anaphora.entities.cues.cue_words import PhraseMatch, load_cue_words

__all__ = ["find_negated"]

_MAX_WORDS = 4  # between a negation and what it negates
_GAP_KINDS = ("contrast", "joiner", "small", "filler", "word")
_PRECEDENCE = _GAP_KINDS.index
_NO_BARRIERS = frozenset({"filler", "reference", "ordinal", "comparison"})


def find_negated(
    entities: Sequence[Entity], utterance: Utterance, cues: Sequence[Cue]
) -> frozenset[int]:
    """Return the indexes of the negated entities. ``entities`` are those of one variant, in the
    order of the sentence; ``cues`` are those of the utterance."""
    negations = [cue for cue in cues if cue.kind == "negate" or cue.value == "of"]
    if not negations or not entities:
        return frozenset()
    scopes = _Scopes(entities, utterance, cues)
    return frozenset(index for cue in negations for index in scopes.find(cue))


class _Gap(NamedTuple):
    """What stands between two parts of a sentence."""

    is_open: bool  # nothing in it ends a scope
    commas: int
    joiners: int
    small: int  # articles, prepositions and the like
    words: int  # others


class _Scopes:
    """Finds the entities that each negation of a sentence negates."""

    def __init__(
        self, entities: Sequence[Entity], utterance: Utterance, cues: Sequence[Cue]
    ) -> None:
        self._entities = entities
        self._tokens = utterance.tokens
        self._atoms, self._matches = load_cue_words(utterance.language).read(utterance.text)
        self._barriers = [
            self._span(cue.tokens)
            for cue in cues
            if cue.kind not in _NO_BARRIERS and cue.value != "maybe"
        ]

    def find(self, cue: Cue) -> list[int]:
        tokens = cue.tokens
        if tokens[-1] - tokens[0] >= len(tokens):  # in two parts, around what it negates
            return [
                index
                for index, entity in enumerate(self._entities)
                if entity.tokens and tokens[0] < entity.tokens[0] <= tokens[-1]
            ]
        start, end = self._span(tokens)
        sides = self._sides(cue, start, end)
        if "behind" in sides:
            return self._spread_back(start)
        found = self._spread(end, is_noun="noun" in sides, is_single=cue.kind == "instead")
        return found or (self._spread_back(start) if "either" in sides else [])

    def _sides(self, cue: Cue, start: int, end: int) -> set[str]:
        """Where the words of the cue stand beside what they negate, as the table has it."""
        inside = [
            match
            for match in self._matches
            if match.reading.kind == cue.kind
            and start <= self._offsets(match)[0]
            and self._offsets(match)[1] <= end
        ]
        length = max((match.last - match.first for match in inside), default=0)
        return {match.reading.side for match in inside if match.last - match.first == length}

    def _spread(self, at: int, *, is_noun: bool, is_single: bool) -> list[int]:
        """The entities behind the negation that ends at the offset ``at``."""
        ahead = [index for index, one in enumerate(self._entities) if one.start >= at]
        if not ahead or not _is_near(self._gap(at, self._entities[ahead[0]].start)):
            return []
        found = ahead[:1]
        for position, index in enumerate(ahead[1:], 1):
            last, entity = self._entities[found[-1]], self._entities[index]
            gap = self._gap(last.end, entity.start)
            if is_noun and not any(gap[1:]) and gap.is_open:
                found.append(index)  # "no red onions"
            elif (
                not is_single
                and self._is_coordination(last, entity, gap)
                and (gap.joiners or self._closes_list(ahead[position:]))
            ):
                found.append(index)
            else:
                break
        return found

    def _spread_back(self, at: int) -> list[int]:
        """The entities before the negation that starts at the offset ``at``."""
        before = [index for index, one in enumerate(self._entities) if one.end <= at]
        if not before or not _is_near(self._gap(self._entities[before[-1]].end, at)):
            return []
        found = [before[-1]]
        has_joiner = False
        for index in reversed(before[:-1]):
            entity, last = self._entities[index], self._entities[found[-1]]
            gap = self._gap(entity.end, last.start)
            has_joiner |= gap.joiners > 0
            if not has_joiner or not self._is_coordination(entity, last, gap):
                break
            found.append(index)
        return found

    def _closes_list(self, ahead: Sequence[int]) -> bool:
        """Whether a list that goes on behind a comma has a conjunction before its last part."""
        for index, behind in pairwise(ahead):
            last, entity = self._entities[index], self._entities[behind]
            gap = self._gap(last.end, entity.start)
            if not self._is_coordination(last, entity, gap):
                return False
            if gap.joiners:
                return True
        return False

    def _is_coordination(self, first: Entity, second: Entity, gap: _Gap) -> bool:
        """Whether two entities of one group are parts of a list."""
        return (
            gap.is_open
            and not gap.words
            and bool(gap.joiners or gap.commas)
            and (first.element == second.element or not first.groups.isdisjoint(second.groups))
        )

    def _gap(self, start: int, end: int) -> _Gap:
        """What stands between two offsets."""
        if any(start <= first < end for first, _ in self._barriers):
            return _Gap(False, 0, 0, 0, 0)
        kinds: dict[int, str] = {}
        inside = range(start, end)
        for match in self._matches:
            first, last = self._offsets(match)
            if match.reading.kind in _GAP_KINDS and first in inside and last <= end:
                for at in range(match.first, match.last):
                    kinds[at] = min(kinds.get(at, "word"), match.reading.kind, key=_PRECEDENCE)
        counts = {"joiner": 0, "small": 0, "word": 0, "comma": 0, "filler": 0}
        for at, atom in enumerate(self._atoms):
            if atom.start not in inside:
                continue
            kind = kinds.get(at, "word")
            if is_boundary(self._atoms, at):
                if atom.text not in COMMAS:
                    return _Gap(False, 0, 0, 0, 0)
                kind = "comma"
            elif kind == "contrast":
                return _Gap(False, 0, 0, 0, 0)
            counts[kind] += 1
        return _Gap(True, counts["comma"], counts["joiner"], counts["small"], counts["word"])

    def _offsets(self, match: PhraseMatch) -> tuple[int, int]:
        return self._atoms[match.first].start, self._atoms[match.last - 1].end

    def _span(self, tokens: Sequence[int]) -> tuple[int, int]:
        """The offsets of tokens."""
        return self._tokens[tokens[0]].start, self._tokens[tokens[-1]].end


def _is_near(gap: _Gap) -> bool:
    return gap.is_open and not gap.commas and not gap.joiners and gap.words <= _MAX_WORDS
