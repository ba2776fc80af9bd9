"""Serialize the part of a model that the tagger needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from anaphora.entities.matching.levels import select_phrases
from anaphora.grammar.idl.compiler import compile_entity_part
from anaphora.grammar.patterns import Pattern
from anaphora.grammar.synonyms.entity_part import EntityPart
from anaphora.models.composition import composition_levels
from anaphora.models.domain import (
    ANY_LANGUAGE,
    Element,
    ElementValue,
    Model,
    Phrases,
    RecognizerSpec,
    StopWords,
    UtteranceLimits,
)
from anaphora.models.element_values import PackedValues

__all__ = ["chunk_from_data", "chunk_to_data", "model_from_data", "model_to_data"]

_PLAIN_FIELDS = ("id", "typos", "max_gap")
_FLAGS = ("topic", "sparse", "permute", "greedy", "abstract", "compounds")


def model_to_data(model: Model, language: str) -> dict[str, Any]:
    """Return the elements and reset phrases in a language as plain data.

    Metadata is only included if elements are composed of others, since predicates may read it then.
    """
    composed = len(composition_levels(model.elements)) > 1
    return {
        "id": model.id,
        "name": model.name,
        "version": model.version,
        "origin": model.origin,
        "meta": dict(model.meta) if composed else {},
        "elements": [
            {
                **{name: getattr(element, name) for name in _PLAIN_FIELDS},
                "groups": sorted(element.groups),
                "ancestors": list(element.ancestors),
                # Kind and name alone: the component has been saved with its options.
                "recognition": (spec := element.recognition) and [spec.kind, spec.name],
                "meta": dict(element.meta) if composed else {},
                "flags": [flag for flag in _FLAGS if getattr(element, flag)],
                "phrases": _phrases_to_data(element.phrases, language),
                "values": _values_to_data(element.values, language),
            }
            for element in model.elements
        ],
        "reset": _phrases_to_data(model.reset, language),
        "stop_words": {
            "additional": sorted(model.stop_words.additional),
            "excluded": sorted(model.stop_words.excluded),
            "skipped": model.stop_words.skipped,
            "commas": model.stop_words.commas,
        },
        "swear_words": sorted(model.limits.swear_words),
    }


def model_from_data(data: Mapping[str, Any], language: str) -> Model:
    """Create a model from the data of :func:`model_to_data`, with nothing else in it."""
    stop_words = data["stop_words"]
    return Model(
        id=data["id"],
        name=data["name"],
        version=data["version"],
        origin=data["origin"],
        meta=data["meta"],
        elements=tuple(
            Element(
                **{name: one[name] for name in _PLAIN_FIELDS}
                | {flag: flag in one["flags"] for flag in _FLAGS},
                groups=frozenset(one["groups"]),
                ancestors=tuple(one["ancestors"]),
                recognition=RecognizerSpec(*one["recognition"]) if one["recognition"] else None,
                meta=one["meta"],
                phrases=_phrases_from_data(one["phrases"]),
                values=_values_from_data(one["values"]),
            )
            for one in data["elements"]
        ),
        intents=(),
        languages=(language,),
        reset=_phrases_from_data(data["reset"]),
        stop_words=StopWords(
            additional=frozenset(stop_words["additional"]),
            excluded=frozenset(stop_words["excluded"]),
            skipped=stop_words["skipped"],
            commas=stop_words["commas"],
        ),
        limits=UtteranceLimits(swear_words=frozenset(data["swear_words"])),
    )


def _values_to_data(values: Sequence[ElementValue], language: str) -> Any:
    """Serialize values one by one; packed ones unchanged, with all languages."""
    if isinstance(values, PackedValues) and (data := values.to_data()):
        return data
    return [[value.name, _phrases_to_data(value.phrases, language)] for value in values]


def _values_from_data(data: Any) -> Sequence[ElementValue]:
    if isinstance(data, dict):
        return PackedValues.from_data(data)
    return [ElementValue(name, _phrases_from_data(phrases)) for name, phrases in data]


def _phrases_to_data(phrases: Phrases, language: str) -> list[list[Any]]:
    return [
        [chunk if isinstance(chunk, str) else chunk_to_data(chunk) for chunk in phrase]
        for phrase in select_phrases(phrases, language)
    ]


def _phrases_from_data(data: list[list[Any]]) -> Phrases:
    phrases = tuple(
        tuple(chunk if isinstance(chunk, str) else chunk_from_data(chunk) for chunk in one)
        for one in data
    )
    return {ANY_LANGUAGE: phrases} if phrases else {}


def chunk_to_data(chunk: Pattern | EntityPart) -> dict[str, str]:
    """Return a chunk of a phrase that is no text as plain data."""
    if isinstance(chunk, Pattern):
        return {"pattern": chunk.text}
    return {"alias": chunk.alias, "predicate": chunk.text}


def chunk_from_data(data: Mapping[str, str]) -> Pattern | EntityPart:
    """Create the chunk from the data of :func:`chunk_to_data`."""
    if "pattern" in data:
        return Pattern(data["pattern"])
    return EntityPart(data["alias"], data["predicate"], compile_entity_part(data["predicate"]))
