"""The last exchanges of a dialog, and what is said in an event."""

from __future__ import annotations

from collections.abc import Sequence

from anaphora.agents.context.queue import split_units
from anaphora.agents.execution.services import MemoryUpdate
from anaphora.agents.memories.declarations import ConversationMemory, Memory
from anaphora.agents.state.messages import Message

__all__ = ["count_units", "join_texts", "last_exchanges"]


def last_exchanges(memories: Sequence[Memory]) -> int | None:
    """Return how many exchanges before the present event the memories show: 0 without any memory
    of the conversation, None for all."""
    shown = [one.last for one in memories if isinstance(one, ConversationMemory)]
    return None if None in shown else max([one for one in shown if one is not None], default=0)


def count_units(queue: Sequence[Message], exchanges: int | None) -> int | None:
    """Return the number of units at the end of a queue that hold the present event and the last
    ``exchanges`` of the user before it (None: all)."""
    if exchanges is None or not queue:
        return exchanges
    units = list(split_units(queue))
    event = queue[-1].event
    present = next(at for at, unit in enumerate(units) if unit[0].event == event)
    earlier = [at for at, unit in enumerate(units[:present]) if unit[0].is_user_message]
    first = earlier[-exchanges:][0] if exchanges and earlier else present
    return len(units) - first


def join_texts(update: MemoryUpdate, *, limit: int) -> tuple[str, str]:
    """Return what the user and the agent said in an event, each cut to ``limit`` characters."""
    asked = "\n".join([one.text for one in update.messages if one.is_user_message])
    return asked[:limit], "\n".join(update.sent)[:limit]
