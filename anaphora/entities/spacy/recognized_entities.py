"""Collect the entities that recognizers find."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import NamedTuple

from spacy.tokens import Doc, SpanGroup

from anaphora.core.utterance import Entity
from anaphora.entities.recognizers.fallbacks import find_doubted
from anaphora.entities.recognizers.recognizer import Mention, TokenizedText
from anaphora.entities.spacy.entity_component import EntityComponent, spans_key, tokens_without
from anaphora.entities.tokens.sentence import Sentence
from anaphora.models.domain import Element

__all__ = ["RecognizedEntities", "collect_recognized", "run_recognizers"]


class RecognizedEntities(NamedTuple):
    """Entities and fallback entities of recognizers, and void places, where there are none."""

    entities: list[Entity]
    fallbacks: list[Entity]
    void: tuple[Entity, ...] = ()


def run_recognizers(
    components: Iterable[EntityComponent],
    doc: Doc | TokenizedText,
    at: datetime,
    elements: Mapping[str, Element],
    sentence: Sentence,
) -> RecognizedEntities:
    """Run ``components`` on a text, without writing spans.

    Returns what :func:`collect_recognized` finds in a Doc that they have processed.
    """
    return _create_entities(
        (
            (
                elements[component.element],
                tuple(range(first, last))
                if mention.gap is None
                else tokens_without(doc, first, last, mention.gap),
                mention,
            )
            for component in components
            for mention, first, last in component.find(doc, at)
        ),
        sentence,
    )


def collect_recognized(
    doc: Doc, elements: Mapping[str, Element], sentence: Sentence
) -> RecognizedEntities:
    """Collect the entities of ``elements`` from the spans in ``doc``, by element."""
    return _create_entities(
        (
            (element, tokens, mention)
            for id, element in elements.items()
            for tokens, mention in _iter_mentions(doc.spans.get(spans_key(id)))
        ),
        sentence,
    )


def _create_entities(
    mentions: Iterable[tuple[Element, tuple[int, ...], Mention]], sentence: Sentence
) -> RecognizedEntities:
    entities: list[Entity] = []
    fallbacks: list[Entity] = []
    void: list[Entity] = []
    for element, tokens, mention in mentions:
        gaps = 0 if mention.gap is None else tokens[-1] + 1 - tokens[0] - len(tokens)
        entity = sentence.create_entity(
            element,
            mention.value,
            tokens,
            exact=True,
            gaps=gaps,
            meta=mention.meta,
            is_from_phrase=False,
        )
        (void if mention.void else fallbacks if mention.fallback else entities).append(entity)
    if doubted := find_doubted(fallbacks, entities):
        entities = [one for one in entities if one not in doubted]
        fallbacks += doubted
    found = RecognizedEntities(entities, fallbacks, tuple(void))
    return _drop_void(found) if void else found


def _drop_void(found: RecognizedEntities) -> RecognizedEntities:
    """Drop the entities that overlap with a void place, unless they contain it and more."""
    places = [frozenset(one.tokens) for one in found.void]

    def is_outside(one: Entity) -> bool:
        return all(place.isdisjoint(one.tokens) or place < {*one.tokens} for place in places)

    return RecognizedEntities(
        list(filter(is_outside, found.entities)),
        list(filter(is_outside, found.fallbacks)),
        found.void,
    )


def _iter_mentions(group: SpanGroup | None) -> Iterator[tuple[tuple[int, ...], Mention]]:
    """Yield the tokens of each span with its mention, and those of void places."""
    if group is None:
        return
    mentions = group.attrs.get("mentions", ())
    if len(mentions) != len(group):  # a user's component has changed the group
        mentions = [{"value": span.kb_id_ or None, "meta": {}} for span in group]
    for span, data in zip(group, mentions, strict=True):
        mention = Mention(span.start_char, span.end_char, **data)
        tokens = tuple(range(span.start, span.end))
        if mention.gap is not None:
            tokens = tokens_without(span.doc, span.start, span.end, mention.gap)
        yield tokens, mention
    for first, last in group.attrs.get("void", ()):
        yield tuple(range(first, last)), Mention(0, 0, void=True)
