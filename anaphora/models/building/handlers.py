"""Resolve the handlers that a model file names."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from anaphora.errors import GrammarError, Problem
from anaphora.grammar.python_functions import FunctionLoader
from anaphora.models.building.intents import IntentTable
from anaphora.models.checking.model_draft import ModelDraft
from anaphora.models.reading.nodes import NodePath, node_at
from anaphora.models.schema.fallback import FallbackSchema

__all__ = [
    "HandlerReference",
    "resolve_fallback_handler",
    "resolve_handler",
    "resolve_handlers",
]

_FUNCTION_NAME = re.compile(r"#[^#]+\Z")


@dataclass(frozen=True, slots=True)
class HandlerReference:
    """A handler function with its reference in the model file.

    ``reference`` is the text in the file (``module#function``); ``place`` is a problem without a
    message, for errors about the function that are found later.
    """

    function: Callable[..., Any]
    reference: str
    place: Problem

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self.function(*arguments, **named)


def resolve_handlers(draft: ModelDraft, intents: IntentTable) -> dict[str, HandlerReference]:
    """The handlers by intent; reports unknown intents and functions."""
    read = {}
    for intent, reference in draft.file.handlers.items():
        path = ("handlers", intent)
        if intents.is_unknown(intent):
            draft.add_unknown_name(path, "intent", intent, intents.names, in_key=True)
        if found := _find_function(draft, path, reference):
            read[intent] = found
    return read


def resolve_fallback_handler(draft: ModelDraft) -> HandlerReference | None:
    """The handler of the fallback, if it has one; reports an unknown function."""
    fallback = draft.file.fallback
    if not isinstance(fallback, FallbackSchema) or fallback.handler is None:
        return None
    return _find_function(draft, ("fallback", "handler"), fallback.handler)


def _find_function(draft: ModelDraft, path: NodePath, reference: str) -> HandlerReference | None:
    if not _FUNCTION_NAME.search(reference):
        draft.add_error(
            path,
            f"'{reference}' names no function",
            "write module#function, or #function of the module under 'code:'",
        )
        return None
    place = draft.diagnostics.source.build_problem(node_at(draft.root, path).start, "")
    try:
        return resolve_handler(reference, draft.code, place)
    except GrammarError as error:
        draft.add_function_error(path, reference.rpartition("#")[0], error)
        return None


def resolve_handler(reference: str, code: FunctionLoader, place: Problem) -> HandlerReference:
    """Resolve a reference. Raises :class:`GrammarError` like :meth:`FunctionLoader.find`."""
    module, _, name = reference.rpartition("#")
    return HandlerReference(code.find(module, name), reference, place)
