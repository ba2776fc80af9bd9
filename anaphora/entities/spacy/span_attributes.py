"""What a span of spaCy cannot say of an entity, as plain data beside it.

Spans are contiguous and have no parts. The data stands in the attributes of their group under
all that a span says; where several entities share that, it is a list of them, and the spans that
are left over are no more than what they say.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spacy.tokens import Span

from anaphora.core.utterance import Entity
from anaphora.entities.tokens.sentence import Sentence
from anaphora.models.domain import Element

__all__ = ["entity_from_detail", "entity_to_detail", "span_key"]


def span_key(span: Span) -> str:
    """Under which the data of the entity of a span stands."""
    return f"{span.start} {span.end} {span.label_} {span.id_} {span.kb_id_}"


def entity_to_detail(entity: Entity) -> dict[str, Any]:
    """An entity as data."""
    found = {} if entity.own else {"meta": dict(entity.meta)}
    return found | {
        "element": entity.element,
        "value": entity.value,
        "tokens": list(entity.tokens),
        "exact": entity.exact,
        "gaps": entity.gaps,
        "permuted": "permuted" in entity.marks,
        "misspelt": "misspelt" in entity.marks,
        "compound": "compound" in entity.marks,
        "alias": "".join(entity.aliases),
        "parts": [entity_to_detail(part) for part in entity.parts],
    }


def entity_from_detail(
    data: Mapping[str, Any], elements: Mapping[str, Element], sentence: Sentence
) -> Entity:
    """The entity that :func:`entity_to_detail` made data of, in the same sentence."""
    return sentence.create_entity(
        elements[data["element"]],
        data["value"],
        tuple(data["tokens"]),
        exact=data["exact"],
        gaps=data["gaps"],
        permuted=data["permuted"],
        misspelt=data["misspelt"],
        compound=data["compound"],
        parts=tuple(entity_from_detail(part, elements, sentence) for part in data["parts"]),
        alias=data["alias"],
        meta=data.get("meta"),
        own="meta" not in data,
    )
