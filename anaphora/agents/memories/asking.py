"""Asks the model for a function call whose arguments must fit, and repeats it once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from anaphora.agents.execution.services import MemoryUpdate
from anaphora.agents.functions.function import HEARTBEAT, CallError, parse_arguments
from anaphora.agents.state.messages import FunctionCall
from anaphora.chat_model.messages import ChatMessage, Completion, ToolSchema

__all__ = ["answer_calls", "ask_for_call"]

_T = TypeVar("_T")
_ATTEMPTS = 2


def ask_for_call(
    update: MemoryUpdate,
    prompt: Sequence[ChatMessage],
    tool: ToolSchema,
    read: Callable[[dict[str, Any]], _T],
    *,
    purpose: str,
    read_text: Callable[[str], _T | None] = lambda text: None,
) -> _T | None:
    """Return what ``read`` makes of the arguments of a call; a ``ValueError`` or
    :class:`CallError` of it is told to the model, which may try once more. An answer without a call
    is passed to ``read_text``. None if nothing fits.

    Raises :class:`~anaphora.errors.ChatModelError` if the model cannot be used.
    """
    messages = list(prompt)
    for _ in range(_ATTEMPTS):
        completion = update.ask(messages, [tool], purpose=purpose)
        if not completion.calls:
            return read_text(completion.content)
        call = completion.calls[0]
        try:
            if call.name != tool.name:
                raise CallError(f"there is no such function; call {tool.name}")
            arguments = parse_arguments(FunctionCall(call.id, call.name, call.arguments))
            arguments.pop(HEARTBEAT, None)
            return read(arguments)
        except (CallError, ValueError, TypeError) as error:
            messages += answer_calls(completion, str(error))
    return None


def answer_calls(completion: Completion, reason: str) -> list[ChatMessage]:
    """Return an answer of the model, and the reason why its calls have failed."""
    failed = f"Failed: {reason}"
    return [
        ChatMessage("assistant", completion.content, completion.calls),
        *[ChatMessage("tool", failed, tool_call_id=one.id) for one in completion.calls],
    ]
