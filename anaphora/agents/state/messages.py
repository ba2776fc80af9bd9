"""Messages of an agent's conversation, as the log keeps them."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, TypeAlias

from msgspec import Struct

__all__ = ["EventKind", "FunctionCall", "Message", "MessageKind"]

EventKind: TypeAlias = Literal["user_message", "login", "heartbeat", "system_alert", "document"]
MessageKind: TypeAlias = Literal["event", "assistant", "result"]


class FunctionCall(Struct, frozen=True):
    """A function call as the model wrote it; ``arguments`` is meant to be the JSON text of an
    object."""

    id: str
    name: str
    arguments: str


class Message(Struct, frozen=True, omit_defaults=True):
    """One entry of the queue.

    ``kind`` "event" is something that happened (``name`` is its :data:`EventKind`), "assistant" an
    answer of the model (``text`` is its private thought, ``calls`` the functions that it calls),
    "result" the result of the function ``name`` for the call ``call_id``. ``event`` is the id of
    the event that it belongs to, ``number`` its position in the log. Of a text longer than
    ``shown`` characters, the prompt contains the beginning (None: all of it). ``tokens`` is the
    size of what the prompt contains.
    """

    kind: MessageKind
    text: str
    at: datetime
    event: str
    name: str = ""
    calls: tuple[FunctionCall, ...] = ()
    call_id: str = ""
    failed: bool = False
    number: int = 0
    tokens: int = 0
    shown: int | None = None

    @property
    def is_user_message(self) -> bool:
        return self.kind == "event" and self.name == "user_message"
