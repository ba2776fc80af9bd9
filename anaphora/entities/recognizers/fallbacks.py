"""Select fallback mentions, which count only if nothing else explains their words (a bare number as
an amount of money)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from anaphora.core.utterance import Entity
from anaphora.entities.words.lexicon import Word

__all__ = ["find_divided", "find_doubted", "select_fallbacks"]

_DAY_MONTH = re.compile(r"\D*\d{1,2}[./]\d{1,2}\.?")


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
    by_token = _index_by_token(entities)
    covered = by_token.keys() | void
    fallbacks = list(fallbacks)
    parts = _index_by_token([*entities, *fallbacks])
    kept = []
    for one in fallbacks:
        own, behind = set(one.tokens), one.tokens[-1] + 1
        near = [entity for token in one.tokens for entity in by_token.get(token, ())]
        if any(_divides(one, entity, parts) for entity in near):
            kept.append(one)
            continue
        if one.element in certain or not all(own.issuperset(entity.tokens) for entity in near):
            continue
        if behind < len(words) and words[behind].is_content_word and behind not in covered:
            continue
        kept.append(one)
    return kept


def find_doubted(fallbacks: Iterable[Entity], entities: Iterable[Entity]) -> list[Entity]:
    """Return the ``entities`` that are a day and a month as well: (not) 12/25 is hardly a
    number."""
    short = [one for one in entities if _DAY_MONTH.fullmatch(one.text)]
    if not short:
        return []
    dates = {one.tokens[-1] for one in (*fallbacks, *short) if "grain" in one.meta}
    return [one for one in short if one.tokens[-1] in dates and "grain" not in one.meta]


def find_divided(fallbacks: Sequence[Entity], entities: Sequence[Entity]) -> list[Entity]:
    """Return the ``entities`` that are each a fallback of their element and an entity of another
    one, or a second fallback: "from Friday for three days" is also a date and a duration."""
    by_token = _index_by_token(entities)
    parts = _index_by_token([*entities, *fallbacks])
    divided = {
        id(entity)
        for one in fallbacks
        for token in one.tokens
        for entity in by_token.get(token, ())
        if _divides(one, entity, parts)
    }
    return [entity for entity in entities if id(entity) in divided]


def _divides(fallback: Entity, whole: Entity, by_token: Mapping[int, Sequence[Entity]]) -> bool:
    """Whether an entity is the fallback of its element and something else beside it."""
    own, tokens = {*fallback.tokens}, {*whole.tokens}
    return (
        whole.element == fallback.element
        and own < tokens
        and any(
            own.isdisjoint(other.tokens) and {*other.tokens} < tokens and not other.is_from_phrase
            for token in tokens - own
            for other in by_token.get(token, ())
        )
    )


def _index_by_token(entities: Iterable[Entity]) -> dict[int, list[Entity]]:
    found: dict[int, list[Entity]] = {}
    for entity in entities:
        for token in entity.tokens:
            found.setdefault(token, []).append(entity)
    return found
