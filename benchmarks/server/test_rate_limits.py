"""What does counting a request for the rate limit cost, by the number of addresses?"""

from __future__ import annotations

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from anaphora.server.rate_limits.sliding_window import SlidingWindowCounter


@pytest.mark.parametrize("addresses", [1_000, 30_000, 300_000])
def test_counting_a_request(benchmark: BenchmarkFixture, addresses: int) -> None:
    windows = SlidingWindowCounter(1_000_000_000, 3_600)
    for number in range(addresses):
        windows.hit(f"address {number}")
    last = f"address {addresses - 1}"
    assert benchmark(windows.hit, last) == 0
