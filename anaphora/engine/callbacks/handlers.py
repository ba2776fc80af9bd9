"""Handlers: callbacks that answer a matched intent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypedDict, Unpack

from anaphora.engine.callbacks.bound_function import BoundFunction
from anaphora.engine.callbacks.live_conversation import LiveConversation
from anaphora.errors import HandlerError, ModelError, Problem
from anaphora.grammar.idl.intent import Intent
from anaphora.intents.match import Match
from anaphora.models.building.handlers import HandlerReference
from anaphora.models.domain import Model

__all__ = ["Handler", "Reject", "Skip", "bind_handlers", "handler_problem", "plain_function"]


class HandlerContext(TypedDict):
    """What a handler can take besides the match and its slots."""

    data: dict[str, Any]
    text: str
    user: str
    conversation: LiveConversation
    at: datetime
    language: str
    accepted: Mapping[str, str]
    declined: Sequence[Mapping[str, str]]
    comparison: str
    correction: bool


_CONTEXT_PARAMETERS = ("match", *HandlerContext.__annotations__)


class Skip(Exception):  # noqa: N818 - a request of the handler, not an error
    """Raised by a handler to pass the question to the next best match."""


class Reject(Exception):  # noqa: N818
    """Raised by a handler that cannot answer; its text is the reason that the user sees."""


@dataclass(frozen=True, slots=True)
class Handler:
    """A function bound to an intent; its parameters are filled by name, as
    :meth:`~anaphora.engine.engine.Engine.on` describes. A ``**keyword`` parameter gets all other
    slots."""

    function: BoundFunction

    @classmethod
    def bind(cls, function: Callable[..., Any], intent: Intent) -> Handler:
        """Check ``function`` against the slots of ``intent``.

        Raises :class:`HandlerError` for a parameter that nothing can fill.
        """
        known = [term.id for term in intent.terms if term.id is not None]
        known += _CONTEXT_PARAMETERS
        role = f"the handler of '{intent.id}'"
        return cls(BoundFunction.bind(function, role, known, kind="one of its slots"))

    def __call__(self, match: Match, **context: Unpack[HandlerContext]) -> Any:
        """Call the function and return its result.

        Raises :class:`Skip` and :class:`Reject` as they are, and :class:`HandlerError` for every
        other exception, which is its cause.
        """
        slots = {name: slot.value for name, slot in match.slots.items()}
        others = {"match": match, **context}
        free = {name: value for name, value in others.items() if not match.intent.term(name)}
        return self.function(free | slots, slots, passing=(Skip, Reject))


def bind_handlers(model: Model) -> dict[str, Handler]:
    """Bind the handlers that the model names. Raises :class:`ModelError` for those that do not fit
    their intents."""
    bound, problems = {}, []
    for intent in model.intents:
        function = model.handlers.get(intent.id)
        if function is None:
            continue
        try:
            bound[intent.id] = Handler.bind(plain_function(function), intent)
        except HandlerError as error:
            problems.append(handler_problem(model, function, error))
    if problems:
        raise ModelError(problems)
    return bound


def plain_function(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function itself of one that a model file may name."""
    return function.function if isinstance(function, HandlerReference) else function


def handler_problem(model: Model, function: Callable[..., Any], error: HandlerError) -> Problem:
    """The problem of a function of ``model`` that cannot be bound, at its place in the file."""
    if isinstance(function, HandlerReference):
        return replace(function.place, message=str(error))
    return Problem(str(error), model.source)
