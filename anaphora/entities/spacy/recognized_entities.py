"""The entities that recognizers have found in a Doc."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from spacy.tokens import Doc, SpanGroup

from anaphora.core.utterance import Entity
from anaphora.entities.recognizers.recognizer import TokenizedText
from anaphora.entities.spacy.entity_component import EntityComponent, spans_key
from anaphora.entities.tokens.sentence import Sentence
from anaphora.models.domain import Element

__all__ = ["RecognizedEntities", "collect_recognized", "run_recognizers"]


class RecognizedEntities(NamedTuple):
    """What recognizers have found: entities, those that are only a fallback, and the tokens of
    places where nothing is an entity."""

    entities: list[Entity]
    fallbacks: list[Entity]
    void: frozenset[int] = frozenset()


def run_recognizers(
    components: Iterable[EntityComponent],
    doc: Doc | TokenizedText,
    at: datetime,
    elements: Mapping[str, Element],
    sentence: Sentence,
) -> RecognizedEntities:
    """As :func:`collect_recognized` of a text that these ``components`` have worked on, without the
    spans that they would write."""
    found, void = RecognizedEntities([], []), []
    for component in components:
        element = elements[component.element]
        for mention, first, last in component.find(doc, at):
            tokens = tuple(range(first, last))
            if mention.void:
                void.append(tokens)
                continue
            entity = sentence.create_entity(
                element, mention.value, tokens, exact=True, meta=mention.meta, own=False
            )
            (found.fallbacks if mention.fallback else found.entities).append(entity)
    return _drop_void(void, found) if void else found


def collect_recognized(
    doc: Doc, elements: Mapping[str, Element], sentence: Sentence
) -> RecognizedEntities:
    """The entities of those ``elements`` in ``doc``, by element and in the order in which they
    were found."""
    found, void = RecognizedEntities([], []), []
    for id, element in elements.items():
        group = doc.spans.get(spans_key(id))
        for tokens, mention in _iter_mentions(group):
            value, meta = mention["value"], mention["meta"]
            entity = sentence.create_entity(
                element, value, tokens, exact=True, meta=meta, own=False
            )
            (found.fallbacks if mention.get("fallback") else found.entities).append(entity)
        if group is not None:
            void += [tuple(range(first, last)) for first, last in group.attrs.get("void", ())]
    return _drop_void(void, found) if void else found


def _drop_void(void: Sequence[tuple[int, ...]], found: RecognizedEntities) -> RecognizedEntities:
    """Those that have no tokens of a place where nothing is an entity, or all of them and more."""
    places = [frozenset(tokens) for tokens in void]

    def is_outside(one: Entity) -> bool:
        return all(place.isdisjoint(one.tokens) or place < {*one.tokens} for place in places)

    return RecognizedEntities(
        list(filter(is_outside, found.entities)),
        list(filter(is_outside, found.fallbacks)),
        frozenset().union(*places),
    )


def _iter_mentions(group: SpanGroup | None) -> Iterator[tuple[tuple[int, ...], Mapping[str, Any]]]:
    """The tokens of each span and what is said of it."""
    if not group:
        return
    mentions = group.attrs.get("mentions", ())
    if len(mentions) != len(group):  # a component of the user's has changed the group
        mentions = [{"value": span.kb_id_ or None, "meta": {}} for span in group]
    for span, mention in zip(group, mentions, strict=True):
        yield tuple(range(span.start, span.end)), mention
