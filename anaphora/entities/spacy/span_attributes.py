"""Store properties of entities that a Span cannot represent, in the attributes of its group.

Spans are contiguous and have no parts. The data is stored under the properties that a span does
have. If several entities share them, it is a list; further spans with that key have no other
properties.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spacy.tokens import Span

from anaphora.core.utterance import Entity
from anaphora.entities.tokens.sentence import Sentence
from anaphora.models.domain import Element

__all__ = ["entity_from_detail", "entity_to_detail", "span_key"]


_MARKS = ("permuted", "misspelt", "compound")  # that no text shows


def span_key(span: Span) -> str:
    """Return the key of the data of a span."""
    return f"{span.start} {span.end} {span.label_} {span.id_} {span.kb_id_}"


def entity_to_detail(entity: Entity) -> dict[str, Any]:
    """Return an entity as plain data."""
    found = {} if entity.is_from_phrase else {"meta": dict(entity.meta)}
    return found | {
        **{mark: mark in entity.marks for mark in _MARKS},
        "element": entity.element,
        "value": entity.value,
        "tokens": list(entity.tokens),
        "exact": entity.exact,
        "gaps": entity.gaps,
        "alias": "".join(entity.aliases),
        "parts": [entity_to_detail(part) for part in entity.parts],
    }


def entity_from_detail(
    data: Mapping[str, Any], elements: Mapping[str, Element], sentence: Sentence
) -> Entity:
    """Create the entity from the data of :func:`entity_to_detail`, in the same sentence."""
    return sentence.create_entity(
        elements[data["element"]],
        data["value"],
        tuple(data["tokens"]),
        exact=data["exact"],
        gaps=data["gaps"],
        marks=frozenset(filter(data.get, _MARKS)),
        parts=tuple(entity_from_detail(part, elements, sentence) for part in data["parts"]),
        alias=data["alias"],
        meta=data.get("meta"),
        is_from_phrase="meta" not in data,
    )
