"""The functions that answer the intents of a model, as its file names them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from anaphora.errors import GrammarError, Problem
from anaphora.grammar.code import Code
from anaphora.models.draft import Draft
from anaphora.models.intents import KnownIntents
from anaphora.models.nodes import node_at

__all__ = ["NamedFunction", "named", "read_handlers"]

_NAMES_A_FUNCTION = re.compile(r"#[^#]+\Z")


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
        if not _NAMES_A_FUNCTION.search(reference):
            draft.complain(
                path,
                f"'{reference}' names no function",
                "write module#function, or #function of the module under 'code:'",
            )
            continue
        place = draft.report.source.problem(node_at(draft.root, path).start, "")
        try:
            read[intent] = named(reference, code, place)
        except GrammarError as error:
            draft.complain(path, error.message, error.hint)
    return read


def named(reference: str, code: Code, place: Problem) -> NamedFunction:
    """The function of that name. Raises :class:`GrammarError` as :meth:`Code.find` does."""
    module, _, name = reference.rpartition("#")
    return NamedFunction(code.find(module, name), reference, place)
