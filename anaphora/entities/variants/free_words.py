"""Free words: those that no entity covers, as entities that terms may take.

NLPCraft 0.9 offers them to the terms of intents as tokens of the element ``nlpcraft:nlp``. They are
neither remembered nor do they replace anything in the memory. A sign between blanks is one of them:
the plus of "2 + 2".
"""

from __future__ import annotations

from collections.abc import Sequence

from anaphora.core.utterance import Entity, Token, Utterance, Variant

__all__ = ["find_free_words", "is_free_word", "is_sign", "merge_free_words"]

_ELEMENT = "nlpcraft:nlp"
_GROUPS = frozenset({_ELEMENT})
_SIGNS = frozenset("+-*/=<>%^")


def find_free_words(utterance: Utterance, variant: Variant) -> tuple[Entity, ...]:
    """The words and signs, without stop words, that no entity of the variant covers, nor a reset
    phrase."""
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
        if token.index not in covered and (token.is_content_word or _stands_alone(token, utterance))
    )


def is_sign(text: str) -> bool:
    """Whether the text of a free word is a sign."""
    return text in _SIGNS


def _stands_alone(token: Token, utterance: Utterance) -> bool:
    """Whether it is a sign between blanks. A minus needs a digit beside it; others are dashes."""
    if not is_sign(token.text):
        return False
    at = token.index
    before, after = utterance.tokens[max(at - 1, 0) : at], utterance.tokens[at + 1 : at + 2]
    edges = (*(one.end for one in before), *(one.start for one in after))
    if token.start in edges or token.end in edges:
        return False
    return token.text != "-" or any(one.text[:1].isdigit() for one in (*before, *after))


def merge_free_words(entities: Sequence[Entity], free: Sequence[Entity]) -> tuple[Entity, ...]:
    """Entities and free words in the order of the sentence."""
    return tuple(sorted((*entities, *free), key=lambda one: one.tokens[:1]))


def is_free_word(entity: Entity) -> bool:
    """Whether the entity is a free word."""
    return entity.element == _ELEMENT
