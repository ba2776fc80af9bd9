"""Which of several matches wins, and why: the key of docs/how-it-works.md, step by step."""

from __future__ import annotations

from anaphora.intents.match import Filling, Match, Rank

__all__ = ["rank", "why_better"]

_STEPS = {
    "uncovered": "it leaves fewer words uncovered",
    "sentence": "it uses more entities of the sentence",
    "required": "it fills more required terms",
    "used": "it uses more entities in all",
    "distance": "what it takes from memory is nearer",
    "memory": "it takes less from memory",
    "variant": "it reads the sentence in longer pieces",
    "order": "it stands earlier in the model",
}


def rank(filling: Filling) -> Rank:
    """The rank of an intent that matches: compared field by field, the smaller one wins."""
    taken = filling.taken
    memory = [one for one in taken if one.pending or one.remembered is not None]
    return Rank(
        uncovered=filling.variant.uncovered,
        sentence=len(memory) - len(taken),
        required=-len([match for match in filling.terms if match.term.min > 0]),
        used=-len(taken),
        distance=sum([candidate.ago for candidate in memory]),
        memory=len(memory),
        variant=filling.variant.rank,
        order=filling.order,
    )


def why_better(winner: Match, other: Match) -> str:
    """The first step at which ``winner`` is ahead of ``other``, in plain words with figures."""
    for name, ours, theirs in zip(Rank._fields, winner.rank, other.rank, strict=True):
        if ours != theirs:
            figures = (
                f" ({abs(ours)} against {abs(theirs)})"
                if isinstance(ours, int) and isinstance(theirs, int) and name != "order"
                else ""
            )
            return _STEPS[name] + figures
    return "they are the same"
