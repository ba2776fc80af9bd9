"""Find the edges of the clauses of a text, by punctuation and phrases."""

from __future__ import annotations

from collections.abc import Sequence

from anaphora.entities.builtin.atoms import Atom
from anaphora.entities.builtin.references.clauses import SENTENCE_MARKS
from anaphora.entities.cues.cue_words import PhraseMatch, Reading

__all__ = ["COMMAS", "EDGE_KINDS", "QUESTION_MARKS", "ClauseEdges", "is_boundary"]

COMMAS = frozenset(",，、،")
QUESTION_MARKS = frozenset("?？؟")
_OPENING_MARKS = frozenset("¿¡\"'«“„「『([-–—")
_INSIDE_WORDS = frozenset("'-‐‑’*#&%$€£/+")
EDGE_KINDS = frozenset(
    {"accept", "decline", "social", "cancel", "filler", "correct", "indifferent"}
)
"""The kinds of phrases that stand at the edges of a clause."""


def is_boundary(atoms: Sequence[Atom], at: int) -> bool:
    """Whether the atom is a punctuation mark between clauses."""
    if atoms[at].kind != "mark" or atoms[at].text in _INSIDE_WORDS:
        return False
    return not (at and atoms[at].glued and at + 1 < len(atoms) and atoms[at + 1].glued) or (
        atoms[at].text in SENTENCE_MARKS | COMMAS and atoms[at - 1].kind == "word"
    )


class ClauseEdges:
    """Whether a clause begins or ends before each atom, and after the last one."""

    def __init__(self, atoms: Sequence[Atom], matches: Sequence[PhraseMatch]) -> None:
        marks = [is_boundary(atoms, at) for at in range(len(atoms))]
        self._atoms = atoms
        self.begins = [True, *marks]
        self.ends = [*marks, True]
        self._opens = [True]
        for atom in atoms:
            begins = atom.text in SENTENCE_MARKS
            self._opens.append(begins or (self._opens[-1] and atom.text in _OPENING_MARKS))
        negated = {match.end for match in matches if match.reading.kind == "negate"}
        for match in sorted(matches, key=lambda match: match.start, reverse=True):
            if match.reading.value == "greeting" and match.start in negated:
                continue  # German "nicht morgen" is no "Morgen!"
            if match.reading.kind in ("contrast", "joiner") or (
                _extends_edge(match.reading) and self.ends[match.end] and not match.reading.opens
            ):
                self.ends[match.start] = True
            if match.reading.kind == "contrast":
                self.begins[match.end] = True

    def allow(self, match: PhraseMatch) -> bool:
        """Whether the phrase stands where its reading requires."""
        match match.reading.position:
            case "anywhere":
                return True
            case "starting" | "edge":
                return self.begins[match.start]
            case "opening":
                return self._opens[match.start]
            case "ending":
                return self.ends[match.end]
            case "alone":
                return self.begins[match.start] and self.ends[match.end]
            case "asked":
                end = match.end
                return end < len(self._atoms) and self._atoms[end].text in QUESTION_MARKS

    def pass_over(self, match: PhraseMatch) -> None:
        """Move the edge before a chosen phrase to its end, if the phrase is one like "yes"."""
        if _extends_edge(match.reading) and self.begins[match.start]:
            self.begins[match.end] = True
            self._opens[match.end] |= self._opens[match.start]
            behind = match.end
            if behind < len(self._atoms) and self._atoms[behind].text in COMMAS:
                self._opens[behind + 1] |= self._opens[behind]


def _extends_edge(reading: Reading) -> bool:
    return reading.kind in EDGE_KINDS
