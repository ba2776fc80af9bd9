"""Resolve recognizers: built-in entities, spaCy labels, components, functions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from anaphora.core.name_hints import closest_match, did_you_mean
from anaphora.errors import GrammarError
from anaphora.models.building.recognizer_signature import find_mismatches
from anaphora.models.checking.model_draft import ModelDraft
from anaphora.models.domain import Element, RecognizerSpec, Referent
from anaphora.models.reading.nodes import NodePath
from anaphora.models.schema.builtin_entities import (
    BUILTIN_ENTITIES,
    NLPCRAFT_ENTITIES,
    find_builtin,
    find_invalid_options,
    resolve_options,
)

__all__ = ["build_builtin_elements", "build_recognizer", "default_referents"]

_SPACY, _COMPONENT = "spacy:", "component:"
_RELATED_NAMES = {
    "date": ("time", "datetime", "day", "hour", "weekday", "month", "year", "period"),
    "number": ("int", "integer", "float", "percent", "percentage", "ordinal", "quantity", "unit"),
    "money": ("currency", "price", "amount"),
    "place": ("city", "country", "region", "continent", "location", "address"),
    "boolean": ("yes_no", "yesno", "confirmation"),
    "spacy:PERSON": ("person",),
    "spacy:ORG": ("organization", "organisation", "company"),
}
"""Other names that people use for the entities."""

_SPACY_REFERENTS: Mapping[str, Referent] = {
    **dict.fromkeys(("PERSON", "PER"), "person"),
    **dict.fromkeys(("GPE", "LOC", "FAC"), "place"),
    **dict.fromkeys(("DATE", "TIME"), "time"),
}


def build_builtin_elements(draft: ModelDraft, declared: Sequence[Element]) -> Iterator[Element]:
    """Build an element for each name under ``entities``; reports unknown names and names that the
    file declares as elements as well."""
    _check_references(draft, declared)
    taken = {element.id for element in declared}
    first: dict[str, str] = {}
    for index, name in enumerate(draft.file.entities):
        path = ("entities", index)
        same = _normalize_name(name)
        if same in first:
            draft.add_error(path, f"duplicate entity '{first[same]}'")
            continue
        first[same] = name
        if name in taken:
            hint = "leave it out: 'entities' are the built-in ones"
            if find_builtin(name) or name.startswith(_SPACY):
                hint = f"give that element 'recognizer: {name}', and leave this out"
            draft.add_error(path, f"the model declares an element '{name}' as well", hint)
        elif (recognition := _build_named(draft, path, name)) is not None:
            yield Element(
                id=name,
                groups=frozenset({name}),
                recognition=recognition,
                refers=default_referents(recognition),
            )


def build_recognizer(
    draft: ModelDraft,
    path: NodePath,
    reference: str,
    config: Mapping[str, Any],
) -> RecognizerSpec | None:
    """Resolve the recognizer of the element at ``path``; reports errors and returns None."""
    where = (*path, "recognizer")
    if "#" in reference:
        return _build_function(draft, path, reference, config)
    if reference.startswith(_COMPONENT):
        return _build_component(draft, where, reference.removeprefix(_COMPONENT).strip(), config)
    named = _build_named(draft, where, reference)
    if named is None:
        return None
    if named.kind == "spacy":
        return _configure_spacy(draft, path, named, config)
    if wrong := list(find_invalid_options(reference, config)):
        for one in wrong:
            draft.add_key_error((*path, "config", one.key), one.message, one.hint)
        return None
    return RecognizerSpec("built-in", reference, resolve_options(reference, config))


def _configure_spacy(
    draft: ModelDraft, path: NodePath, named: RecognizerSpec, config: Mapping[str, Any]
) -> RecognizerSpec | None:
    for key, value in config.items():
        if key != "optional":
            message = f"an entity of spaCy has no option '{key}'"
            draft.add_key_error((*path, "config", key), message, "there is: optional")
            return None
        if not isinstance(value, bool):
            message = f"the option 'optional' must be true or false, not {value!r}"
            draft.add_key_error((*path, "config", key), message)
            return None
    return replace(named, options=dict(config))


def default_referents(recognition: RecognizerSpec | None) -> frozenset[Referent]:
    """What the entities of a recognizer are: times, places or persons; empty if unknown."""
    kind, name = (recognition.kind, recognition.name) if recognition else ("", "")
    found: Referent | None = None
    if kind == "spacy":
        found = _SPACY_REFERENTS.get(name)
    elif kind == "built-in" and (builtin := find_builtin(name)):
        found = builtin.refers
    return frozenset() if found is None else frozenset({found})


def _build_component(
    draft: ModelDraft, where: NodePath, name: str, config: Mapping[str, Any]
) -> RecognizerSpec | None:
    if not name:
        draft.add_error(where, "the name of the component is missing", "write component:NAME")
        return None
    try:
        draft.code.import_default_module()  # it may register the component
    except GrammarError as error:
        again = "already exists" in error.message  # spaCy's message for a name in use
        hint = "a component has its name in the whole program: take another one" if again else ""
        draft.add_error(("code",), error.message, hint or error.hint)
        return None
    return RecognizerSpec("component", name, config)


def _build_function(
    draft: ModelDraft,
    path: NodePath,
    reference: str,
    config: Mapping[str, Any],
) -> RecognizerSpec | None:
    where = (*path, "recognizer")
    module, _, name = reference.rpartition("#")
    if not name:
        draft.add_error(where, "the name of the function is missing", "write module#function")
        return None
    try:
        function = draft.code.find(module, name)
    except GrammarError as error:
        draft.add_error(where, error.message, error.hint)
        return None
    # With the module, so that the name is valid without the model.
    full = f"{module or draft.code.module}#{name}"
    found = list(find_mismatches(full, function, config))
    for mismatch in found:
        if mismatch.option:
            draft.add_key_error((*path, "config", mismatch.option), mismatch.message, mismatch.hint)
        else:
            draft.add_error(where, mismatch.message, mismatch.hint)
    return None if found else RecognizerSpec("function", full, config, function)


def _build_named(draft: ModelDraft, path: NodePath, name: str) -> RecognizerSpec | None:
    if name.startswith(_SPACY):
        if label := name.removeprefix(_SPACY).strip():
            return RecognizerSpec("spacy", label)
        draft.add_error(path, "the label is missing", "write spacy:PERSON, spacy:ORG …")
        return None
    if find_builtin(name) is not None:
        return RecognizerSpec("built-in", name, resolve_options(name, {}))
    draft.add_error(path, f"there is no built-in entity '{name}'", _suggestion_hint(draft, name))
    return None


def _suggestion_hint(draft: ModelDraft, name: str) -> str:
    """A hint for an unknown recognizer."""
    if found := closest_match(name, (*BUILTIN_ENTITIES, *NLPCRAFT_ENTITIES)):
        return f"did you mean '{found}'?"
    if name in draft.declared_ids:
        return "an element of the model needs no recognizer: its synonyms find it"
    if name.isupper():
        return f"did you mean 'spacy:{name}'?"
    folded = name.casefold()
    if within := next((one for one, others in _RELATED_NAMES.items() if folded in others), ""):
        return f"'{within}' finds such things"
    if "." in name or ":" in name:
        return "a function is written module#function, a component component:NAME"
    return f"there are: {', '.join(BUILTIN_ENTITIES)}, spacy:LABEL"


def _check_references(draft: ModelDraft, declared: Sequence[Element]) -> None:
    """Report names under ``of`` and ``except`` that the model has neither as elements nor as
    groups."""
    written = draft.file.elements
    if any(draft.is_removed("elements", index, "groups") for index in range(len(written))):
        return
    groups = {group for element in declared for group in element.groups}
    known = {*draft.element_ids, *draft.file.entities, *groups}
    for index, element in enumerate(declared):
        if element.recognition is None or element.recognition.kind != "built-in":
            continue
        for key in ("of", "except"):
            for name in element.recognition.options.get(key, ()):
                if name not in known:
                    hint = did_you_mean(name, sorted(known), label="there are")
                    message = f"the model has neither an element nor a group '{name}'"
                    draft.add_error(("elements", index, "config", key), message, hint)


def _normalize_name(name: str) -> str:
    """spaCy labels are compared without case."""
    return name.casefold() if name.startswith(_SPACY) else name
