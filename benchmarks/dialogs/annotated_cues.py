"""Cues from the annotation of a turn instead of its words: what a reader who misses nothing
finds."""

from __future__ import annotations

from anaphora.core.utterance import Utterance
from anaphora.entities.cues.cue import Cue, CueKind
from anaphora.intents.interpretation.interpreter import Interpreter
from benchmarks.dialogs.annotations import current_acts

__all__ = ["AnnotatedInterpreter"]

_CUES: dict[str, tuple[CueKind, str]] = {
    "AFFIRM": ("accept", ""),
    "AFFIRM_INTENT": ("accept", ""),
    "SELECT": ("accept", ""),
    "NEGATE": ("decline", ""),
    "NEGATE_INTENT": ("decline", ""),
    "REQUEST_ALTS": ("other", ""),
    "THANK_YOU": ("social", "thanks"),
    "GOODBYE": ("social", "farewell"),
}


class AnnotatedInterpreter(Interpreter):
    """Finds the cues that the annotation of the present turn names; they share the words that
    belong to no entity."""

    def read_cues(self, utterance: Utterance) -> tuple[Cue, ...]:
        covered = {index for entity in utterance.entities for index in entity.tokens}
        free = [token.index for token in utterance.tokens if token.index not in covered]
        acts = sorted(current_acts() & _CUES.keys())
        return tuple(
            Cue(_CUES[act][0], tuple(free[number :: len(acts)]), _CUES[act][1])
            for number, act in enumerate(acts)
        )
