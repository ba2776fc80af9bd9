"""Load the values of an element from a Python function."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from anaphora.errors import GrammarError
from anaphora.grammar.function_errors import describe_failure
from anaphora.models.building.phrases import PhraseExpander
from anaphora.models.domain import Element, ElementValue
from anaphora.models.reading.nodes import NodePath

__all__ = ["load_values"]

_EXPECTED_RESULT = "a mapping from names to lists of synonyms, or a list of names"


def load_values(
    expander: PhraseExpander, path: NodePath, reference: str, element: Element
) -> Element:
    """Add the values that the function ``module#function`` returns to the element.

    The function takes the element and returns a mapping from names to lists of synonyms, or a
    list of names; they replace values of the file. Errors are reported at ``path``.
    """
    module, _, name = reference.rpartition("#")
    try:
        function = expander.draft.code.find(module, name)
    except GrammarError as error:
        expander.draft.add_error(path, error.message, error.hint)
        return element
    try:
        written = dict(_iter_named_values(function(element)))
    except (Exception, SystemExit) as error:
        expander.draft.add_error(path, f"{reference} failed: {describe_failure(error)}")
        return element
    values = {value.name: value for value in element.values}
    for name, synonyms in written.items():
        values[name] = ElementValue(name, expander.expand(path, synonyms, (name,)))
    return replace(element, values=tuple(values.values()))


def _iter_named_values(given: Any) -> Iterable[tuple[str, tuple[str, ...]]]:
    """The names and their synonyms; raises TypeError for any other result."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise TypeError(f"it must give {_EXPECTED_RESULT}")
    pairs = given.items() if isinstance(given, Mapping) else ((name, ()) for name in given)
    for name, synonyms in pairs:
        usable = synonyms is None or isinstance(synonyms, Iterable)
        listed = tuple(synonyms or ()) if usable else ()
        if (
            not usable
            or isinstance(synonyms, str | Mapping)
            or not all(isinstance(one, str) for one in (name, *listed))
        ):
            raise TypeError(f"it must give {_EXPECTED_RESULT}")
        if not name.strip():
            raise ValueError("one of the names is empty")
        yield name, listed
