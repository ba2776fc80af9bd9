"""Combine what a question says with what is remembered of the same value: "at eight" after "on
Friday" is Friday at eight, and "until the 28th" after "from December 20" is December 28."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

from msgspec.structs import replace

from anaphora.core.utterance import Entity, Utterance
from anaphora.entities.builtin.combination import create_builtin_combiner
from anaphora.entities.recognizers.function_combiner import create_function_combiner
from anaphora.entities.recognizers.recognizer import Combiner
from anaphora.models.domain import ConversationSettings, Element, Model
from anaphora.stm.conversation import Conversation
from anaphora.stm.rules import expire

__all__ = ["CombinedUtterance", "combine_with_memory", "create_combiners"]


class CombinedUtterance(NamedTuple):
    """An utterance with combined entities, and notes on them for the explanation."""

    utterance: Utterance
    notes: tuple[str, ...]


def create_combiners(model: Model) -> Mapping[str, Combiner]:
    """Create the functions that combine entities, by the id of their element.

    Without ``dialog_acts`` only a date without a month or a start is completed."""
    found = ((element.id, _create_combiner(element, model)) for element in model.elements)
    return {id: combiner for id, combiner in found if combiner is not None}


def _create_combiner(element: Element, model: Model) -> Combiner | None:
    if element.combine is not None:
        return create_function_combiner(element.id, element.combine)
    recognition = element.recognition
    if recognition is None or recognition.kind != "built-in":
        return None
    is_full = model.dialog_acts is not None
    return create_builtin_combiner(recognition.name, recognition.options, is_full=is_full)


def combine_with_memory(
    utterance: Utterance,
    conversation: Conversation,
    at: datetime,
    settings: ConversationSettings,
    combiners: Mapping[str, Combiner],
) -> CombinedUtterance | None:
    """Combine the entities of a question with pending and remembered ones that they would replace,
    newest first; None if nothing is combined. ``settings`` determine what has expired.

    Raises :class:`HandlerError` if a user-defined function fails.
    """
    if not conversation.remembered and conversation.pending is None:
        return None
    entities = utterance.fallback_entities or utterance.entities
    new = [entity for entity in entities if entity.element in combiners]
    if not new:
        return None
    held = _find_held(expire(conversation, at, settings)[0])
    combined: list[tuple[Entity, Entity]] = []
    notes: list[str] = []
    for entity in new:
        combine = combiners[entity.element]
        for old in held:
            found = combine(old, entity, at) if entity.groups <= old.groups else None
            if found is not None:
                combined.append((entity, found))
                notes.append(f"'{entity.text}' is combined with '{old.text}': {found}")
                break
    if not combined:
        return None
    utterance = replace(
        utterance,
        entities=_replace_entities(utterance.entities, combined),
        fallback_entities=_replace_entities(utterance.fallback_entities, combined),
    )
    return CombinedUtterance(utterance, tuple(notes))


def _find_held(conversation: Conversation) -> tuple[Entity, ...]:
    pending = conversation.pending.entities if conversation.pending else ()
    return (*pending, *[one.entity for one in conversation.remembered])


def _replace_entities(
    entities: tuple[Entity, ...], combined: Iterable[tuple[Entity, Entity]]
) -> tuple[Entity, ...]:
    replaced = list(entities)
    for old, new in combined:
        if old in replaced:
            replaced[replaced.index(old)] = new
    return tuple(replaced)
