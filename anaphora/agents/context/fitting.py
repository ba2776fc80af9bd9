"""Show the beginning of a message that is too long for the prompt."""

from __future__ import annotations

from typing import Protocol

from msgspec.structs import replace

from anaphora.agents.context.main_context import render_message
from anaphora.agents.state.messages import Message
from anaphora.chat_model.messages import ChatMessage

__all__ = ["SHORTEST", "TokenCounter", "count_message", "fit_message", "shown_length"]

SHORTEST = 40  # characters, to which a message is shortened at most
_SHORTEST_AT_FIRST = 200  # when it enters the queue
_MARGIN = 0.9  # tokens are not spread evenly over a text
_FUNCTION_NAME = 12  # tokens, which some forms of a prompt repeat in the result of a call


class TokenCounter(Protocol):
    """Counts the tokens of a prompt."""

    def count(self, messages: list[ChatMessage], /) -> int: ...


def fit_message(
    message: Message,
    counter: TokenCounter,
    *,
    tokens: int,
    characters: int | None = None,
    shortest: int = _SHORTEST_AT_FIRST,
) -> Message:
    """Return the message with its size in tokens, and with the number of characters that are shown
    if its text has more than ``characters`` or it takes more than ``tokens``. At least
    ``shortest`` characters are shown; of an answer of the model, so many of its text and of the
    arguments of each call, which run with all of them."""
    shown = message.shown
    if characters is not None and len(message.text) > characters:
        shown = min(shown or characters, characters)
    while True:
        size = count_message(render_message(replace(message, shown=shown)), counter)
        length = shown_length(replace(message, shown=shown))
        if size <= tokens or length <= shortest:
            return replace(message, shown=shown, tokens=size)
        shown = max(shortest, min(int(length * tokens / size * _MARGIN), length - 1))


def shown_length(message: Message) -> int:
    """Return how many characters of the longest part of a message a prompt shows."""
    longest = max([len(message.text), *[len(call.arguments) for call in message.calls]])
    return longest if message.shown is None else min(message.shown, longest)


def count_message(message: ChatMessage, counter: TokenCounter) -> int:
    """Return the tokens that a message adds to a prompt."""
    alone = counter.count([message]) - counter.count([])
    return alone + _FUNCTION_NAME if message.role == "tool" else alone
