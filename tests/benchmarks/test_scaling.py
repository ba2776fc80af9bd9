"""The queueing model of a deployment agrees with what is known of simple ones."""

from __future__ import annotations

from math import log

import pytest

from benchmarks.scaling.demands import Demand
from benchmarks.scaling.deployment import Deployment, Store, predict
from benchmarks.scaling.model import Machine, Process, Visit, simulate

MILLISECOND = 0.001
DEMAND = Demand(worker=MILLISECOND, store=MILLISECOND / 10)


def test_a_queue_with_one_server_waits_as_long_as_theory_says():
    server = Process(Machine(1))
    load = simulate(
        lambda _: [Visit(server, MILLISECOND)], [server], per_second=500, questions=6_000
    )
    assert load.per_second == pytest.approx(500, rel=0.05)
    assert load.utilization == pytest.approx((0.5,), rel=0.05)
    assert load.median == pytest.approx(log(2) * MILLISECOND / (1 - 0.5), rel=0.15)


@pytest.mark.parametrize(
    ("deployment", "expected"),
    [
        (Deployment(workers=1, cores=8, store_cores=8), 1_000),
        (Deployment(workers=4, cores=8, store_cores=8), 4_000),
        (Deployment(workers=16, cores=8, store_cores=8), 10_000),  # which the store carries
        (Deployment(workers=2, cores=1, shared=True), 1_000 / 1.1),  # one core for all
    ],
)
def test_the_slowest_part_bounds_the_questions_per_second(deployment, expected):
    load = predict(deployment, DEMAND, Store(round_trips=2), connections=200, questions=2_000)
    assert load.per_second == pytest.approx(expected, rel=0.12)


def test_a_single_connection_waits_for_the_network_and_the_disk():
    far = Deployment(workers=1, cores=1, network=2 * MILLISECOND)
    store = Store(round_trips=2, disk=5 * MILLISECOND)
    load = predict(far, DEMAND, store, connections=1, questions=2_000)
    assert 1 / load.per_second == pytest.approx((1 + 0.1 + 2 * 2 + 5) * MILLISECOND, rel=0.05)
