"""A cue: a word or a phrase by what it does in a dialog."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

__all__ = ["Cue", "CueKind"]

CueKind: TypeAlias = Literal[
    "accept", "decline", "other", "correct", "negate", "instead", "add", "only", "reference",
    "ordinal", "comparison", "factor", "indifferent", "cancel", "social", "filler",
]  # fmt: skip


class Cue(Struct, frozen=True, gc=False):
    """A cue in an utterance; ``tokens`` are the indexes of its tokens.

    ``value`` is, by kind:

    - negate: "remove" if it asks to take something away, else "";
    - correct: "set" if it says what a thing is to be ("make it"), "" if it takes back what was said
      ("I meant");
    - instead: "of" before what is replaced ("instead of"), else "";
    - add: "maybe" if it only opens a sentence ("and in Kyoto?"), "with" if it joins what belongs to
      one thing ("with olives"), else "";
    - reference: "thing", "place", "time", "person" or "same";
    - ordinal: "one" if such a word follows ("the second one"), else "";
    - comparison: a scale and a direction, such as "price:less";
    - factor: "length" if it multiplies a length of time ("twice as long"), "count" if it multiplies
      anything else ("twice as many"), "" if it says neither;
    - social: "thanks", "greeting", "farewell" or "wellbeing".

    ``number`` of an ordinal is 1, 2, … or, from the end, -1, -2; that of a superlative is 1, and so
    is that of a definite comparative (the cheaper one). That of a factor is 2 for twice as much, -2
    for half of it, -3 for a third.
    """

    kind: CueKind
    tokens: tuple[int, ...]
    value: str = ""
    number: int = 0
