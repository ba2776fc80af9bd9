"""Show the beginning of a message that is too long for the prompt."""

from __future__ import annotations

from typing import Protocol

from msgspec.structs import replace

from anaphora.agents.context.main_context import render_message
from anaphora.agents.state.messages import Message
from anaphora.chat_model.messages import ChatMessage

__all__ = ["TokenCounter", "count_message", "fit_message"]

_SHORTEST = 200  # characters
_MARGIN = 0.9  # tokens are not spread evenly over a text
_FUNCTION_NAME = 12  # tokens, which some forms of a prompt repeat in the result of a call


class TokenCounter(Protocol):
    """Counts the tokens of a prompt."""

    def count(self, messages: list[ChatMessage], /) -> int: ...


def fit_message(
    message: Message, counter: TokenCounter, *, tokens: int, characters: int | None = None
) -> Message:
    """Return the message with its size in tokens, and with the number of characters that are shown
    if its text has more than ``characters`` or it takes more than ``tokens``. At least 200
    characters are shown. An answer of the model is never shortened: its calls must stay whole."""
    if message.kind == "assistant":
        return replace(message, tokens=count_message(render_message(message), counter))
    shown = message.shown
    if characters is not None and len(message.text) > characters:
        shown = min(shown or characters, characters)
    while True:
        size = count_message(render_message(replace(message, shown=shown)), counter)
        length = len(message.text) if shown is None else min(shown, len(message.text))
        if size <= tokens or length <= _SHORTEST:
            return replace(message, shown=shown, tokens=size)
        shown = max(_SHORTEST, min(int(length * tokens / size * _MARGIN), length - 1))


def count_message(message: ChatMessage, counter: TokenCounter) -> int:
    """Return the tokens that a message adds to a prompt."""
    alone = counter.count([message]) - counter.count([])
    return alone + _FUNCTION_NAME if message.role == "tool" else alone
