"""The steps of the ranking ("The ranking" in docs/how-it-works.md): sort keys and explanations.

The order of the fields is the order of the steps; the smallest key wins. Fields of which more is
better are negative.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Rank", "ReadingRank", "explain_precedence", "is_close"]


class ReadingRank(NamedTuple):
    """The sort key of the readings of a sentence.

    The steps from ``pieces`` to ``builtin`` count the entities that the intent takes from the
    sentence.
    """

    uncovered_qualifiers: int = 0
    uncovered: int = 0  # content words
    covered: int = 0  # negative
    pieces: int = 0
    squared_lengths: int = 0  # negative
    gaps: int = 0  # the words between the parts of an entity
    misspelt: int = 0
    stemmed: int = 0
    inexact: int = 0
    builtin: int = 0
    needs_memory: bool = False  # every intent takes a required term from memory
    required_terms: int = 0  # negative
    variant: tuple[int, ...] = ()
    intent_index: int = 0
    place: int = 0  # of the variant


class Rank(NamedTuple):
    """The sort key of matches, by reading and then within the reading."""

    reading: ReadingRank
    uncovered_qualifiers: int
    sentence_entities: int  # negative
    required_terms: int  # negative
    used_entities: int  # negative
    distance: int
    memory_entities: int
    variant: tuple[int, ...]
    intent_index: int


_READING_STEPS = {
    "uncovered_qualifiers": "it leaves fewer negating or restricting words unused",
    "uncovered": "it leaves fewer content words unused",
    "covered": "it covers more words of the sentence",
    "pieces": "it reads the sentence in fewer and longer pieces",
    "squared_lengths": "it reads the sentence in longer pieces",
    "gaps": "it reads words that stand together",
    "misspelt": "it treats fewer words as misspelt",
    "stemmed": "it finds fewer words by their stems or heads alone",
    "inexact": "it reads more words as they are spelled",
    "builtin": "it uses fewer built-in entities",
    "needs_memory": "in this reading the sentence is complete by itself",
    "required_terms": "in this reading the sentence fills more required terms by itself",
    "variant": "it reads the sentence in longer pieces",
    "intent_index": "in this reading the sentence is complete for an earlier intent of the model",
    "place": "its entities come earlier in the model",
}
_MATCH_STEPS = {
    "uncovered_qualifiers": "it leaves fewer negating or restricting words unused",
    "sentence_entities": "it uses more entities of the sentence",
    "required_terms": "it fills more required terms",
    "used_entities": "it uses more entities in all",
    "distance": "it takes more recent entities from memory",
    "memory_entities": "it takes fewer entities from memory",
    "variant": "it reads the sentence in longer pieces",
    "intent_index": "it comes earlier in the model",
}
# The numbers of these steps would mean nothing to a reader.
_STEPS_WITHOUT_FIGURES = ("squared_lengths", "gaps", "needs_memory", "intent_index", "place")


def explain_precedence(winner: Rank, other: Rank) -> str:
    """Describe the first ranking step at which ``winner`` is ahead of ``other``, with numbers."""
    if winner.reading != other.reading:
        return _find_deciding_step(_READING_STEPS, winner.reading, other.reading)
    return _find_deciding_step(_MATCH_STEPS, winner, other)


def is_close(winner: Rank, other: Rank) -> bool:
    """Whether only the last steps tell two matches apart: which memory they use, the order of the
    model, and where the reading comes from."""
    return _leading_steps(winner) == _leading_steps(other)


def _leading_steps(rank: Rank) -> tuple[object, ...]:
    reading = rank.reading._replace(builtin=0, variant=(), intent_index=0, place=0)
    return (reading, *rank[1:5])


def _find_deciding_step(
    steps: dict[str, str], ours: Rank | ReadingRank, theirs: Rank | ReadingRank
) -> str:
    for name, text in steps.items():
        our, their = getattr(ours, name), getattr(theirs, name)
        if our != their:
            if name in _STEPS_WITHOUT_FIGURES or isinstance(our, tuple):
                return text
            return f"{text} ({abs(our)} against {abs(their)})"
    return "they are equal"
