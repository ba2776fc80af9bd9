"""Who finds the elements that are more than phrases: what ``entities`` and ``recognizer`` say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from anaphora.errors import GrammarError
from anaphora.grammar.code import Code
from anaphora.models.builtin import BUILT_IN, NLPCRAFT, known_entity, options_of, wrong_options
from anaphora.models.domain import Element, Recognition
from anaphora.models.draft import Draft
from anaphora.models.functions import misfits
from anaphora.models.hints import closest, did_you_mean
from anaphora.models.nodes import Path

__all__ = ["built_in_elements", "read_recognition"]

_SPACY, _COMPONENT = "spacy:", "component:"
_WITHIN = {
    "date": ("time", "datetime", "day", "hour", "weekday", "month", "year", "period"),
    "number": ("int", "integer", "float", "percent", "percentage", "ordinal", "quantity", "unit"),
    "money": ("currency", "price", "amount"),
    "place": ("city", "country", "region", "continent", "location", "address"),
    "boolean": ("yes_no", "yesno", "confirmation"),
    "spacy:PERSON": ("person",),
    "spacy:ORG": ("organization", "organisation", "company"),
}
"""By the names of entities, others under which people look for what they find."""


def built_in_elements(draft: Draft, declared: Sequence[Element]) -> Iterator[Element]:
    """An element for each name under ``entities``; unknown names, and those that are elements
    of the file as well, are reported."""
    _check_references(draft, declared)
    taken = {element.id for element in declared}
    first: dict[str, str] = {}
    for index, name in enumerate(draft.file.entities):
        path = ("entities", index)
        same = _folded(name)
        if same in first:
            draft.complain(path, f"the entity '{first[same]}' stands here twice")
            continue
        first[same] = name
        if name in taken:
            hint = "leave it out: 'entities' are the built-in ones"
            if known_entity(name) or name.startswith(_SPACY):
                hint = f"give that element 'recognizer: {name}', and leave this out"
            draft.complain(path, f"the model declares an element '{name}' as well", hint)
        elif (recognition := _named(draft, path, name)) is not None:
            yield Element(id=name, groups=frozenset({name}), recognition=recognition)


def read_recognition(
    draft: Draft, path: Path, reference: str, config: Mapping[str, Any], code: Code
) -> Recognition | None:
    """What ``reference`` and ``config`` of the element at ``path`` stand for; None, and reported,
    for a mistake."""
    where = (*path, "recognizer")
    if "#" in reference:
        return _function(draft, path, reference, config, code)
    if reference.startswith(_COMPONENT):
        return _component(draft, where, reference.removeprefix(_COMPONENT).strip(), config, code)
    named = _named(draft, where, reference)
    if named is None:
        return None
    if named.kind == "spacy":
        if config:
            draft.complain((*path, "config"), "an entity of spaCy has no options")
        return named
    if wrong := list(wrong_options(reference, config)):
        for one in wrong:
            draft.complain_of_key((*path, "config", one.key), one.message, one.hint)
        return None
    return Recognition("built-in", reference, options_of(reference, config))


def _component(
    draft: Draft, where: Path, name: str, config: Mapping[str, Any], code: Code
) -> Recognition | None:
    if not name:
        draft.complain(where, "the name of the component is missing", "write component:NAME")
        return None
    try:
        code.load()  # it may be what registers the component
    except GrammarError as error:
        again = "already exists" in error.message  # what spaCy says of a name that is taken
        hint = "a component has its name in the whole program: take another one" if again else ""
        draft.complain(("code",), error.message, hint or error.hint)
        return None
    return Recognition("component", name, config)


def _function(
    draft: Draft, path: Path, reference: str, config: Mapping[str, Any], code: Code
) -> Recognition | None:
    where = (*path, "recognizer")
    module, _, name = reference.rpartition("#")
    if not name:
        draft.complain(where, "the name of the function is missing", "write module#function")
        return None
    try:
        function = code.find(module, name)
    except GrammarError as error:
        draft.complain(where, error.message, error.hint)
        return None
    # With its module, so that it can be found without the model, too.
    full = f"{module or code.module}#{name}"
    found = list(misfits(full, function, config))
    for misfit in found:
        if misfit.option:
            draft.complain_of_key((*path, "config", misfit.option), misfit.message, misfit.hint)
        else:
            draft.complain(where, misfit.message, misfit.hint)
    return None if found else Recognition("function", full, config, function)


def _named(draft: Draft, path: Path, name: str) -> Recognition | None:
    if name.startswith(_SPACY):
        if label := name.removeprefix(_SPACY).strip():
            return Recognition("spacy", label)
        draft.complain(path, "the label is missing", "write spacy:PERSON, spacy:ORG …")
        return None
    if known_entity(name) is not None:
        return Recognition("built-in", name, options_of(name, {}))
    draft.complain(path, f"there is no built-in entity '{name}'", _meant(draft, name))
    return None


def _meant(draft: Draft, name: str) -> str:
    """A hint for a name that is none of a recognizer."""
    if found := closest(name, (*BUILT_IN, *NLPCRAFT)):
        return f"did you mean '{found}'?"
    if name in draft.written_names:
        return "an element of the model needs no recognizer: its synonyms find it"
    if name.isupper():
        return f"did you mean 'spacy:{name}'?"
    asked = name.casefold()
    if within := next((one for one, others in _WITHIN.items() if asked in others), ""):
        return f"'{within}' finds such things"
    if "." in name or ":" in name:
        return "a function is written module#function, a component component:NAME"
    return f"there are: {', '.join(BUILT_IN)}, spacy:LABEL"


def _check_references(draft: Draft, declared: Sequence[Element]) -> None:
    """Reports names under ``of`` that no element and no group of the model has."""
    written = draft.file.elements
    if any(draft.is_spoilt("elements", index, "groups") for index in range(len(written))):
        return
    groups = {group for element in declared for group in element.groups}
    known = {*draft.element_names, *draft.file.entities, *groups}
    for index, element in enumerate(declared):
        if element.recognition is None or element.recognition.kind != "built-in":
            continue
        for name in element.recognition.options.get("of", ()):
            if name not in known:
                hint = did_you_mean(name, sorted(known), what="there are")
                message = f"the model has neither an element nor a group '{name}'"
                draft.complain(("elements", index, "config", "of"), message, hint)


def _folded(name: str) -> str:
    """Labels of spaCy compare without case."""
    return name.casefold() if name.startswith(_SPACY) else name
