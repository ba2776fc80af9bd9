"""What the chat model of the agent answers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle
from typing import Any

from tests.support.chat_endpoint import Reply, call, calls, fault, say

__all__ = ["ChatScript"]


class ChatScript:
    """Replies to a request of the agent: calls of its functions, messages, summaries, facts, and
    now and then a fault."""

    def __init__(self) -> None:
        self._steps = cycle(_steps())

    def __call__(self, body: dict[str, Any]) -> Reply:
        names = {tool["function"]["name"] for tool in body.get("tools", ())}
        if "record_facts" in names:
            return call("record_facts", {"facts": [_FACT]})
        return next(self._steps) if names else say("They spoke of tea and of the weather.")


_FACT = {"exchange": 1, "subject": "user", "relation": "drinks", "object": "tea"}
_HELLO = call("send_message", {"message": "A cup of tea is the answer."}, thought="I greet them.")


def _steps() -> Iterator[Reply]:
    yield _HELLO
    yield calls(call("archival_memory_insert", {"content": "They like tea."}), _HELLO)
    for name, arguments in (
        ("archival_memory_search", {"query": "tea"}),
        ("conversation_search", {"query": "tea"}),
        ("core_memory_append", {"name": "human", "content": "Likes tea."}),
        ("no_such_function", {}),
    ):
        yield call(name, {**arguments, "request_heartbeat": True})
        yield _HELLO
    for kind in ("status 500", "half-stream", "close"):
        yield fault(kind)
        yield _HELLO
