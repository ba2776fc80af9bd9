"""Find where a sentence breaks off without a comma: German *um 10 nein um 11*."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from anaphora.core.utterance import Entity, Utterance
from anaphora.entities.builtin.atoms import Atom
from anaphora.entities.cues.clauses import EDGE_KINDS
from anaphora.entities.cues.cue_words import PhraseMatch

__all__ = ["find_breaks"]

_BREAKS = frozenset({"decline", "correct"})


def find_breaks(
    utterance: Utterance, atoms: Sequence[Atom], by_start: Mapping[int, Sequence[PhraseMatch]]
) -> Iterator[tuple[int, int]]:
    """The spans of atoms between a value and another one that corrects it, in which a "no" or an
    apology stands, maybe with courtesies and fillers. ``by_start`` are the phrases of the text by
    their first atoms. A word that also negates what follows breaks nothing off (Spanish *no*)."""
    if not any(
        start and one.reading.kind in _BREAKS for start in by_start for one in by_start[start]
    ):
        return
    values = [one for one in utterance.entities if one.value is not None]
    for start in range(1, len(atoms)):
        before = [one for one in values if one.end == atoms[start - 1].end]
        if before and (end := _find_end(start, by_start)):
            behind = end
            while passed := _ends(behind, by_start, frozenset({"small"})):
                behind = max(passed)
            offsets = {atom.start for atom in atoms[end : behind + 1]}
            after = [one for one in values if one.start in offsets]
            if any(_may_correct(old, new) for old in before for new in after):
                yield start, end


def _find_end(start: int, by_start: Mapping[int, Sequence[PhraseMatch]]) -> int:
    """The end of a run of answers, courtesies and fillers with one that breaks off; else 0."""
    at, breaks_off = start, False
    while ends := _ends(at, by_start, EDGE_KINDS):
        found = [one for one in by_start[at] if one.last == max(ends)]
        kinds = {one.reading.kind for one in found}
        breaks_off |= not kinds.isdisjoint(_BREAKS) and "negate" not in kinds
        at = max(ends)
    return at if breaks_off else 0


def _ends(
    at: int, by_start: Mapping[int, Sequence[PhraseMatch]], kinds: frozenset[str]
) -> list[int]:
    return [one.last for one in by_start.get(at, ()) if one.reading.kind in kinds]


def _may_correct(old: Entity, new: Entity) -> bool:
    """Whether a value is like another one, or a bare number that may be a part of it."""
    is_number = not new.is_from_phrase and isinstance(new.meta.get("value"), int | float)
    return (
        old.element == new.element
        or not old.groups.isdisjoint(new.groups)
        or (is_number and not old.is_from_phrase)
    )
