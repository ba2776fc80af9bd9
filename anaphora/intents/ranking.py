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
    required = [match for match in filling.terms if match.term.min > 0]
    # By place: by name takes half as long again.
    return Rank(
        filling.variant.uncovered,
        len(memory) - len(taken),  # sentence
        -len(required),
        -len(taken),  # used
        sum([candidate.ago for candidate in memory]) if memory else 0,  # distance
        len(memory),
        filling.variant.rank,
        filling.order,
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
