"""Rank matches: the reading first, then the intent."""

from __future__ import annotations

from collections.abc import Iterable

from anaphora.intents.match import ContentWords, SlotFilling
from anaphora.intents.ranking_steps import Rank, ReadingRank

__all__ = ["rank_coverage", "rank_match", "rank_reading"]

_ONLY_READING = ReadingRank()


def rank_match(
    filling: SlotFilling, words: ContentWords, reading: ReadingRank = _ONLY_READING
) -> Rank:
    """Rank an intent that matches; the smallest rank wins."""
    taken = filling.taken
    memory = [one for one in taken if one.pending or one.remembered is not None]
    required = [one for one in filling.terms if one.term.min > 0]
    # Positional arguments: keywords would take 50 % longer.
    return Rank(
        reading,
        _count_uncovered_qualifiers(filling, words) if words.qualifiers else 0,
        len(memory) - len(taken),  # sentence_entities
        -len(required),
        -len(taken),  # used_entities
        sum([candidate.distance for candidate in memory]) if memory else 0,  # distance
        len(memory),
        filling.variant.rank,
        filling.intent_index,
    )


def _count_uncovered_qualifiers(filling: SlotFilling, words: ContentWords) -> int:
    covered = {index for one in filling.from_sentence for index in one.entity.tokens}
    return len([index for index in words.qualifiers if index not in covered])


def rank_reading(fillings: Iterable[SlotFilling], words: ContentWords, place: int) -> ReadingRank:
    """Rank the reading at index ``place`` by its ``fillings``, at least one; ``words`` are the
    content words of the sentence."""
    return min([_rank_in_reading(filling, words, place) for filling in fillings])


def _rank_in_reading(filling: SlotFilling, words: ContentWords, place: int) -> ReadingRank:
    coverage = rank_coverage(filling, words)
    variant = filling.variant.rank
    if not filling.takes_required_from_sentence:
        return coverage._replace(needs_memory=True, variant=variant, place=place)
    required = sum(one.term.min > 0 for one in filling.terms)
    return coverage._replace(
        required_terms=-required, variant=variant, intent_index=filling.intent_index, place=place
    )


def rank_coverage(filling: SlotFilling, words: ContentWords) -> ReadingRank:
    """Rank how well the entities that an intent takes from the sentence cover it."""
    covered: set[int] = set()
    pieces = squares = gaps = misspelt = stemmed = inexact = builtin = 0
    for one in filling.taken:
        if one.pending or one.remembered is not None:
            continue
        entity = one.entity
        tokens = entity.tokens
        covered.update(tokens)
        pieces += 1
        squares += len(tokens) ** 2
        gaps += entity.gaps
        if not entity.exact:
            inexact += 1
            if marks := entity.marks:
                misspelt += "misspelt" in marks
                stemmed += "stem" in marks or "compound" in marks
        if not entity.is_from_phrase:
            builtin += 1
    # Positional arguments: keywords would take 50 % longer.
    return ReadingRank(
        len([index for index in words.qualifiers if index not in covered]),
        len([index for index in words.content if index not in covered]),
        -len(covered),
        pieces,
        -squares,
        gaps,
        misspelt,
        stemmed,
        inexact,
        builtin,
    )
