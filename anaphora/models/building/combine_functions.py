"""Resolve the functions that combine entities of an element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anaphora.errors import GrammarError
from anaphora.grammar.python_functions import accepts_arguments
from anaphora.models.checking.model_draft import ModelDraft
from anaphora.models.reading.nodes import NodePath

__all__ = ["find_combine_function"]


def find_combine_function(
    draft: ModelDraft, path: NodePath, reference: str
) -> Callable[..., Any] | None:
    """The function ``module#function`` that the file names at ``path``; reports errors and returns
    None."""
    module, _, name = reference.rpartition("#")
    if not name:
        draft.add_error(path, "the name of the function is missing", "write module#function")
        return None
    try:
        function = draft.code.find(module, name)
    except GrammarError as error:
        draft.add_error(path, error.message, error.hint)
        return None
    if not accepts_arguments(function, 2):
        hint = "it is called with the old and the new entity"
        draft.add_error(path, f"{reference} must take two arguments", hint)
        return None
    return function
