"""Hooks: callbacks for every question, whatever its intent.

:meth:`~anaphora.engine.engine.Engine.hook` describes them in the order of the calls. ``context``,
``intent`` and ``result`` may raise :class:`Reject`; ``intent`` and ``result`` may raise
:class:`Skip`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias, get_args

from anaphora.core.name_hints import did_you_mean
from anaphora.core.utterance import Variant
from anaphora.engine.callbacks.handlers import Reject, Skip
from anaphora.engine.callbacks.live_conversation import LiveConversation
from anaphora.errors import HandlerError
from anaphora.grammar.function_errors import describe_failure
from anaphora.intents.match import Match

__all__ = ["HookName", "Hooks"]

HookName: TypeAlias = Literal["variant", "context", "intent", "result", "rejection", "error"]

_ALLOWED_EXCEPTIONS: Mapping[HookName, tuple[type[Exception], ...]] = {
    "context": (Reject,),
    "intent": (Reject, Skip),
    "result": (Reject, Skip),
}


class Hooks:
    """The hooks of one model. A hook that is not set changes nothing."""

    def __init__(self) -> None:
        self._functions: dict[str, Callable[..., Any]] = {}

    def __contains__(self, name: HookName) -> bool:
        return name in self._functions

    def set(self, name: str, function: Callable[..., Any]) -> None:
        """Register ``function`` as the hook ``name``, replacing an earlier one. Raises
        :class:`HandlerError` if there is no such hook, and for an async function."""
        names = get_args(HookName)
        if name not in names:
            hint = did_you_mean(name, names, label="there are")
            raise HandlerError(f"there is no hook '{name}'; {hint}")
        if not callable(function):
            raise HandlerError(f"the hook '{name}' must be a function, not {function!r}")
        if inspect.iscoroutinefunction(function):
            raise HandlerError(f"the hook '{name}' is async: a hook is a plain function")
        self._functions[name] = function

    @property
    def is_empty(self) -> bool:
        """Whether no hook is set."""
        return not self._functions

    def accepts_variant(self, variant: Variant) -> bool:
        """Whether to match this variant of the sentence."""
        return "variant" not in self._functions or self._call_predicate("variant", variant)

    def accepts_match(self, match: Match, conversation: LiveConversation) -> bool:
        """Whether to answer the match; otherwise the question is matched again, with the
        conversation as the hook has changed it."""
        return "intent" not in self._functions or self._call_predicate(
            "intent", match, conversation
        )

    def run_result(self, match: Match, result: Any) -> Any:
        """Return the replacement of a handler's ``result``, or ``result`` itself."""
        changed = self.call("result", match, result)
        return result if changed is None else changed

    def call(self, name: HookName, *arguments: Any) -> Any:
        """Return the result of a hook, None if it is not set."""
        function = self._functions.get(name)
        if function is None:
            return None
        try:
            return function(*arguments)
        except _ALLOWED_EXCEPTIONS.get(name, ()):
            raise
        except Exception as error:
            raise HandlerError(
                f"the hook '{name}' failed: {describe_failure(error, function)}"
            ) from error

    def _call_predicate(self, name: HookName, *arguments: Any) -> bool:
        result = self.call(name, *arguments)
        if not isinstance(result, bool):
            raise HandlerError(f"the hook '{name}' must return True or False, not {result!r}")
        return result
