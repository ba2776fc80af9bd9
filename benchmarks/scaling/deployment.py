"""Deployments as networks of processes: workers and a store on machines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.scaling.demands import Demand
from benchmarks.scaling.model import Load, Machine, Process, Visit, simulate

__all__ = ["Deployment", "Store", "predict"]


@dataclass(frozen=True, slots=True)
class Store:
    """A store: its ``round_trips`` per question, the ``processes`` of its server that compute for
    different questions at once, and the seconds that a question waits for its ``disk``."""

    round_trips: int = 0
    processes: int = 1
    disk: float = 0.0


@dataclass(frozen=True, slots=True)
class Deployment:
    """``workers`` on machines with ``cores``, a worker a core, and a store on a machine of its own
    with ``store_cores``, ``network`` seconds away. With ``shared``, one machine has it all."""

    workers: int
    cores: int
    store_cores: int = 1
    network: float = 0.0
    shared: bool = False


def predict(
    deployment: Deployment,
    demand: Demand,
    store: Store,
    *,
    connections: int = 0,
    per_second: float = 0.0,
    questions: int = 5_000,
) -> Load:
    """Simulate a deployment: ``connections`` that wait for their answers, or ``per_second``
    questions that arrive at random, at the workers in turn."""
    machines = [
        Machine(deployment.cores) for _ in range(-(-deployment.workers // deployment.cores))
    ]
    home = machines[0] if deployment.shared else Machine(deployment.store_cores)
    workers = [
        Process(machines[0 if deployment.shared else number // deployment.cores])
        for number in range(deployment.workers)
    ]
    servers = [Process(home) for _ in range(store.processes)]

    def route(number: int) -> Sequence[Visit]:
        worker = workers[number % len(workers)]
        server = servers[number % len(servers)]
        step = demand.worker / (store.round_trips + 1)
        visits = [Visit(worker, step)]
        for trip in range(store.round_trips):
            disk = store.disk if trip == store.round_trips - 1 else 0.0
            visits.append(
                Visit(server, demand.store / store.round_trips, deployment.network / 2 + disk)
            )
            visits.append(Visit(worker, step, deployment.network / 2))
        return visits

    return simulate(
        route,
        [*workers, *servers],
        questions=questions,
        connections=connections,
        per_second=per_second,
    )
