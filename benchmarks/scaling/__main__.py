"""How many questions does a deployment answer? Measured on this machine, and simulated beyond.

    python -m benchmarks.scaling [--seconds N]

Workers are processes that ask the model ``cafe`` in several threads. For each store, one run with a
worker and four threads gives the processor time of a question. One number is fitted to these runs:
how much slower the machine is than these times say, because other programs compute as well (1.0 if
there are none). Then further runs are predicted and measured. Needs ``redis-server``.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from statistics import median
from time import perf_counter

from anaphora import Engine
from benchmarks.scaling.demands import Demand, Measured, measure, stores
from benchmarks.scaling.deployment import Deployment, Store, predict

_CALIBRATION = (1, 4)  # workers, threads of each
_CHECKS = ((1, 1), (2, 4))
_NETWORK = 0.0003  # seconds of a round trip within a data centre
_AT_MOST = 0.7  # of what the bottleneck carries


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=5)
    seconds = parser.parse_args().seconds
    kinds = {
        "memory": Store(),
        "Redis": Store(round_trips=2),
        "PostgreSQL": Store(2, os.cpu_count() or 1, _measure_disk()),
    }
    with stores() as found, ExitStack() as stack:
        engines = {
            name: stack.enter_context(Engine("cafe", store=store.url))
            for name, store in found.items()
        }

        def run(name: str, workers: int, threads: int) -> Measured:
            engine, store = engines[name], found[name]
            return measure(engine, store, workers=workers, threads=threads, seconds=seconds)

        base = {name: run(name, *_CALIBRATION) for name in kinds}
        _print_demands(base)
        slowness = median(_fit_slowness(base[name], kinds[name]) for name in kinds)
        print(f"\nThe machine is {slowness:.2f} times as slow as the processor times say.\n")
        errors = []
        print("| store | workers | threads of each | measured /s | simulated /s | error |")
        print("| --- | ---: | ---: | ---: | ---: | ---: |")
        for name, kind in kinds.items():
            for workers, threads in (_CALIBRATION, *_CHECKS):
                is_base = (workers, threads) == _CALIBRATION
                there = base[name] if is_base else run(name, workers, threads)
                here = Deployment(workers, _cores(slowness), shared=True)
                demand = _times(base[name].demand, slowness)
                load = predict(here, demand, kind, connections=workers * threads)
                error = load.per_second / there.per_second - 1
                errors.append(abs(error))
                print(
                    f"| {name} | {workers} | {threads} | {there.per_second:,.0f} | "
                    f"{load.per_second:,.0f} | {error:+.0%} |",
                    flush=True,
                )
        print(f"\nError: median {median(errors):.0%}, largest {max(errors):.0%}.\n")
    for name in ("Redis", "PostgreSQL"):
        _print_predictions(name, base[name].demand, kinds[name])


def _print_demands(base: dict[str, Measured]) -> None:
    print("| store | of the worker | of the store | questions a second and core of a worker |")
    print("| --- | ---: | ---: | ---: |")
    for name, found in base.items():
        worker, store = found.demand.worker * 1e6, found.demand.store * 1e6
        print(f"| {name} | {worker:.0f} µs | {store:.0f} µs | {1e6 / worker:,.0f} |", flush=True)


def _print_predictions(name: str, demand: Demand, store: Store) -> None:
    """Print what machines of eight cores carry, with a store on a machine of eight, at a share of
    the load of the bottleneck."""
    print(f"\n{name}, {_NETWORK * 1e3:g} ms away:\n")
    print("| workers | machines | questions a second | median | 99 % | workers busy | store busy |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    # Of a database each core is one server.
    kind = replace(store, processes=8) if store.processes > 1 else store
    for workers in (1, 8, 16, 32, 64):
        bound = min(workers / demand.worker, kind.processes / demand.store)
        there = Deployment(workers, 8, store_cores=8, network=_NETWORK)
        load = predict(there, demand, kind, per_second=_AT_MOST * bound)
        busy = sum(load.utilization[:workers]) / workers
        at_store = sum(load.utilization[workers:]) / kind.processes
        print(
            f"| {workers} | {-(-workers // 8)} | {load.per_second:,.0f} | "
            f"{load.median * 1e3:.1f} ms | {load.tail * 1e3:.1f} ms | {busy:.0%} | {at_store:.0%} |"
        )


def _fit_slowness(found: Measured, store: Store) -> float:
    """Return the factor of the processor times by which the simulation meets the measurement."""
    low, high = 0.2, 200.0
    for _ in range(8):
        middle = (low * high) ** 0.5
        here = Deployment(1, _cores(middle), shared=True)
        times = _times(found.demand, middle)
        load = predict(here, times, store, connections=_CALIBRATION[1], questions=1_000)
        low, high = (middle, high) if load.per_second > found.per_second else (low, middle)
    return (low * high) ** 0.5


def _cores(slowness: float) -> int:
    """Return how many processes compute at once if each gets the share of a core that is left."""
    return max(1, round((os.cpu_count() or 1) * slowness))


def _times(demand: Demand, factor: float) -> Demand:
    return Demand(demand.worker * factor, demand.store * factor)


def _measure_disk() -> float:
    """Return the seconds in which the disk confirms what was written."""
    taken = []
    with tempfile.TemporaryDirectory() as folder, (Path(folder) / "it").open("wb") as file:
        for _ in range(50):
            begun = perf_counter()
            file.write(bytes(8_192))
            file.flush()
            os.fdatasync(file.fileno())
            taken.append(perf_counter() - begun)
    return median(taken)


if __name__ == "__main__":
    main()
