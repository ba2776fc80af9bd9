"""The variation of answer times: 100,000 questions to the bundled models in sequence."""

from __future__ import annotations

import gc
import math
import time
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import islice
from statistics import median
from typing import Any

from benchmarks.report.data import (
    Column,
    Distributions,
    Histogram,
    Section,
    Spread,
    Table,
    Text,
)
from benchmarks.report.options import ReportOptions
from benchmarks.report.rendering.numbers import format_number
from benchmarks.report.workloads import mixed_dialogs, timing
from benchmarks.report.workloads.subject_process import Tell, Values, start_subject

_BINS_A_DECADE = 20
_SLOWEST = 8
_QUANTILES = tuple(Column(name, "s") for name in ("median", "p90", "p99", "p99.9", "longest"))


def measure(wanted: ReportOptions, tell: Tell) -> Section:
    """Measure in a separate process with the heap of a service."""
    count = wanted.pick(whole=100_000, short=200)
    models = wanted.pick(whole=(), short=("cafe",))
    tell(f"{count:,} questions")
    apart = wanted.pick(whole=True, short=False)
    with start_subject(answering, apart=apart, count=count, users=1_000, models=models) as process:
        told = process.round()
    middle, p99 = told["all"]["median"], told["all"]["p99"]
    busy = told["busy"]["p99"] / told["busy"]["median"]
    return Section(
        "steadiness",
        "Steadiness",
        f"{count:,} questions one after the other, of 1,000 users who each are somewhere in a "
        "sample dialog of one of the bundled models, after each sample was asked once. Were each "
        "question to take what it takes in the median whenever it is asked, p99 would be "
        f"{told['mix']:.2f} times the median: so much comes of the questions, the rest of pauses. "
        "The time of the processor leaves out what other processes took of the machine.",
        (
            Table(
                "Time of a question",
                (Column("questions"), Column("count"), *_QUANTILES),
                (
                    *(_row(name, one) for name, one in sorted(told["by_model"].items())),
                    _row("all", told["all"]),
                    _row("all, time of the processor", told["busy"]),
                ),
            ),
            Histogram(
                "steadiness",
                "Time of a question",
                tuple(told["edges"]),
                tuple(told["counts"]),
                (("median", middle), ("p99", p99), ("4 × median", 4 * middle)),
            ),
            Distributions(
                "steadiness-by-model",
                "Time of a question, by model",
                tuple(
                    Spread(name, tuple((share, value) for share, value in one["quantiles"]))
                    for name, one in sorted(told["by_model"].items())
                ),
            ),
            Table(
                "Garbage collections while questions were answered",
                (
                    Column("generation"),
                    Column("collections"),
                    Column("in all", "s"),
                    Column("median", "s"),
                    Column("longest", "s"),
                    Column("of the whole time", "%"),
                ),
                tuple(tuple(row) for row in told["collections"]),
            ),
            Table(
                "The questions that are slowest in their median",
                (
                    Column("model"),
                    Column("question"),
                    Column("asked"),
                    Column("median", "s"),
                    Column("to the median of all", "×"),
                ),
                tuple(tuple(row) for row in told["slowest"]),
            ),
            Text("What became of them: " + told["statuses"] + "."),
        ),
        {"steadiness.tail": p99 / middle},
        {
            "steadiness.tail": f"by the time of the processor, p99 is {busy:.2f} × the median "
            "(what is more comes of other processes); without any pause it would be "
            f"{told['mix']:.2f} ×, for the questions themselves differ by so much; the longest "
            f"collection took {format_number(told['longest_pause'], 's')}"
        },
    )


def answering(count: int, users: int, models: tuple[str, ...]) -> Iterator[Values]:
    """A subject that is ready after all samples; its only round asks all questions."""
    engine = mixed_dialogs.bundled_engine(models)
    for one in mixed_dialogs.all_dialogs(engine.models):
        mixed_dialogs.ask(engine, one)
    yield {}
    which: dict[tuple[str, str], int] = {}
    asked, times, busy = array("L"), array("d"), array("d")
    statuses: Counter[str] = Counter()
    clock, processor = time.perf_counter, time.thread_time
    with _Collections() as collections:
        for one in islice(mixed_dialogs.random_questions(engine.models, users=users), count):
            worked, begun = processor(), clock()
            status = mixed_dialogs.ask(engine, one)
            times.append(clock() - begun)
            busy.append(processor() - worked)
            asked.append(which.setdefault((one.model, one.text), len(which)))
            statuses[status] += 1
    yield _build_parts(list(which), asked, times, busy, statuses, collections)


class _Collections:
    """Record the garbage collections of a block: generation and seconds of each."""

    def __init__(self) -> None:
        self.pauses: dict[int, list[float]] = defaultdict(list)
        self._begun = 0.0

    def __enter__(self) -> _Collections:
        gc.callbacks.append(self._saw)
        return self

    def __exit__(self, *error: object) -> None:
        gc.callbacks.remove(self._saw)

    def _saw(self, phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            self._begun = time.perf_counter()
        else:
            self.pauses[info["generation"]].append(time.perf_counter() - self._begun)


def _build_parts(
    texts: list[tuple[str, str]],
    asked: array[int],
    times: array[float],
    busy: array[float],
    statuses: Counter[str],
    collections: _Collections,
) -> dict[str, Any]:
    by_text: dict[int, list[float]] = defaultdict(list)
    by_model: dict[str, list[float]] = defaultdict(list)
    for number, seconds in zip(asked, times, strict=True):
        by_text[number].append(seconds)
        by_model[texts[number][0]].append(seconds)
    # Disturbances from outside hardly ever affect a median of wall-clock times.
    own = {number: median(taken) for number, taken in by_text.items()}
    even = sorted(own[number] for number in asked)
    everything = _summarize(times)
    pauses = collections.pauses
    slowest = sorted(own, key=lambda number: -own[number])[:_SLOWEST]
    edges, counts = _make_bins(times)
    return {
        "all": everything,
        "busy": _summarize(busy),
        "mix": timing.quantile(even, 0.99) / timing.quantile(even, 0.5),
        "by_model": {name: _summarize(one) for name, one in by_model.items()},
        "edges": edges,
        "counts": counts,
        "collections": [
            [
                generation,
                len(taken),
                sum(taken),
                median(taken),
                max(taken),
                sum(taken) / sum(times),
            ]
            for generation, taken in sorted(pauses.items())
        ],
        "longest_pause": max((max(taken) for taken in pauses.values()), default=0.0),
        "slowest": [
            [*texts[number], len(by_text[number]), own[number], own[number] / everything["median"]]
            for number in slowest
        ],
        "statuses": ", ".join(f"{count:,} {status}" for status, count in statuses.most_common()),
    }


def _summarize(times: array[float] | list[float]) -> dict[str, Any]:
    ordered = sorted(times)
    return {
        "count": len(ordered),
        "median": timing.quantile(ordered, 0.5),
        "p90": timing.quantile(ordered, 0.9),
        "p99": timing.quantile(ordered, 0.99),
        "p99.9": timing.quantile(ordered, 0.999),
        "longest": ordered[-1],
        "quantiles": timing.quantiles(ordered),
    }


def _row(name: str, summed: dict[str, Any]) -> tuple[str | int | float, ...]:
    return (name, summed["count"], *(summed[column.name] for column in _QUANTILES))


def _make_bins(times: array[float]) -> tuple[list[float], list[int]]:
    """Histogram edges that grow by a factor, the same in every run, and the counts between them."""
    bins = Counter(_bin(seconds) for seconds in times)
    first, last = min(bins), max(bins)
    edges = [10 ** (number / _BINS_A_DECADE) for number in range(first, last + 2)]
    return edges, [bins[number] for number in range(first, last + 1)]


def _bin(seconds: float) -> int:
    return math.floor(math.log10(seconds) * _BINS_A_DECADE)
