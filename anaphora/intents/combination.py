"""Combine what a question says with what is remembered of the same value: "at eight" after "on
Friday" is Friday at eight, and "until the 28th" after "from December 20" is December 28."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from msgspec.structs import replace

from anaphora.core.utterance import Entity, Token, Utterance
from anaphora.entities.builtin.boolean import parse_yes_no
from anaphora.entities.builtin.combination import create_builtin_combiner
from anaphora.entities.builtin.dates.combination import is_relative
from anaphora.entities.recognizers.combiner import Combiner
from anaphora.entities.recognizers.function_combiner import FunctionCombiner
from anaphora.models.domain import ConversationSettings, Element, Model
from anaphora.stm.conversation import Conversation
from anaphora.stm.rules import expire

__all__ = ["CombinedUtterance", "Combiners", "combine_with_memory", "create_combiners"]

_MAX_COMPLETING_WORDS = 3  # content words: "no, euros", "kilometers per hour"


class Combiners(NamedTuple):
    """The combiners of a model by the ids of their elements; ``completing`` are the elements that
    words which are no entity may complete."""

    by_element: Mapping[str, Combiner]
    completing: frozenset[str]


class CombinedUtterance(NamedTuple):
    """An utterance with combined entities, and notes for the explanation, each with the entity that
    it is on. ``fallback_notes`` apply if the fallback entities count. A question that
    ``is_relative`` to the memory ("an hour later") means nothing without it."""

    utterance: Utterance
    notes: Mapping[str, Entity]
    fallback_notes: Mapping[str, Entity]
    is_relative: bool


def create_combiners(model: Model) -> Combiners | None:
    """Create the combiners of a model; None if it needs none. Without ``dialog_acts`` those of the
    built-in entities only complete dates without a month or a start."""
    found = {element.id: _create_combiner(element, model) for element in model.elements}
    combiners = {id: combiner for id, combiner in found.items() if combiner is not None}
    completing = frozenset(id for id, combiner in combiners.items() if combiner.completes)
    return Combiners(combiners, completing) if combiners else None


def _create_combiner(element: Element, model: Model) -> Combiner | None:
    if element.combine is not None:
        return FunctionCombiner(element.id, element.combine)
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
    combiners: Combiners,
) -> CombinedUtterance | None:
    """Combine the entities of a question with pending and remembered ones that they would replace,
    newest first; None if nothing is combined. ``settings`` determine what has expired.

    Raises :class:`HandlerError` if a user-defined function fails.
    """
    said = utterance.fallback_entities or utterance.entities
    if not combiners.completing and combiners.by_element.keys().isdisjoint(
        [one.element for one in said]
    ):
        return None
    held = _find_held(conversation)
    found = _combine(utterance, held, at, combiners) if held else None
    if found is None:
        return None
    left = _find_held(expire(conversation, at, settings)[0])
    return found if left == held else _combine(utterance, left, at, combiners)


def _find_held(conversation: Conversation) -> tuple[Entity, ...]:
    """What the question that waits, the one offer on the table, and the memory have."""
    pending = conversation.pending.entities if conversation.pending else ()
    offers = conversation.open_offers
    offered = offers.bundles[0] if offers and len(offers.bundles) == 1 else ()
    return (*pending, *offered, *[one.entity for one in conversation.remembered])


def _combine(
    utterance: Utterance, held: Sequence[Entity], at: datetime, combiners: Combiners
) -> CombinedUtterance | None:
    said = utterance.fallback_entities or utterance.entities
    combined: list[tuple[Entity, Entity]] = []
    notes: dict[str, Entity] = {}
    for new in said:
        if (combiner := combiners.by_element.get(new.element)) is None:
            continue
        for old in held:
            if new.groups <= old.groups and (found := combiner.combine(old, new, at)) is not None:
                combined.append((new, found))
                notes[_format_note(new.text, old, found)] = found
                break
    completion = _complete(utterance, held, said, combiners, at) if combiners.completing else None
    if not combined and completion is None:
        return None
    entities = _replace_entities(utterance.entities, combined)
    fallback = _replace_entities(utterance.fallback_entities, combined)
    fallback_notes = dict(notes)
    if completion is not None:
        completed, old = completion
        fallback = tuple(sorted((*(fallback or entities), completed), key=lambda one: one.tokens))
        fallback_notes[_format_note(completed.text, old, completed)] = completed
    utterance = replace(utterance, entities=entities, fallback_entities=fallback)
    relative = any(is_relative(new) for new, _ in combined)
    return CombinedUtterance(utterance, notes, fallback_notes, relative)


def _complete(
    utterance: Utterance,
    held: Sequence[Entity],
    said: Sequence[Entity],
    combiners: Combiners,
    at: datetime,
) -> tuple[Entity, Entity] | None:
    """Find a short answer that is no entity, but completes one: the completed and the old
    entity."""
    mentioned = {one.element for one in said}
    incomplete = [one for one in held if one.element in combiners.completing - mentioned]
    if not incomplete or len(utterance.content_words) > _MAX_COMPLETING_WORDS:
        return None
    tokens, first, content = _skip_yes_or_no(utterance)
    covered = {index for one in said if not _is_number(one) for index in one.tokens}
    if not content or not covered.isdisjoint(content):
        return None
    for index in dict.fromkeys((first, content[0])):  # with its stop words, or without
        start = tokens[index].start
        rest = utterance.text[start:]
        for old in incomplete:
            combiner = combiners.by_element[old.element]
            found = combiner.complete(old, rest, utterance.language, at)
            if found is not None and found.end >= tokens[content[-1]].end - start:
                place = [one for one in tokens[index:] if one.start < start + found.end]
                completed = replace(old, value=found.value, meta=found.meta)
                return _place(completed, place, rest[: found.end]), old
    return None


def _skip_yes_or_no(utterance: Utterance) -> tuple[Sequence[Token], int, Sequence[int]]:
    """The tokens, the first one behind a yes, a no or another cue, and the content words from there
    on."""
    tokens = utterance.tokens
    content: Sequence[int] = utterance.content_words or [  # numerals may be stop words: "no, nine"
        one.index
        for one in tokens
        if one.text[0].isalnum() and one.index not in utterance.understood
    ]
    first = 0
    if content and parse_yes_no(tokens[content[0]].text, utterance.language) is not None:
        first, content = content[0] + 1, content[1:]
    understood = utterance.understood
    while content and first < content[0]:
        if tokens[first].text[0].isalnum() and first not in understood:
            break
        first += 1
    return tokens, first, content


def _is_number(entity: Entity) -> bool:
    """Whether it is a number, which may count something else."""
    number = entity.meta.get("value", entity.meta.get("amount"))
    return not entity.is_from_phrase and isinstance(number, int | float)


def _place(entity: Entity, tokens: Sequence[Token], text: str) -> Entity:
    """The entity as if these tokens said it."""
    return replace(
        entity,
        text=text,
        tokens=tuple([one.index for one in tokens]),
        start=tokens[0].start,
        end=tokens[-1].end,
        stem=" ".join([one.stem for one in tokens]),
        lemma=" ".join([one.lower for one in tokens]),
    )


def _format_note(text: str, old: Entity, combined: Entity) -> str:
    value = "" if old.value is None else f" ({old.value})"
    return f"'{text}' is combined with '{old.text}'{value}: {combined}"


def _replace_entities(
    entities: tuple[Entity, ...], combined: Sequence[tuple[Entity, Entity]]
) -> tuple[Entity, ...]:
    """Replace the entities that are combined; alternatives may become the same one."""
    replaced: list[Entity] = []
    for entity in entities:
        found = next((new for old, new in combined if old == entity), entity)
        if found is entity or found not in replaced:
            replaced.append(found)
    return tuple(replaced)
