"""Find what is negated: the scope of the negations among the entities of a sentence.

A negation reaches from its word over one entity, and over those coordinated with it ("without
onions and olives"). Punctuation, words of contrast ("but") and other cues ("with", "add") end it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from anaphora.core.utterance import Entity, Utterance
from anaphora.entities.builtin.boolean import parse_yes_no
from anaphora.entities.cues.clauses import COMMAS, is_boundary
from anaphora.entities.cues.cue import Cue
from anaphora.entities.cues.cue_words import PhraseMatch, load_cue_phrases, load_cue_words

__all__ = ["find_negated", "has_negation", "is_no", "stands_behind"]

# What an atom between two parts of a sentence is; of several the first counts.
_CLASSES = ("barrier", "contrast", "joiner", "small", "filler", "word")
_PRECEDENCE = _CLASSES.index
_MAX_WORDS = 4  # between a negation and what it negates
_NO_BARRIERS = frozenset({"filler", "reference", "ordinal", "comparison"})

_Gap: TypeAlias = Counter[str]
"""How many atoms of each class stand between two parts of a sentence."""


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


def has_negation(cue: Cue, utterance: Utterance) -> bool:
    """Whether a negation is among the words of a cue."""
    words = " ".join([utterance.tokens[index].text for index in cue.tokens])
    return bool(_find_sides(words, utterance.language))


def is_no(negation: Cue, utterance: Utterance) -> bool:
    """Whether a negation is the word that is also an answer: "no", but not "not"."""
    words = " ".join([utterance.tokens[index].text for index in negation.tokens])
    is_answer = parse_yes_no(words, utterance.language) is False
    return is_answer and _find_sides(words, utterance.language) == {"noun"}


def stands_behind(negation: Cue, utterance: Utterance) -> bool:
    """Whether a negation stands behind what it negates: "doesn't work", but not "not"."""
    words = utterance.tokens[negation.tokens[0]], utterance.tokens[negation.tokens[-1]]
    text = utterance.text[words[0].start : words[1].end]
    return _find_sides(text, utterance.language) == {"behind"}


def _find_sides(text: str, language: str) -> set[str]:
    """Where the longest negations of a text stand beside what they negate."""
    _, matches = load_cue_words(language).read(text)
    found = [one for one in matches if one.reading.kind == "negate"]
    longest = max((one.last - one.first for one in found), default=0)
    return {one.reading.side for one in found if one.last - one.first == longest}


class _Scopes:
    """Finds the entities that each negation of a sentence negates."""

    def __init__(
        self, entities: Sequence[Entity], utterance: Utterance, cues: Sequence[Cue]
    ) -> None:
        self._entities = entities
        self._tokens = utterance.tokens
        self._atoms, matches = load_cue_words(utterance.language).read(utterance.text)
        self._starts = [atom.start for atom in self._atoms]
        self._joined = load_cue_phrases(utterance.language).prefixes
        self._negations = [match for match in matches if match.reading.side]
        self._classes = self._classify(matches, cues)

    def find(self, cue: Cue) -> list[int]:
        tokens = cue.tokens
        start, end = self._tokens[tokens[0]].start, self._tokens[tokens[-1]].end
        if tokens[-1] - tokens[0] >= len(tokens):
            return self._enclosed(start, end, is_replaced=cue.kind == "instead")
        sides = self._sides(cue, start, end)
        if "behind" in sides:
            return self._spread_back(start)
        found = self._spread(start, end, is_noun="noun" in sides)
        if cue.kind == "instead":
            return found[:1]
        may_stand_behind = "either" in sides or ("before" in sides and self._ends_clause(end))
        return found or (self._spread_back(start) if may_stand_behind else [])

    def _enclosed(self, start: int, end: int, *, is_replaced: bool) -> list[int]:
        """The entities in a negation in two parts ("take … off"); of what is replaced ("change …
        to") only those of a group of the replacement."""
        first = bisect_left(self._entities, start, key=lambda entity: entity.start)
        last = bisect_left(self._entities, end, key=lambda entity: entity.start)
        found = list(range(first, last))
        if not is_replaced:
            return found
        return [i for i in found if _are_alike(self._entities[i], *self._entities[last : last + 1])]

    def _spread(self, start: int, end: int, *, is_noun: bool) -> list[int]:
        """The entities behind the negation between two offsets, or begun by its last word ("not to
        Hull"). A list that goes on behind a comma counts only if a conjunction closes it."""
        first = bisect_right(self._entities, start, key=lambda entity: entity.start)
        if first == len(self._entities) or not self._is_near(end, self._entities[first].start):
            return []
        behind = first + 1
        for index in range(first + 1, len(self._entities)):
            gap = self._gap_before(index)
            if gap["joiner"] and self._is_coordination(index, gap):
                behind = index + 1
            elif (is_noun or _is_number(self._entities[first])) and behind == index and not gap:
                behind = index + 1  # "no red onions", "remove one box"
            elif _has_no_value(self._entities[first]) and behind == index and _is_open(gap):
                behind = index + 1  # "don't book a manicure"
            elif not self._is_coordination(index, gap) and (gap or not is_noun):
                break
        return list(range(first, behind))

    def _spread_back(self, at: int) -> list[int]:
        """The entities before the negation that starts at the offset ``at``."""
        last = bisect_right(self._entities, at, key=lambda entity: entity.end) - 1
        if last < 0 or not self._is_near(self._entities[last].end, at):
            return []
        first = last
        while first > 0:
            gap = self._gap_before(first)
            is_listed = gap["joiner"] or first < last
            if not is_listed or not self._is_coordination(first, gap):
                break
            first -= 1
        return list(range(first, last + 1))

    def _is_coordination(self, index: int, gap: _Gap) -> bool:
        """Whether an entity goes on with a list that has the one before it, behind a gap."""
        first, second = self._entities[index - 1 : index + 1]
        return bool(gap) and (
            not gap.keys() & {"barrier", "contrast", "filler", "word"}
            and bool(gap["joiner"] or gap["comma"])
            and _are_alike(first, second)
        )

    def _is_near(self, start: int, end: int) -> bool:
        """Whether a negation reaches from one offset to the other."""
        gap = self._gap(start, end)
        return _is_open(gap) and gap["word"] <= _MAX_WORDS

    def _gap_before(self, index: int) -> _Gap:
        """What stands between an entity and the one before it; also a conjunction that is written
        as one with the entity."""
        start = self._entities[index].start
        gap = self._gap(self._entities[index - 1].end, start)
        first = self._atoms[max(bisect_right(self._starts, start) - 1, 0)]
        gap["joiner"] += first.text.startswith(self._joined)
        return +gap

    def _gap(self, start: int, end: int) -> _Gap:
        """What stands between two offsets."""
        first, last = bisect_left(self._starts, start), bisect_left(self._starts, end)
        return Counter(self._classes[first:last])

    def _ends_clause(self, offset: int) -> bool:
        """Whether a clause ends at the offset."""
        at = bisect_left(self._starts, offset)
        return at == len(self._atoms) or is_boundary(self._atoms, at)

    def _sides(self, cue: Cue, start: int, end: int) -> set[str]:
        """Where the words of the cue stand beside what they negate, as the table has it."""
        first, last = bisect_left(self._starts, start), bisect_left(self._starts, end)
        inside = [
            match
            for match in self._negations
            if match.reading.kind == cue.kind and first <= match.first and match.last <= last
        ]
        length = max((match.last - match.first for match in inside), default=0)
        return {match.reading.side for match in inside if match.last - match.first == length}

    def _classify(self, matches: Iterable[PhraseMatch], cues: Iterable[Cue]) -> list[str]:
        """The class of each atom. Commas around politeness do not count ("remove, please, the
        onions")."""
        classes = ["word"] * len(self._atoms)
        for match in matches:
            kind = match.reading.kind
            if kind in _CLASSES:
                for at in range(match.first, match.last):
                    classes[at] = min(classes[at], kind, key=_PRECEDENCE)
        negated = {match.last for match in self._negations}
        for cue in cues:
            if cue.kind not in _NO_BARRIERS and cue.value != "maybe":
                at = bisect_left(self._starts, self._tokens[cue.tokens[0]].start)
                if cue.value == "with" and at in negated:
                    classes[at] = "small"  # "not with Anna"
                elif classes[at] != "joiner":
                    classes[at] = "barrier"
        polite = [kind == "filler" for kind in (*classes, "", "")]
        for at, atom in enumerate(self._atoms):
            if is_boundary(self._atoms, at):
                is_comma = atom.text in COMMAS
                is_polite = polite[at - 1] or polite[at + 1]
                classes[at] = "barrier" if not is_comma else "filler" if is_polite else "comma"
        return classes


def _is_open(gap: _Gap) -> bool:
    """Whether nothing in the gap ends a negation."""
    return not gap.keys() & {"barrier", "contrast", "joiner", "comma"}


def _has_no_value(entity: Entity) -> bool:
    return entity.value is None and not entity.parts


def _is_number(entity: Entity) -> bool:
    return not entity.is_from_phrase and isinstance(entity.meta.get("value"), int | float)


def _are_alike(first: Entity, *others: Entity) -> bool:
    """Whether an entity has the element or a group of any other."""
    return any(
        first.element == other.element or not first.groups.isdisjoint(other.groups)
        for other in others
    )
