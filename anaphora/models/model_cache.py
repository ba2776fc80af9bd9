"""Cache models as plain data.

The data has the content of the model file and the names of the handlers, which are resolved again
on loading. A model that depends on other Python functions is not cached, because they may change;
neither is one whose data does not survive a round trip.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from anaphora.errors import AnaphoraError, Problem
from anaphora.grammar.idl.compiler import compile_entity_part, compile_predicate
from anaphora.grammar.idl.intent import Intent, IntentOptions, Predicate, Term
from anaphora.grammar.idl.parsing.parser import parse_predicate
from anaphora.grammar.idl.syntax import PredicateNode
from anaphora.grammar.patterns import Pattern
from anaphora.grammar.python_functions import FunctionLoader
from anaphora.grammar.synonyms.entity_part import EntityPart
from anaphora.models.building.handlers import HandlerReference, resolve_handler
from anaphora.models.domain import (
    AskStep,
    BridgeSettings,
    ConversationSettings,
    CueSection,
    Dialog,
    DialogActSettings,
    Element,
    Fallback,
    MentionTemplates,
    Model,
    OfferTemplate,
    PauseStep,
    RecognizerSpec,
    ResetStep,
    StopWords,
    UtteranceLimits,
    Validator,
    Validators,
)
from anaphora.models.element_values import ElementValue, PackedValues, Phrases
from anaphora.models.hassil.attachment import sentences_from_data, sentences_to_data
from anaphora.storage.cache import Cache, digest

__all__ = ["load_cached", "model_from_data"]

_CACHE_KIND = "model"
_REFERENCE = re.compile(r"[\w.]*#[\w.]+")
_STEP_CLASSES: Mapping[str, type[AskStep | PauseStep | ResetStep]] = {
    one.__name__: one for one in (AskStep, PauseStep, ResetStep)
}
# The fields of a model that MessagePack can store without further conversion.
_FIELD_TYPES: Mapping[str, Any] = {
    **dict.fromkeys(("id", "name", "version", "description", "source", "origin"), str),
    **dict.fromkeys(
        (
            *("meta", "pipelines", "responses", "prompts", "recall_offers", "unused", "choices"),
            *("confirmations", "locales"),
        ),
        dict,
    ),
    "languages": tuple[str, ...],
    "conversation": ConversationSettings,
    "stop_words": StopWords,
    "limits": UtteranceLimits,
    "bridge": BridgeSettings,
    "mentions": dict[str, MentionTemplates],
    "offers": dict[str, tuple[OfferTemplate, ...]],
    "fallback": Fallback | None,
    "free_words": bool,
    "warnings": tuple[Problem, ...],
}
_CONVERTED_ELEMENT_FIELDS = frozenset(
    {"groups", "phrases", "values", "ancestors", "recognition", "refers"}
)
_PLAIN_ELEMENT_FIELDS = tuple(
    field.name for field in fields(Element) if field.name not in _CONVERTED_ELEMENT_FIELDS
)
_PLAIN_TERM_FIELDS = tuple(field.name for field in fields(Term) if field.name != "predicate")
_INVALID_DATA_ERRORS = (
    AnaphoraError,
    AttributeError,
    LookupError,
    OverflowError,
    RecursionError,
    TypeError,
    ValueError,
    msgspec.MsgspecError,
)


def load_cached(
    cache: Cache,
    text: str,
    extra_keys: Iterable[str | bytes],
    build: Callable[[], tuple[Model, FunctionLoader | None] | None],
    folder: Path | None,
) -> Model | None:
    """Load a model from the cache, or build it and store it if it can be serialized.

    The key are ``text`` and ``extra_keys``. ``build`` also returns the loader of the handlers
    (relative to ``folder``), or None if the model depends on other functions; it returns None if
    there is no model, as does this function then.

    Raises the exceptions of ``build``.
    """
    key = digest(text, *extra_keys)
    cached = cache.get(_CACHE_KIND, key)
    if cached is not None and (model := _restore_model(cached, text, folder, cache)) is not None:
        return model
    built = build()
    if built is None:
        return None
    model, code = built
    if code is not None and (data := _to_cacheable_data(model, code)) is not None:
        cache.put(_CACHE_KIND, key, data)
    return model


def _restore_model(data: Any, text: str, folder: Path | None, cache: Cache) -> Model | None:
    """Restore a model; None for invalid data, for a missing handler, and if what its sentences were
    read from has changed."""
    try:
        if not _mentions_handlers(text, data):
            return None
        sentences = None
        if data["sentences"] is not None:
            sentences = sentences_from_data(data["sentences"], cache)
            if sentences is None:
                return None
        model = model_from_data(data, FunctionLoader(data["code"], folder))
        return model if sentences is None else replace(model, sentences=sentences)
    except _INVALID_DATA_ERRORS:
        return None  # foreign or damaged data


def _mentions_handlers(text: str, data: Mapping[str, Any]) -> bool:
    """Whether the model file itself names these functions. Functions that only the cache names
    are never imported."""
    module, references = data["code"], {reference for _, reference, _ in data["handlers"]}
    if data["fallback_handler"]:
        references.add(data["fallback_handler"][0])
    code_key = rf"""["']?\bcode["']?\s*:\s*["']?{re.escape(module)}(?![\w.])"""  # in YAML or JSON
    if module and references and not re.search(code_key, text):
        return False
    named = {found[0] for found in _REFERENCE.finditer(text)} if references else set()
    return references <= named


def _to_cacheable_data(model: Model, code: FunctionLoader) -> dict[str, Any] | None:
    """Convert a model to data; None if the data does not restore an equal model, and for a model
    with imports, which may resolve to other files later."""
    if model.imports:
        return None
    try:
        sentences = None if model.sentences is None else sentences_to_data(model.sentences)
        data = _model_to_data(model) | {"code": code.module, "sentences": sentences}
        again = model_from_data(msgspec.msgpack.decode(msgspec.msgpack.encode(data)), code)
    except _INVALID_DATA_ERRORS:
        return None
    again = replace(again, sentences=model.sentences)
    return data if again == model and again.warnings == model.warnings else None


def _model_to_data(model: Model) -> dict[str, Any]:
    return {
        **{name: msgspec.to_builtins(getattr(model, name)) for name in _FIELD_TYPES},
        "elements": [_element_to_data(element) for element in model.elements],
        "intents": [_intent_to_data(intent) for intent in model.intents],
        "reset": _phrases_to_data(model.reset),
        "dialog_acts": model.dialog_acts and _dialog_acts_to_data(model.dialog_acts),
        "validators": _validators_to_data(model.validators),
        "samples": [_dialog_to_data(dialog) for dialog in model.samples],
        "handlers": [
            (intent, *_reference_to_data(named))
            for intent, named in model.handlers.items()
            if isinstance(named, HandlerReference)
        ],
        "fallback_handler": _reference_to_data(model.fallback_handler)
        if isinstance(model.fallback_handler, HandlerReference)
        else None,
    }


def model_from_data(data: Mapping[str, Any], code: FunctionLoader) -> Model:
    """Restore a model from data, with handlers from ``code``. Raises LookupError, TypeError,
    ValueError or :class:`~anaphora.errors.AnaphoraError` for invalid data."""
    return Model(
        **{name: msgspec.convert(data[name], type) for name, type in _FIELD_TYPES.items()},
        elements=tuple(map(_element_from_data, data["elements"])),
        intents=tuple(map(_intent_from_data, data["intents"])),
        reset=_phrases_from_data(data["reset"]),
        dialog_acts=data["dialog_acts"] and _dialog_acts_from_data(*data["dialog_acts"]),
        validators=_validators_from_data(data["validators"]),
        samples=tuple(map(_dialog_from_data, data["samples"])),
        handlers={
            intent: _reference_from_data(code, *reference)
            for intent, *reference in data["handlers"]
        },
        fallback_handler=data["fallback_handler"]
        and _reference_from_data(code, *data["fallback_handler"]),
    )


def _dialog_acts_to_data(settings: DialogActSettings) -> tuple[bool, dict[CueSection, Any]]:
    words = {kind: _phrases_to_data(phrases) for kind, phrases in settings.words.items()}
    return settings.ask_if_close, words


def _dialog_acts_from_data(ask_if_close: bool, words: Mapping[Any, Any]) -> DialogActSettings:  # noqa: FBT001 - a field
    return DialogActSettings(
        ask_if_close, {kind: _phrases_from_data(phrases) for kind, phrases in words.items()}
    )


def _reference_to_data(named: HandlerReference) -> tuple[str, Any]:
    return named.reference, msgspec.to_builtins(named.place)


def _reference_from_data(code: FunctionLoader, reference: str, place: Any) -> HandlerReference:
    return resolve_handler(reference, code, msgspec.convert(place, Problem))


def _element_to_data(element: Element) -> dict[str, Any]:
    recognition, values = element.recognition, element.values
    packed = values.to_data() if isinstance(values, PackedValues) else None
    listed = () if packed else values
    return {
        **{name: getattr(element, name) for name in _PLAIN_ELEMENT_FIELDS},
        "groups": sorted(element.groups),
        "refers": sorted(element.refers),
        "ancestors": element.ancestors,
        "phrases": _phrases_to_data(element.phrases),
        "packed": packed,
        "values": [(value.name, _phrases_to_data(value.phrases)) for value in listed],
        "recognition": recognition
        and (recognition.kind, recognition.name, dict(recognition.options)),
    }


def _element_from_data(data: Mapping[str, Any]) -> Element:
    return Element(
        **{name: data[name] for name in _PLAIN_ELEMENT_FIELDS},
        groups=frozenset(data["groups"]),
        refers=frozenset(data["refers"]),
        ancestors=tuple(data["ancestors"]),
        phrases=_phrases_from_data(data["phrases"]),
        values=PackedValues.from_data(data["packed"])
        if data["packed"]
        else [ElementValue(name, _phrases_from_data(phrases)) for name, phrases in data["values"]],
        recognition=data["recognition"] and _recognizer_from_data(*data["recognition"]),
    )


def _recognizer_from_data(kind: Any, name: str, options: Mapping[str, Any]) -> RecognizerSpec:
    if kind == "built-in":  # its lists are tuples
        options = {
            key: tuple(value) if isinstance(value, list) else value
            for key, value in options.items()
        }
    return RecognizerSpec(kind, name, options)


def _phrases_to_data(phrases: Phrases) -> dict[str, list[list[Any]]]:
    return {
        language: [[_chunk_to_data(chunk) for chunk in phrase] for phrase in some]
        for language, some in phrases.items()
    }


def _phrases_from_data(data: Mapping[str, Any]) -> Phrases:
    return {
        language: tuple([tuple(map(_chunk_from_data, phrase)) for phrase in some])
        for language, some in data.items()
    }


def _chunk_to_data(chunk: str | Pattern | EntityPart) -> str | list[str]:
    match chunk:
        case Pattern():
            return [chunk.text]
        case EntityPart():
            return [chunk.alias, chunk.text]
    return chunk


def _chunk_from_data(data: str | list[str]) -> str | Pattern | EntityPart:
    match data:
        case str():
            return data
        case [text]:
            return Pattern(text)
    alias, text = data
    return EntityPart(alias, text, compile_entity_part(text))


def _intent_to_data(intent: Intent) -> dict[str, Any]:
    if not (intent.flow is None or isinstance(intent.flow, Pattern)):
        raise TypeError(f"the flow of '{intent.id}' is a function")
    return {
        "id": intent.id,
        "terms": [_term_to_data(term) for term in intent.terms],
        "options": msgspec.to_builtins(intent.options),
        "flow": intent.flow and intent.flow.text,
        "meta": intent.meta,
        "mentions": [(*key, at) for key, at in intent.mentions.items()],
        "at": intent.at,
    }


def _intent_from_data(data: Mapping[str, Any]) -> Intent:
    return Intent(
        id=data["id"],
        terms=tuple(map(_term_from_data, data["terms"])),
        options=msgspec.convert(data["options"], IntentOptions),
        flow=None if data["flow"] is None else Pattern(data["flow"]),
        meta=data["meta"],
        mentions={(kind, name): at for kind, name, at in data["mentions"]},
        at=data["at"],
    )


def _term_to_data(term: Term) -> dict[str, Any]:
    plain = {name: getattr(term, name) for name in _PLAIN_TERM_FIELDS}
    return {**plain, "predicate": _predicate_to_data(term.predicate.text)}


def _term_from_data(data: Mapping[str, Any]) -> Term:
    return Term(**{**data, "predicate": _predicate_from_data(data["predicate"])})


def _predicate_to_data(text: str) -> Any:
    return msgspec.to_builtins(parse_predicate(text))


def _predicate_from_data(data: Any) -> Predicate:
    tree = msgspec.convert(data, PredicateNode)
    return compile_predicate(tree, tree.text)


def _validators_to_data(validators: Validators) -> list[Any]:
    return [
        {id: _validator_to_data(one) for id, one in validators.elements.items()},
        {
            intent: {term: _validator_to_data(one) for term, one in terms.items()}
            for intent, terms in validators.terms.items()
        },
    ]


def _validators_from_data(data: list[Any]) -> Validators:
    elements, terms = data
    return Validators(
        {id: _validator_from_data(*one) for id, one in elements.items()},
        {
            intent: {term: _validator_from_data(*one) for term, one in of_intent.items()}
            for intent, of_intent in terms.items()
        },
    )


def _validator_to_data(validator: Validator) -> tuple[str, Any, Any]:
    return validator.check, dict(validator.text), _predicate_to_data(validator.check)


def _validator_from_data(check: str, text: Mapping[str, str], tree: Any) -> Validator:
    return Validator(check, text, _predicate_from_data(tree).test)


def _dialog_to_data(dialog: Dialog) -> dict[str, Any]:
    classes = [type(step).__name__ for step in dialog.steps]
    return {**msgspec.to_builtins(dialog), "classes": classes}


def _dialog_from_data(data: Mapping[str, Any]) -> Dialog:
    steps = zip(data["steps"], data["classes"], strict=True)
    return Dialog(
        steps=tuple(msgspec.convert(step, _STEP_CLASSES[name]) for step, name in steps),
        name=data["name"],
        line=data["line"],
        at=msgspec.convert(data["at"], datetime | None),
        long_term=data["long_term"],
    )
