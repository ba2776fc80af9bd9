"""A sliding-window counter in the memory of this process: constant time, bounded memory."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable

__all__ = ["SlidingWindowCounter"]


class _ClientWindow:
    """The hits of one client in the current window and in the previous one."""

    __slots__ = ("current", "previous", "window")

    def __init__(self, window: int) -> None:
        self.window = window
        self.previous = self.current = 0

    def advance(self, window: int) -> None:
        """Advance to a later window. A clock that goes backwards changes nothing."""
        if window > self.window:
            self.previous = self.current if window == self.window + 1 else 0
            self.window, self.current = window, 0


class SlidingWindowCounter:
    """A counter that allows each client ``amount`` hits in any ``seconds``.

    It uses the standard estimate: hits of the previous window count by the fraction of it that the
    last ``seconds`` still cover. At most ``max_clients`` clients are counted; a further one
    replaces the client that was idle longest. ``clock`` returns the time in seconds.
    """

    def __init__(
        self,
        amount: int,
        seconds: int,
        *,
        max_clients: int = 100_000,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._amount = amount
        self._seconds = seconds
        self._max_clients = max_clients
        self._clock = clock
        self._counts: OrderedDict[str, _ClientWindow] = OrderedDict()  # most recent last

    def __len__(self) -> int:
        return len(self._counts)

    def hit(self, client: str, cost: int = 1) -> float:
        """Count ``cost`` hits and return 0 if they are allowed; else count nothing and return the
        seconds until they are."""
        window, part = divmod(self._clock() / self._seconds, 1.0)
        count = self._window_of(client, int(window))
        covered = 1.0 - part if count.window == int(window) else 1.0
        if math.floor(count.previous * covered + count.current) + cost <= self._amount:
            count.current += cost
            return 0.0
        return self._wait_fraction(count, cost, covered) * self._seconds

    def _wait_fraction(self, count: _ClientWindow, cost: int, covered: float) -> float:
        """Return the fraction of a window after which ``cost`` hits are allowed."""
        room = self._amount - cost + 1  # the hits must stay below this
        if count.current < room:
            return max(0.0, covered - (room - count.current) / count.previous)
        if room <= 0:
            return math.inf
        return covered + max(0.0, 1.0 - room / count.current)

    def _window_of(self, client: str, window: int) -> _ClientWindow:
        counts = self._counts
        count = counts.pop(client, None)
        if count is None:
            count = _ClientWindow(window)
            self._evict_idle(window)
        count.advance(window)
        counts[client] = count
        return count

    def _evict_idle(self, window: int) -> None:
        """Drop up to two clients without relevant hits, so that more clients leave than arrive;
        drop the oldest client if there is no room for another."""
        counts = self._counts
        for _ in range(2):
            oldest = next(iter(counts.values()), None)
            if oldest is None or (oldest.window >= window - 1 and len(counts) < self._max_clients):
                return
            counts.popitem(last=False)
