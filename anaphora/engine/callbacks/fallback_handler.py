"""The callback that answers when nothing else does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypedDict, Unpack, cast

from anaphora.engine.callbacks.bound_function import BoundFunction
from anaphora.engine.callbacks.handlers import handler_problem, plain_function
from anaphora.engine.callbacks.live_conversation import LiveConversation
from anaphora.errors import HandlerError, ModelError
from anaphora.models.domain import FallbackKind, Model

__all__ = ["FALLBACK_ROLE", "FallbackContext", "FallbackHandler", "bind_fallback_handler"]

FALLBACK_ROLE = "the fallback handler"


class FallbackContext(TypedDict):
    """What a fallback handler can take."""

    text: str
    reason: str
    kind: FallbackKind
    unknown: Sequence[str]
    examples: Sequence[str]
    failures: int
    user: str
    language: str
    at: datetime
    conversation: LiveConversation
    data: dict[str, Any]


@dataclass(frozen=True, slots=True)
class FallbackHandler:
    """A function that may answer a rejected question; its parameters are filled by name, as
    :meth:`~anaphora.engine.engine.Engine.on_fallback` describes."""

    function: BoundFunction

    @classmethod
    def bind(cls, function: Callable[..., Any]) -> FallbackHandler:
        """Check the parameters of ``function``. Raises :class:`HandlerError` for one that nothing
        can fill."""
        known = FallbackContext.__annotations__
        return cls(BoundFunction.bind(function, FALLBACK_ROLE, known, kind="known"))

    def __call__(self, **context: Unpack[FallbackContext]) -> Any:
        """Call the function and return its result. Raises :class:`HandlerError` if it fails."""
        given = cast(dict[str, Any], context)
        return self.function(given, given)


def bind_fallback_handler(model: Model) -> FallbackHandler | None:
    """Bind the fallback handler that the model names, if any. Raises :class:`ModelError` if its
    parameters do not fit."""
    function = model.fallback_handler
    if function is None:
        return None
    try:
        return FallbackHandler.bind(plain_function(function))
    except HandlerError as error:
        raise ModelError(handler_problem(model, function, error)) from error
