"""The functions that answer the intents of a model, as its file names them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from anaphora.errors import GrammarError, Problem
from anaphora.grammar.code import Code
from anaphora.models.draft import Draft
from anaphora.models.intents import KnownIntents
from anaphora.models.nodes import node_at

__all__ = ["NamedFunction", "read_handlers"]


@dataclass(frozen=True, slots=True)
class NamedFunction:
    """A function that a model file names, and where it does.

    ``reference`` is what the file says (``module#function``); ``place`` a problem without a
    message, which whoever finds that the function does not fit can complete.
    """

    function: Callable[..., Any]
    reference: str
    place: Problem

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self.function(*arguments, **named)


def read_handlers(draft: Draft, intents: KnownIntents, code: Code) -> dict[str, NamedFunction]:
    """The functions by intent; an unknown intent and a function that cannot be found are
    reported."""
    read = {}
    for intent, reference in draft.file.handlers.items():
        path = ("handlers", intent)
        if intents.is_unknown(intent):
            draft.complain_of_unknown(path, "intent", intent, intents.names, in_key=True)
        module, sign, name = reference.rpartition("#")
        if not sign or not name:
            draft.complain(
                path,
                f"'{reference}' names no function",
                "write module#function, or #function of the module under 'code:'",
            )
            continue
        try:
            function = code.find(module, name)
        except GrammarError as error:
            draft.complain(path, error.message, error.hint)
            continue
        place = draft.report.source.problem(node_at(draft.root, path).start, "")
        read[intent] = NamedFunction(function, reference, place)
    return read
