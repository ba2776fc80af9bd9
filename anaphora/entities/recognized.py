"""The entities that recognizers have found in a Doc."""

from __future__ import annotations

from collections.abc import Mapping

from spacy.tokens import Doc

from anaphora.entities.component import key_of
from anaphora.entities.sentence import Sentence
from anaphora.models.domain import Element
from anaphora.models.utterance import Entity

__all__ = ["recognized"]


def recognized(doc: Doc, elements: Mapping[str, Element], sentence: Sentence) -> list[Entity]:
    """The entities of those ``elements`` in ``doc``, by element and in the order in which they
    were found."""
    found = []
    for id, element in elements.items():
        group = doc.spans.get(key_of(id))
        if not group:
            continue
        mentions = group.attrs.get("mentions", ())
        for span, mention in zip(group, mentions, strict=True):
            tokens = tuple(range(span.start, span.end))
            found.append(
                sentence.entity(
                    element, mention["value"], tokens, exact=True, meta=mention["meta"], own=False
                )
            )
    return found
