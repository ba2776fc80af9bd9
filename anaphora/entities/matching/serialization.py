"""Serialize the part of a model that the tagger needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from anaphora.entities.matching.levels import select_phrases
from anaphora.grammar.patterns import Pattern
from anaphora.grammar.synonyms.entity_part import EntityPart
from anaphora.models.composition import composition_levels
from anaphora.models.domain import (
    ANY_LANGUAGE,
    Element,
    ElementValue,
    Model,
    Phrase,
    Phrases,
    RecognizerSpec,
    StopWords,
    UtteranceLimits,
)
from anaphora.models.element_values import PackedValues

__all__ = ["model_from_data", "model_to_data"]

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
                "recognition": _recognition_to_data(element.recognition),
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
                **_plain_fields(one),
                groups=frozenset(one["groups"]),
                ancestors=tuple(one["ancestors"]),
                recognition=_recognition_from_data(one["recognition"]),
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
        ),
        limits=UtteranceLimits(swear_words=frozenset(data["swear_words"])),
    )


def _plain_fields(data: Mapping[str, Any]) -> dict[str, Any]:
    flags = {flag: flag in data["flags"] for flag in _FLAGS}
    return {name: data[name] for name in _PLAIN_FIELDS} | flags


def _values_to_data(values: Sequence[ElementValue], language: str) -> Any:
    """Serialize values one by one; packed ones unchanged, with all languages."""
    if isinstance(values, PackedValues) and (data := values.to_data()):
        return data
    return [[value.name, _phrases_to_data(value.phrases, language)] for value in values]


def _values_from_data(data: Any) -> Sequence[ElementValue]:
    if isinstance(data, dict):
        return PackedValues.from_data(data)
    return [ElementValue(name, _phrases_from_data(phrases)) for name, phrases in data]


def _recognition_to_data(recognition: RecognizerSpec | None) -> list[str] | None:
    """Serialize kind and name alone: the component has been saved with its options."""
    return None if recognition is None else [recognition.kind, recognition.name]


def _recognition_from_data(data: list[Any] | None) -> RecognizerSpec | None:
    return None if data is None else RecognizerSpec(*data)


def _phrases_to_data(phrases: Phrases, language: str) -> list[list[Any]]:
    return [
        [_chunk_to_data(chunk) for chunk in phrase] for phrase in select_phrases(phrases, language)
    ]


def _phrases_from_data(data: list[list[Any]]) -> Phrases:
    phrases: tuple[Phrase, ...] = tuple(tuple(map(_chunk_from_data, one)) for one in data)
    return {ANY_LANGUAGE: phrases} if phrases else {}


def _chunk_to_data(chunk: str | Pattern | EntityPart) -> str | dict[str, str]:
    match chunk:
        case Pattern():
            return {"pattern": chunk.text}
        case EntityPart():
            return {"alias": chunk.alias, "predicate": chunk.text}
    return chunk


def _chunk_from_data(chunk: str | dict[str, str]) -> str | Pattern | EntityPart:
    if isinstance(chunk, str):
        return chunk
    if "pattern" in chunk:
        return Pattern(chunk["pattern"])
    from anaphora.grammar.idl.compiler import compile_entity_part

    return EntityPart(chunk["alias"], chunk["predicate"], compile_entity_part(chunk["predicate"]))
