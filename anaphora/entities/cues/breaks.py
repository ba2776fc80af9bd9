"""Find where a sentence breaks off without a comma: German *um 10 nein um 11*."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from anaphora.core.utterance import Entity, Utterance
from anaphora.entities.builtin.atoms import Atom
from anaphora.entities.builtin.numbers.numerals.numeral_reader import get_numeral_reader
from anaphora.entities.cues.clauses import EDGE_KINDS
from anaphora.entities.cues.cue_words import PhraseMatch

__all__ = ["begins_number", "find_breaks"]

_BREAKS = frozenset({"decline", "correct"})
_SMALL = frozenset({"small"})
_MOST_ATOMS = 4  # of a number in words


def find_breaks(
    utterance: Utterance, atoms: Sequence[Atom], by_start: Mapping[int, Sequence[PhraseMatch]]
) -> Iterator[tuple[int, int]]:
    """The spans of atoms between a value and another one that corrects it, in which a "no" or an
    apology stands, maybe with courtesies and fillers. ``by_start`` are the phrases of the text by
    their first atoms. A word that also negates what follows breaks nothing off (Spanish *no*); one
    that negates nouns does before an article or a preposition ("the kitchen no the hall")."""
    if not any(
        start and one.reading.kind in _BREAKS for start in by_start for one in by_start[start]
    ):
        return
    by_first: dict[int, list[Entity]] = defaultdict(list)
    by_end: dict[int, list[Entity]] = defaultdict(list)
    for one in utterance.entities:
        if one.value is not None:
            by_first[one.start].append(one)
            by_end[one.end].append(one)
    for start in sorted(by_start):
        before = by_end.get(atoms[start - 1].end) if start else None
        if before and (found := _find_end(start, by_start)):
            end, may_negate_noun = found
            behind = end
            while passed := _ends(behind, by_start, _SMALL):
                behind = max(passed)
            if may_negate_noun and behind == end:
                continue  # with ham no onions
            offsets = (atom.start for atom in atoms[end : behind + 1])
            after = [one for offset in offsets for one in by_first.get(offset, ())]
            is_number = not all(one.is_from_phrase for one in before) and begins_number(
                atoms[behind : behind + _MOST_ATOMS], utterance.language
            )
            if is_number or any(_are_alike(old, new) for old in before for new in after):
                yield start, end


def _find_end(start: int, by_start: Mapping[int, Sequence[PhraseMatch]]) -> tuple[int, bool] | None:
    """The end of a run of answers, courtesies and fillers with one that breaks off, and whether
    that may negate a noun behind it instead; None without one."""
    at, breaks_off, may_negate_noun = start, False, False
    while ends := _ends(at, by_start, EDGE_KINDS):
        end = max(ends)
        readings = [one.reading for one in by_start[at] if one.last == end]
        if any(one.kind in _BREAKS for one in readings):
            sides = {one.side for one in readings if one.kind == "negate"}
            breaks_off |= sides <= {"noun"}
            may_negate_noun |= sides == {"noun"}
        at = end
    return (at, may_negate_noun) if breaks_off else None


def _ends(
    at: int, by_start: Mapping[int, Sequence[PhraseMatch]], kinds: frozenset[str]
) -> list[int]:
    return [one.last for one in by_start.get(at, ()) if one.reading.kind in kinds]


def _are_alike(old: Entity, new: Entity) -> bool:
    """Whether a value is like another one."""
    return old.element == new.element or not old.groups.isdisjoint(new.groups)


def begins_number(atoms: Sequence[Atom], language: str) -> bool:
    """Whether some atoms begin with a number, which may be a part of a value."""
    if atoms and atoms[0].kind == "digits":
        return True
    return any(one.start == 0 for one in get_numeral_reader(language).find_in_words(atoms))
