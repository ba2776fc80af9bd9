"""Free words: those that no entity covers, as entities that terms may take.

NLPCraft 0.9 offers them to the terms of intents as tokens of the element ``nlpcraft:nlp``. They are
neither remembered nor do they replace anything in the memory.
"""

from __future__ import annotations

from collections.abc import Sequence

from anaphora.core.utterance import Entity, Utterance, Variant

__all__ = ["find_free_words", "is_free_word", "merge_free_words"]

_ELEMENT = "nlpcraft:nlp"
_GROUPS = frozenset({_ELEMENT})


def find_free_words(utterance: Utterance, variant: Variant) -> tuple[Entity, ...]:
    """The words, without stop words, that no entity of the variant covers, nor a reset phrase."""
    covered = {token for one in variant.entities for token in one.tokens}
    covered.update(token for one in utterance.resets for token in one)
    return tuple(
        Entity(
            element=_ELEMENT,
            groups=_GROUPS,
            text=token.text,
            tokens=(token.index,),
            start=token.start,
            end=token.end,
            is_from_phrase=False,
            stem=token.stem,
            lemma=token.lower,
        )
        for token in utterance.tokens
        if token.is_content_word and token.index not in covered
    )


def merge_free_words(entities: Sequence[Entity], free: Sequence[Entity]) -> tuple[Entity, ...]:
    """Entities and free words in the order of the sentence."""
    return tuple(sorted((*entities, *free), key=lambda one: one.tokens[:1]))


def is_free_word(entity: Entity) -> bool:
    """Whether the entity is a free word."""
    return entity.element == _ELEMENT
