"""The entities that recognizers have found in a Doc."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from spacy.tokens import Doc, SpanGroup

from anaphora.entities.component import EntityComponent, key_of
from anaphora.entities.recognition import Passage
from anaphora.entities.sentence import Sentence
from anaphora.models.domain import Element
from anaphora.models.utterance import Entity

__all__ = ["found_by", "recognized"]


def found_by(
    components: Iterable[EntityComponent],
    doc: Doc | Passage,
    at: datetime,
    elements: Mapping[str, Element],
    sentence: Sentence,
) -> list[Entity]:
    """As :func:`recognized` of a text that these ``components`` have worked on, without the spans
    that they would write."""
    return [
        sentence.entity(
            elements[component.element],
            mention.value,
            tuple(range(first, last)),
            exact=True,
            meta=mention.meta,
            own=False,
        )
        for component in components
        for mention, first, last in component.find(doc, at)
    ]


def recognized(doc: Doc, elements: Mapping[str, Element], sentence: Sentence) -> list[Entity]:
    """The entities of those ``elements`` in ``doc``, by element and in the order in which they
    were found."""
    found = []
    for id, element in elements.items():
        for tokens, value, meta in _mentioned(doc.spans.get(key_of(id))):
            found.append(sentence.entity(element, value, tokens, exact=True, meta=meta, own=False))
    return found


def _mentioned(
    group: SpanGroup | None,
) -> Iterator[tuple[tuple[int, ...], str | None, Mapping[str, Any]]]:
    """The tokens, the value and the metadata of each span."""
    if not group:
        return
    mentions = group.attrs.get("mentions", ())
    if len(mentions) != len(group):  # a component of the user's has changed the group
        mentions = [{"value": span.kb_id_ or None, "meta": {}} for span in group]
    for span, mention in zip(group, mentions, strict=True):
        yield tuple(range(span.start, span.end)), mention["value"], mention["meta"]
