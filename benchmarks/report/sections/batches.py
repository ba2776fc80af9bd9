"""The gain of batches of questions and of more processes."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from spacy.language import Language

from anaphora import Engine
from anaphora.engine.samples.runner import run_dialogs
from anaphora.entities.pipeline import BATCH_SIZE, Pipeline
from anaphora.entities.prefetch import UnreadText
from anaphora.models.domain import AskStep, Dialog
from anaphora.models.loader import load_model
from benchmarks.models import model_of_synonyms, names
from benchmarks.report.data import Cell, Column, LeftOut, Section, Table
from benchmarks.report.options import Form, ReportOptions
from benchmarks.report.sections.building import yaml_of
from benchmarks.report.workloads import questions, timing
from benchmarks.report.workloads.subject_process import (
    SubjectError,
    Tell,
    Values,
    medians,
    start_subject,
)

Components = Literal["ours", "neural"]
_COMPONENTS: Mapping[Components, str] = {
    "ours": "Anaphora's own components",
    "neural": "a given spaCy pipeline with two small networks",
}
_SYNONYMS = 1_000
_IN_A_DIALOG = 10  # questions


def measure(wanted: ReportOptions, tell: Tell) -> Section:
    """Measure the ways to ask in turn, in a process per kind of pipeline, and then the
    processes."""
    rounds = wanted.pick(whole=5, short=1)
    counts = wanted.pick(whole={"ours": 5_000, "neural": 200}, short={"ours": 20, "neural": 20})
    apart = wanted.form is Form.WHOLE
    found: dict[Components, dict[str, float]] = {}
    left_out: list[LeftOut] = []
    for which, name in _COMPONENTS.items():
        try:
            with start_subject(
                asking, apart=apart, components=which, count=counts[which]
            ) as process:
                taken = []
                for number in range(rounds):
                    tell(f"{name}, round {number + 1} of {rounds}")
                    taken.append(process.round())
            found[which] = medians(taken)
        except SubjectError as failed:
            left_out.append(LeftOut(f"batches: {name}", str(failed), failed=True))
    sizes = wanted.pick(whole=(1_000, 10_000, 100_000), short=(20,))
    tell("samples in several processes")
    return Section(
        "batches",
        "Batches",
        "Varied questions of one user to a model of "
        f"{_SYNONYMS:,} synonyms, {counts['ours']:,} of them, or {counts['neural']:,} where a "
        "spaCy pipeline with networks is given to the engine (weights by chance, which take as "
        f"long as others); medians of {rounds} rounds in turn. Anaphora's own components read "
        "a question when it is asked for and gain nothing by batches; networks do. Samples are run "
        "by `run_dialogs`, as `anaphora test --jobs` does: every process has to start, import and "
        "load the model.",
        (
            *(_table(which, costs) for which, costs in found.items()),
            _measure_processes(sizes, tell, quick=not apart),
        ),
        left_out=tuple(left_out),
    )


def asking(components: Components, count: int) -> Iterator[Values]:
    """Seconds per question, or per text, by method."""
    model = model_of_synonyms(_SYNONYMS)
    made = _neural_pipeline if components == "neural" else lambda: None
    engine, pipeline = Engine(model, nlp=made()), Pipeline(model, made())  # each wants its own
    texts = questions.orders(names(_SYNONYMS), count)
    unread = [UnreadText(text) for text in texts]
    ways: dict[str, Callable[[], object]] = {
        "`ask` in a loop": partial(_each, engine.ask, texts),
        "`ask_many`": lambda: deque(engine.ask_many(texts), 0),
        "reading, one by one": partial(_each, pipeline, texts),
        "reading, `Pipeline.prefetch`": lambda: [
            pipeline.prefetch(unread[n : n + BATCH_SIZE]) for n in range(0, count, BATCH_SIZE)
        ],
    }
    for way in ways.values():
        way()
    yield {}
    while True:
        yield {name: timing.time_call(way) / count for name, way in ways.items()}


def _each(call: Callable[[str], object], texts: Sequence[str]) -> None:
    for text in texts:
        call(text)


def _neural_pipeline() -> Language | None:
    """A part-of-speech tagger and an entity recognizer with random weights."""
    import spacy
    from thinc.api import fix_random_seed

    fix_random_seed(7)
    nlp = spacy.blank("en")
    for component, labels in {"tagger": ("NOUN", "VERB"), "ner": ("PERSON",)}.items():
        pipe = nlp.add_pipe(component)
        for label in labels:
            pipe.add_label(label)  # type: ignore[attr-defined]
    nlp.initialize()
    return nlp


def _table(which: Components, costs: Mapping[str, float]) -> Table:
    loops = {"`ask": "`ask` in a loop", "read": "reading, one by one"}
    return Table(
        f"With {_COMPONENTS[which]}",
        (Column("way"), Column("a question", "s"), Column("speed to one by one", "×")),
        tuple((way, spent, costs[loops[way[:4]]] / spent) for way, spent in costs.items()),
    )


def _measure_processes(sizes: Sequence[int], tell: Tell, *, quick: bool) -> Table:
    """Samples in one process, in two, and in one per core."""
    jobs = sorted({1, 2, os.cpu_count() or 1}) if not quick else [1]
    rows: list[tuple[Cell, ...]] = []
    with TemporaryDirectory() as folder:
        file = Path(folder) / "names.yaml"
        file.write_text(yaml_of(_SYNONYMS), encoding="utf-8")
        model = load_model(str(file))
        for size in sizes:
            listed = _dialogs(size)
            alone = 0.0
            for number in jobs:
                tell(f"{size:,} samples, {number} at once")
                run = partial(run_dialogs, model, listed, jobs=number)
                spent = timing.time_call(lambda run=run: deque(run(), 0))  # type: ignore[misc]
                alone = alone or spent
                rows.append((size, number, spent, size / spent, alone / spent))
    columns = (
        Column("questions"),
        Column("processes"),
        Column("time", "s"),
        Column("throughput", "1/s"),
        Column("speed to one process", "×"),
    )
    return Table("Samples in several processes", columns, tuple(rows))


def _dialogs(count: int) -> list[Dialog]:
    texts = questions.orders(names(_SYNONYMS), count)
    return [
        Dialog(tuple(map(AskStep, texts[at : at + _IN_A_DIALOG])))
        for at in range(0, count, _IN_A_DIALOG)
    ]
