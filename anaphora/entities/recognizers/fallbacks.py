"""Select fallback mentions, which count only if nothing else explains their words (a bare number as
an amount of money)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

from anaphora.core.utterance import Entity
from anaphora.entities.words.lexicon import Word

__all__ = ["find_divided", "select_fallbacks"]


def select_fallbacks(
    fallbacks: Iterable[Entity],
    entities: Sequence[Entity],
    words: Sequence[Word],
    *,
    void: AbstractSet[int] = frozenset(),
) -> list[Entity]:
    """Return the fallbacks that the certain ``entities`` of the sentence and its ``words`` do not
    rule out.

    A fallback is ruled out by a certain entity of its element; by one that has some of its words
    and others beside them (the 5 of "May 5"); and by an unknown word right behind it, which is what
    the number counts ("two tickets"), unless the place is ``void`` (February 30). One that divides
    an entity (:func:`find_divided`) stands for it.
    """
    certain = {entity.element for entity in entities}
    covered = {token for entity in entities for token in entity.tokens} | void
    kept = []
    for one in fallbacks:
        own, behind = set(one.tokens), one.tokens[-1] + 1
        if find_divided([one], entities):
            kept.append(one)
            continue
        if one.element in certain or any(
            not own.isdisjoint(entity.tokens) and not own.issuperset(entity.tokens)
            for entity in entities
        ):
            continue
        if behind < len(words) and words[behind].is_content_word and behind not in covered:
            continue
        kept.append(one)
    return kept


def find_divided(fallbacks: Iterable[Entity], entities: Sequence[Entity]) -> list[Entity]:
    """Return the ``entities`` that are each a fallback of their element and an entity of another
    one: "from Friday for three days" is also a date and a duration."""
    own = [(one.element, frozenset(one.tokens)) for one in fallbacks]
    return [
        entity
        for entity in entities
        for element, tokens in own
        if entity.element == element
        and tokens < {*entity.tokens}
        and any(
            other.element != element
            and tokens.isdisjoint(other.tokens)
            and {*other.tokens} < {*entity.tokens}
            and not other.is_from_phrase
            for other in entities
        )
    ]
