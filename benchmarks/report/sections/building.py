"""The costs of a big model before its first answer: build time, memory, loading from the cache."""

from __future__ import annotations

import tempfile
import tracemalloc
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from anaphora import Engine, load_model
from benchmarks import process_memory
from benchmarks.models import model_of_synonyms, names
from benchmarks.report.data import Cell, Column, Section, Table
from benchmarks.report.options import ReportOptions
from benchmarks.report.workloads import timing
from benchmarks.report.workloads.subject_process import (
    Subject,
    Tell,
    Values,
    start_subject,
)
from benchmarks.report.workloads.subjects import warm


def measure(wanted: ReportOptions, tell: Tell) -> Section:
    """Measure each way several times, each in a fresh process, and take the median."""
    size = wanted.pick(whole=100_000, short=300)
    rounds = wanted.pick(whole=3, short=1)
    apart = wanted.pick(whole=True, short=False)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "names.yaml"
        file.write_text(yaml_of(size), encoding="utf-8")
        ways: dict[str, tuple[Subject, dict[str, Any]]] = {
            "from names in Python": (from_names, {"size": size}),
            "from a YAML file": (from_yaml, {"file": str(file)}),
        }
        cache = {"file": str(file), "folder": str(Path(folder) / "cache")}
        with start_subject(from_cache, apart=apart, **cache) as process:
            process.ready  # noqa: B018 - it fills the cache
        ways["from the compile cache of that file"] = (from_cache, cache)
        found: dict[str, list[Values]] = {}
        for number in range(rounds):
            for way, (subject, arguments) in ways.items():
                tell(f"{way}, {number + 1} of {rounds}")
                with start_subject(subject, apart=apart, **arguments) as process:
                    found.setdefault(way, []).append(process.ready)
        tell("bytes by tracemalloc")
        with start_subject(traced, apart=apart, size=size) as process:
            traced_bytes = process.ready["held"] / size
    medians = {
        way: {name: median(one[name] for one in taken) for name in taken[0]}
        for way, taken in found.items()
    }
    by_names = medians["from names in Python"]
    figures = {"building.seconds": by_names["seconds"], "building.bytes": by_names["held"] / size}
    figures["building.cached"] = medians["from the compile cache of that file"]["seconds"]
    rows: list[tuple[Cell, ...]] = [
        (way, one["model"], one["seconds"], one["held"] / size, one["peak"] / size)
        for way, one in medians.items()
    ]
    return Section(
        "building",
        "Building",
        f"A model of {size:,} names of two words, as values of one element, and the engine for it, "
        "each in a fresh process that has loaded what every process loads. Bytes are what the "
        "process holds more than before (its resident memory after the garbage collection), model "
        f"and engine together; by tracemalloc, in a run of its own, {traced_bytes:,.0f} for each "
        "synonym.",
        (
            Table(
                f"A model of {size:,} synonyms",
                (
                    Column("way"),
                    Column("the model alone", "s"),
                    Column("until it answers", "s"),
                    Column("held, each", "B"),
                    Column("peak, each", "B"),
                ),
                tuple(rows),
            ),
        ),
        figures,
    )


def from_names(size: int) -> Iterator[Values]:
    """A model built in Python."""
    return _measure_build(partial(model_of_synonyms, size), Engine)


def from_yaml(file: str) -> Iterator[Values]:
    """A model loaded from a file."""
    return _measure_build(partial(load_model, file), Engine)


def from_cache(file: str, folder: str) -> Iterator[Values]:
    """A model loaded from its compile cache."""
    return _measure_build(lambda: Path(file), partial(Engine, cache=folder))


def traced(size: int) -> Iterator[Values]:
    """Bytes that Python's allocator holds for a model and its engine."""
    warm()
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    engine = Engine(model_of_synonyms(size))
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert engine.ask("order").status != "reset"
    yield {"held": after - before}


def yaml_of(size: int) -> str:
    """The same model as a file."""
    values = "".join(f"      {name}: []\n" for name in names(size))
    return (
        "id: names\nelements:\n  - id: order\n  - id: name\n    values:\n"
        + values
        + "intents:\n  - \"intent=order term={# == 'order'} term(name)~{# == 'name'}\"\n"
    )


def _measure_build(make: Callable[[], Any], engine_of: Callable[[Any], Engine]) -> Iterator[Values]:
    warm()
    before = process_memory.resident()
    kept: list[Any] = []
    model = timing.time_call(lambda: kept.append(make()))
    engine = timing.time_call(lambda: kept.append(engine_of(kept[0])))
    peak = process_memory.peak() - before
    asked = kept[1].ask(f"order {names(1)[0]}")
    assert asked.slots["name"].value == names(1)[0]
    values: Mapping[str, float] = {
        "model": model,
        "seconds": model + engine,
        "held": process_memory.resident() - before,
        "peak": peak,
    }
    yield values
