"""The count of hits in the memory of a process: right, and bounded."""

from __future__ import annotations

import math
from collections import deque

from hypothesis import given
from hypothesis import strategies as st

from anaphora.server.rate_limits.sliding_window import SlidingWindowCounter


class Seconds:
    """A clock that a test moves."""

    def __init__(self, now: float = 1_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def test_as_many_as_the_rate_allows_and_no_more() -> None:
    clock = Seconds()
    windows = SlidingWindowCounter(3, 60, clock=clock)
    assert [windows.hit("ann") == 0 for _ in range(5)] == [True, True, True, False, False]
    assert windows.hit("bob", 3) == 0


def test_who_waits_as_long_as_they_are_told_is_let_in_and_not_before() -> None:
    clock = Seconds(960.0)
    windows = SlidingWindowCounter(10, 60, clock=clock)
    assert windows.hit("ann", 10) == 0
    wait = windows.hit("ann", 4)
    clock.now += wait - 0.5
    assert windows.hit("ann", 4) > 0
    clock.now += 0.6
    assert windows.hit("ann", 4) == 0


def test_those_who_are_silent_are_dropped_without_anybody_looking_for_them() -> None:
    clock = Seconds()
    windows = SlidingWindowCounter(5, 60, clock=clock)
    for number in range(1_000):
        windows.hit(f"early {number}")
    clock.now += 300
    for number in range(600):
        windows.hit(f"late {number}")
    assert len(windows) <= 600


def test_more_clients_than_there_is_room_for_take_the_place_of_the_most_silent() -> None:
    windows = SlidingWindowCounter(1, 60, max_clients=100, clock=Seconds())
    assert windows.hit("ann") == 0
    for number in range(10_000):
        windows.hit(f"stranger {number}")
        assert windows.hit("ann") > 0  # whoever goes on is not forgotten
    assert len(windows) == 100


def test_a_clock_that_goes_back_gives_nobody_more() -> None:
    clock = Seconds()
    windows = SlidingWindowCounter(2, 60, clock=clock)
    assert windows.hit("ann", 2) == 0
    clock.now -= 600
    assert windows.hit("ann") > 0


@given(
    st.integers(1, 20),
    st.lists(st.tuples(st.floats(0, 50), st.integers(1, 5)), max_size=60),
)
def test_no_window_of_time_has_twice_the_rate_and_every_wait_is_true(
    amount: int, steps: list[tuple[float, int]]
) -> None:
    clock = Seconds()
    windows = SlidingWindowCounter(amount, 60, clock=clock)
    allowed: deque[tuple[float, int]] = deque()
    for pause, cost in steps:
        clock.now += pause
        wait = windows.hit("ann", cost)
        if not wait:
            allowed.append((clock.now, cost))
        elif math.isfinite(wait):
            assert 0 < wait <= 120
            clock.now += wait + 0.001
            assert windows.hit("ann", cost) == 0
            allowed.append((clock.now, cost))
        else:
            assert cost > amount
        while allowed and allowed[0][0] <= clock.now - 60:
            allowed.popleft()
        assert sum(cost for _, cost in allowed) <= 2 * amount
