"""The message queue: what to evict when the window is full.

A *unit* is what can only leave together: an event, or an answer of the model with the results of
its calls. The units since the last event are the last exchange.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from anaphora.agents.state.messages import Message
from anaphora.agents.state.records import Flushed

__all__ = ["Room", "plan_flush", "split_units", "visible_messages"]

_PRESSURE = 0.7  # share of the window at which the model is warned,
_PRESSURE_OF_QUEUE = 0.7  # unless the queue takes less than that of its own room
_LOW_WATER = 0.5  # share of the window that a flush leaves filled
_LOW_WATER_OF_QUEUE = 0.25  # of what the instructions leave, if they take more than that


@dataclass(frozen=True, slots=True)
class Room:
    """How many tokens there are for a prompt: in all (``window``, without the space reserved for
    the answer), and for what is always there (``fixed``: instructions, core memory, functions)."""

    window: int
    fixed: int

    @property
    def queue(self) -> int:
        """The tokens that the queue and its summary may take."""
        return self.window - self.fixed

    @property
    def low_water(self) -> int:
        """The tokens that the queue and its summary may take after a flush."""
        return int(max(_LOW_WATER * self.window - self.fixed, _LOW_WATER_OF_QUEUE * self.queue))

    def is_pressed(self, queue_tokens: int) -> bool:
        """Whether it is time to warn the model."""
        is_full = self.fixed + queue_tokens >= _PRESSURE * self.window
        return is_full and queue_tokens >= _PRESSURE_OF_QUEUE * self.queue


def split_units(queue: Sequence[Message]) -> Iterator[list[Message]]:
    """Split a queue into units."""
    unit: list[Message] = []
    for message in queue:
        if unit and message.kind != "result":
            yield unit
            unit = []
        unit.append(message)
    if unit:
        yield unit


def visible_messages(queue: Sequence[Message], last: int | None) -> Sequence[Message]:
    """Return the messages of the ``last`` units (None: of all), and of the present event."""
    if last is None or not queue:
        return queue
    units = list(split_units(queue))
    event = queue[-1].event
    first = next(n for n, unit in enumerate(units) if unit[0].event == event)
    return [one for unit in units[min(first, max(0, len(units) - last)) :] for one in unit]


def plan_flush(queue: Sequence[Message], summary_tokens: int, room: Room) -> Flushed | None:
    """Return which messages leave a queue that is too full; None if none may leave.

    The oldest units leave until the rest fits below the low-water mark. The last exchange stays;
    only if it alone is too large, its own oldest steps leave, but neither its event nor its last
    unit.
    """
    units = list(split_units(queue))
    last_event = queue[-1].event if queue else ""
    opening = next((n for n, unit in enumerate(units) if unit[0].event == last_event), len(units))
    tokens = summary_tokens + sum([message.tokens for message in queue])
    evicted = 0
    while evicted < opening and tokens > room.low_water:
        tokens -= _size(units[evicted])
        evicted += 1
    kept: list[Message] = []
    if evicted == opening and tokens > room.queue and opening < len(units) - 2:
        kept = units[opening]  # the event itself
        evicted += 1
        while evicted < len(units) - 1 and tokens > room.low_water:
            tokens -= _size(units[evicted])
            evicted += 1
        if evicted == opening + 1:
            evicted, kept = opening, []
    if not evicted:
        return None
    return Flushed(units[evicted - 1][-1].number, tuple([message.number for message in kept]))


def _size(unit: Sequence[Message]) -> int:
    return sum([message.tokens for message in unit])
