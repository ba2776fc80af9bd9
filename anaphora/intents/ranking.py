"""Rank matches and explain the ranking: the reading first, then the intent (the steps of
docs/how-it-works.md)."""

from __future__ import annotations

from collections.abc import Iterable

from anaphora.intents.match import ContentWords, Match, Rank, ReadingRank, SlotFilling

__all__ = ["explain_precedence", "rank_coverage", "rank_match", "rank_reading"]

_READING_STEPS = {
    "qualifiers": "it leaves fewer negating or restricting words unused",
    "uncovered": "it leaves fewer content words unused",
    "covered": "it covers more words of the sentence",
    "pieces": "it reads the sentence in fewer and longer pieces",
    "lengths": "it reads the sentence in longer pieces",
    "gaps": "it reads words that stand together",
    "misspelt": "it treats fewer words as misspelt",
    "stemmed": "it finds fewer words by their stems or heads alone",
    "inexact": "it reads more words as they are spelled",
    "builtin": "it uses fewer built-in entities",
    "partial": "in this reading the sentence is complete by itself",
    "required": "in this reading the sentence fills more required terms by itself",
    "variant": "it reads the sentence in longer pieces",
    "order": "in this reading the sentence is complete for an earlier intent of the model",
    "place": "its entities come earlier in the model",
}
_MATCH_STEPS = {
    "qualifiers": "it leaves fewer negating or restricting words unused",
    "sentence": "it uses more entities of the sentence",
    "required": "it fills more required terms",
    "used": "it uses more entities in all",
    "distance": "it takes more recent entities from memory",
    "memory": "it takes fewer entities from memory",
    "variant": "it reads the sentence in longer pieces",
    "order": "it comes earlier in the model",
}
# The numbers of these steps would mean nothing to a reader.
_STEPS_WITHOUT_FIGURES = ("lengths", "gaps", "partial", "order", "place")
ONLY_READING = ReadingRank()


def rank_match(
    filling: SlotFilling, words: ContentWords, reading: ReadingRank = ONLY_READING
) -> Rank:
    """Rank an intent that matches; the smallest rank wins."""
    taken = filling.taken
    memory = [one for one in taken if one.pending or one.remembered is not None]
    required = [match for match in filling.terms if match.term.min > 0]
    # Positional arguments: keywords would take 50 % longer.
    return Rank(
        reading,
        _count_uncovered_qualifiers(filling, words) if words.qualifiers else 0,
        len(memory) - len(taken),  # sentence
        -len(required),
        -len(taken),  # used
        sum([candidate.questions_ago for candidate in memory]) if memory else 0,  # distance
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
    if not filling.is_complete:
        return coverage._replace(partial=True, variant=variant, place=place)
    required = sum(match.term.min > 0 for match in filling.terms)
    return coverage._replace(
        required=-required, variant=variant, order=filling.intent_index, place=place
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


def explain_precedence(winner: Match, other: Match) -> str:
    """Describe the first ranking step at which ``winner`` is ahead of ``other``, with numbers."""
    ours, theirs = winner.rank, other.rank
    if ours.reading != theirs.reading:
        return _find_deciding_step(_READING_STEPS, ours.reading, theirs.reading)
    return _find_deciding_step(_MATCH_STEPS, ours, theirs)


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
