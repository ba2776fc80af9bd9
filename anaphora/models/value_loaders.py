"""Values of an element that a function in Python gives, when the model is loaded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from anaphora.errors import GrammarError
from anaphora.grammar.code import Code
from anaphora.models.domain import Element, ElementValue
from anaphora.models.draft import Draft
from anaphora.models.nodes import Path
from anaphora.models.phrases import Phrasebook

__all__ = ["with_loaded_values"]

_EXPECTED = "a mapping from names to lists of synonyms, or a list of names"


def with_loaded_values(
    draft: Draft, phrasebook: Phrasebook, path: Path, reference: str, element: Element, code: Code
) -> Element:
    """The element with the values that the function ``module#function`` gives for it.

    The function takes the element and gives a mapping from names to lists of synonyms, or names
    alone; a value that the file has as well is replaced. What is wrong is reported at ``path``.
    """
    module, _, name = reference.rpartition("#")
    try:
        function = code.find(module, name)
    except GrammarError as error:
        draft.complain(path, error.message, error.hint)
        return element
    try:
        written = dict(_named(function(element)))
    except (Exception, SystemExit) as error:
        draft.complain(path, f"{reference} failed: {type(error).__name__}: {error}")
        return element
    values = {value.name: value for value in element.values}
    for name, synonyms in written.items():
        values[name] = ElementValue(name, phrasebook.read(path, synonyms, (name,)))
    return replace(element, values=tuple(values.values()))


def _named(given: Any) -> Iterable[tuple[str, tuple[str, ...]]]:
    """Names and their synonyms; raises TypeError for anything else."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise TypeError(f"it must give {_EXPECTED}")
    pairs = given.items() if isinstance(given, Mapping) else ((name, ()) for name in given)
    for name, synonyms in pairs:
        usable = synonyms is None or isinstance(synonyms, Iterable)
        listed = tuple(synonyms or ()) if usable else ()
        if (
            not usable
            or isinstance(synonyms, str | Mapping)
            or not all(isinstance(one, str) for one in (name, *listed))
        ):
            raise TypeError(f"it must give {_EXPECTED}")
        if not name.strip():
            raise ValueError("one of the names is empty")
        yield name, listed
