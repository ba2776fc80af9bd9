"""A chat model inside the process, so that a benchmark measures the agent alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from anaphora.chat_model.chat_model import ChatModel
from anaphora.chat_model.messages import ChatMessage, Completion, ToolCall, ToolSchema, Usage

__all__ = ["StubModel"]


class StubModel(ChatModel):
    """Answers each message of a user with ``searches`` calls in a chain, then a message. Tokens
    are estimated."""

    def __init__(self, *, window: int, searches: int = 0) -> None:
        super().__init__("http://127.0.0.1:9/v1", window=window)
        self._counter._next_probe = float("inf")  # no endpoint is asked for a tokenizer
        self.searches, self.calls = searches, 0

    def complete(
        self, messages: Sequence[ChatMessage], tools: Sequence[ToolSchema] = (), **options: Any
    ) -> Completion:
        self.calls += 1
        usage = Usage(1_000, 10, 1, 0.0)
        if not tools:
            return Completion("They spoke of the weather.", (), "stop", usage)
        if self.calls % (self.searches + 1):
            given = {
                "name": "human",
                "old_content": f"{self.calls - 1}",
                "new_content": f"{self.calls}",
                "request_heartbeat": True,
            }
            call = ToolCall("1", "core_memory_replace", json.dumps(given))
        else:
            call = ToolCall("1", "send_message", json.dumps({"message": "It is sunny in Kyoto."}))
        return Completion("", (call,), "tool_calls", usage)
