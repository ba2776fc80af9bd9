"""Hooks: functions of a bot's author around the answering of any question.

In the order in which they are called: ``variant`` may drop a way to read the sentence,
``context`` may answer before any intent is looked for, ``intent`` may send a match back,
``result`` may change the answer of a handler, ``rejection`` may answer what was rejected,
``error`` what failed. The second to the fourth may raise :class:`Reject`, as a handler may, and
those after a match :class:`Skip`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any, Literal, TypeAlias, get_args

from anaphora.core.utterance import Utterance, Variant
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
    """The hooks of one model; one that is not set changes nothing."""

    def __init__(self) -> None:
        self._functions: dict[str, Callable[..., Any]] = {}

    def set(self, name: str, function: Callable[..., Any]) -> None:
        """Let ``function`` be the hook of that name, instead of any earlier one. Raises
        :class:`HandlerError` if there is no such hook, and for an async function."""
        names = get_args(HookName)
        if name not in names:
            close = get_close_matches(name, names, n=1)
            meant = f"did you mean '{close[0]}'?" if close else f"there are: {', '.join(names)}"
            raise HandlerError(f"there is no hook '{name}'; {meant}")
        if not callable(function):
            raise HandlerError(f"the hook '{name}' must be a function, not {function!r}")
        if inspect.iscoroutinefunction(function):
            raise HandlerError(f"the hook '{name}' is async: a hook is a plain function")
        self._functions[name] = function

    @property
    def is_empty(self) -> bool:
        """Whether there is none."""
        return not self._functions

    def run_variant(self, variant: Variant) -> bool:
        """Whether this way to read the sentence is looked at."""
        return "variant" not in self._functions or self._call_predicate("variant", variant)

    @property
    def has_context_hook(self) -> bool:
        """Whether there is a hook that is asked before any intent is looked for."""
        return "context" in self._functions

    def run_context(self, utterance: Utterance, conversation: LiveConversation) -> Any:
        """The answer to the question before any intent is looked for; None to go on."""
        return self._call("context", utterance, conversation)

    def run_intent(self, match: Match, conversation: LiveConversation) -> bool:
        """Whether the match may be answered; otherwise all is matched again, with what the hook
        has forgotten."""
        return "intent" not in self._functions or self._call_predicate(
            "intent", match, conversation
        )

    def run_result(self, match: Match, result: Any) -> Any:
        """What is answered instead of ``result``."""
        changed = self._call("result", match, result)
        return result if changed is None else changed

    def run_rejection(self, reason: str) -> Any:
        """What is answered to a question that was rejected for ``reason``; None for that."""
        return self._call("rejection", reason)

    def run_error(self, error: HandlerError) -> Any:
        """What is answered when a handler has failed; None to let the error out."""
        return self._call("error", error)

    def _call_predicate(self, name: HookName, *arguments: Any) -> bool:
        result = self._call(name, *arguments)
        if not isinstance(result, bool):
            raise HandlerError(f"the hook '{name}' must return True or False, not {result!r}")
        return result

    def _call(self, name: HookName, *arguments: Any) -> Any:
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
