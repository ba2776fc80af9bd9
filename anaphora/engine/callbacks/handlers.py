"""Handlers: callbacks that answer a matched intent."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypedDict, Unpack

from anaphora.engine.callbacks.live_conversation import LiveConversation
from anaphora.errors import HandlerError, ModelError, Problem
from anaphora.grammar.function_errors import describe_failure
from anaphora.grammar.idl.intent import Intent
from anaphora.intents.match import Match
from anaphora.models.building.handlers import HandlerReference
from anaphora.models.domain import Model

__all__ = ["Handler", "Reject", "Skip", "bind_handlers"]


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

    function: Callable[..., Any]
    parameters: Mapping[str, Any]
    has_keyword_parameter: bool

    @classmethod
    def bind(cls, function: Callable[..., Any], intent: Intent) -> Handler:
        """Check ``function`` against the slots of ``intent``.

        Raises :class:`HandlerError` for a parameter that nothing can fill.
        """
        name = getattr(function, "__name__", repr(function))
        if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
            raise HandlerError(
                f"the handler {name} of '{intent.id}' is async: a handler is a plain function"
            )
        known = [term.id for term in intent.terms if term.id is not None]
        known += _CONTEXT_PARAMETERS
        parameters: dict[str, Any] = {}
        takes_all = False
        try:
            signature = inspect.signature(function)
        except (TypeError, ValueError) as error:
            raise HandlerError(f"{name} cannot be a handler of '{intent.id}': {error}") from error
        for parameter in signature.parameters.values():
            if parameter.kind is parameter.VAR_KEYWORD:
                takes_all = True
            elif parameter.kind is parameter.VAR_POSITIONAL:
                continue
            elif parameter.kind is parameter.POSITIONAL_ONLY:
                raise HandlerError(
                    f"the handler {name} of '{intent.id}' takes '{parameter.name}' by position: "
                    "a handler is called by the names of its parameters"
                )
            elif parameter.name not in known:
                raise HandlerError(
                    f"the handler {name} of '{intent.id}' has a parameter '{parameter.name}', "
                    f"which is not one of its slots; there are: {', '.join(known)}"
                )
            else:
                empty = parameter.default is parameter.empty
                parameters[parameter.name] = None if empty else parameter.default
        return cls(function, parameters, takes_all)

    def __call__(self, match: Match, **context: Unpack[HandlerContext]) -> Any:
        """Call the function and return its result.

        Raises :class:`Skip` and :class:`Reject` as they are, and :class:`HandlerError` for every
        other exception, which is its cause.
        """
        slots = {name: slot.value for name, slot in match.slots.items()}
        others = {"match": match, **context}
        free = {name: value for name, value in others.items() if not match.intent.term(name)}
        given = free | slots
        arguments = {name: given.get(name, default) for name, default in self.parameters.items()}
        if self.has_keyword_parameter:
            arguments = slots | arguments
        try:
            result = self.function(**arguments)
        except (Skip, Reject):
            raise
        except (Exception, SystemExit) as error:  # a handler may not end the program
            reason = describe_failure(error, self.function)
            raise HandlerError(f"the handler of '{match.intent.id}' failed: {reason}") from error
        if inspect.iscoroutine(result) or inspect.isgenerator(result):
            result.close()
            kind = type(result).__name__
            raise HandlerError(f"the handler of '{match.intent.id}' returned a {kind}, not run yet")
        return result


def bind_handlers(model: Model) -> dict[str, Handler]:
    """Bind the handlers that the model names. Raises :class:`ModelError` for those that do not fit
    their intents."""
    bound, problems = {}, []
    for intent in model.intents:
        function = model.handlers.get(intent.id)
        if function is None:
            continue
        place = Problem("", model.source)
        if isinstance(function, HandlerReference):
            place = function.place
            function = function.function
        try:
            bound[intent.id] = Handler.bind(function, intent)
        except HandlerError as error:
            problems.append(replace(place, message=str(error)))
    if problems:
        raise ModelError(problems)
    return bound
