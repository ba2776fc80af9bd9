"""Give an utterance the text that the user wrote, after it was read with other signs."""

from __future__ import annotations

from functools import partial

from msgspec.structs import replace

from anaphora.core.utterance import Entity, LazyTokens, Utterance

__all__ = ["restore_text"]


def restore_text(utterance: Utterance, text: str) -> Utterance:
    """Return the utterance with ``text``, which has the same length as its own, in its tokens and
    entities."""
    tokens = utterance.tokens
    if text == utterance.text or not isinstance(tokens, LazyTokens):
        return utterance
    restore = partial(_restore_entity, utterance, text)
    return replace(
        utterance,
        text=text,
        tokens=tokens.with_text(text),
        entities=tuple(map(restore, utterance.entities)),
        fallback_entities=tuple(map(restore, utterance.fallback_entities)),
    )


def _restore_entity(utterance: Utterance, text: str, entity: Entity) -> Entity:
    if entity.text == utterance.text[entity.start : entity.end]:
        own = text[entity.start : entity.end]
    else:  # there are other words between its own
        tokens = [utterance.tokens[i] for i in entity.tokens]
        own = " ".join([text[token.start : token.end] for token in tokens])
    restore = partial(_restore_entity, utterance, text)
    return replace(entity, text=own, parts=tuple(map(restore, entity.parts)))
