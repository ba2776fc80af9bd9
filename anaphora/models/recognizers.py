"""Who finds the elements that are more than phrases: what ``entities`` and ``recognizer`` say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from anaphora.errors import GrammarError
from anaphora.grammar.code import Code
from anaphora.models.builtin import BUILT_IN, options_of
from anaphora.models.domain import Element, Recognition
from anaphora.models.draft import Draft
from anaphora.models.hints import did_you_mean
from anaphora.models.nodes import Path

__all__ = ["built_in_elements", "read_recognition"]

_SPACY, _COMPONENT = "spacy:", "component:"


def built_in_elements(draft: Draft, declared: Sequence[Element]) -> Iterator[Element]:
    """An element for each name under ``entities``; unknown names, and those that are elements
    of the file as well, are reported."""
    taken = {element.id for element in declared}
    for index, name in enumerate(draft.file.entities):
        path = ("entities", index)
        if name in draft.file.entities[:index]:
            draft.complain(path, f"the entity '{name}' stands here twice")
        elif name in taken:
            draft.complain(
                path,
                f"the model declares an element '{name}' as well",
                f"give that element 'recognizer: {name}', and leave this out",
            )
        elif (recognition := _named(draft, path, name)) is not None:
            yield Element(id=name, groups=frozenset({name}), recognition=recognition)


def read_recognition(
    draft: Draft, path: Path, reference: str, config: Mapping[str, Any], code: Code
) -> Recognition | None:
    """What ``reference`` and ``config`` of the element at ``path`` stand for; None, and reported,
    for a mistake."""
    where = (*path, "recognizer")
    if "#" in reference:
        module, _, name = reference.rpartition("#")
        try:
            function = code.find(module, name)
        except GrammarError as error:
            draft.complain(where, error.message, error.hint)
            return None
        return Recognition("function", reference, config, function)
    if reference.startswith(_COMPONENT):
        return Recognition("component", reference.removeprefix(_COMPONENT), config)
    named = _named(draft, where, reference)
    if named is None:
        return None
    if named.kind == "spacy":
        if config:
            draft.complain((*path, "config"), "an entity of spaCy has no options")
        return named
    try:
        return Recognition("built-in", reference, options_of(reference, config))
    except ValueError as error:
        draft.complain((*path, "config"), str(error))
        return None


def _named(draft: Draft, path: Path, name: str) -> Recognition | None:
    if label := name.removeprefix(_SPACY) if name.startswith(_SPACY) else "":
        return Recognition("spacy", label)
    if name in BUILT_IN:
        return Recognition("built-in", name, options_of(name, {}))
    draft.complain(
        path,
        f"there is no built-in entity '{name}'",
        did_you_mean(name, sorted(BUILT_IN), what="there are")
        or f"there are: {', '.join(BUILT_IN)}, spacy:LABEL",
    )
    return None
