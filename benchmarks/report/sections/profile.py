"""The profile of ``ask``: time by stage as a table, by function as an icicle plot."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Any

from benchmarks.report.data import Cell, Column, Frame, Icicle, LeftOut, Section, Table
from benchmarks.report.options import ReportOptions
from benchmarks.report.workloads import mixed_dialogs
from benchmarks.report.workloads.stages import STAGES, stage_of_stack
from benchmarks.report.workloads.subject_process import (
    Subject,
    SubjectError,
    Tell,
    Values,
    start_subject,
)

_INTERVAL = 0.0005  # seconds between two samples
_SEEN = 0.004  # share of the whole; what takes less is left out of the picture


def measure(wanted: ReportOptions, tell: Tell) -> Section:
    """Profile each kind of question in its own process."""
    seconds = wanted.pick(whole=10.0, short=0.2)
    apart = wanted.pick(whole=True, short=False)
    kinds: dict[str, tuple[Subject, Mapping[str, Any]]] = {
        "bundled models": (
            of_bundled_models,
            {"models": wanted.pick(whole=(), short=("cafe",))},
        ),
        "smart home": (of_smart_home, {"count": wanted.pick(whole=2_000, short=50)}),
    }
    told: dict[str, Values] = {}
    left_out = []
    for kind, (subject, arguments) in kinds.items():
        tell(kind)
        try:
            with start_subject(subject, apart=apart, seconds=seconds, **arguments) as process:
                told[kind] = process.round()
        except SubjectError as failed:
            what = f"the profile of questions to the {kind}"
            left_out.append(LeftOut(what, str(failed), failed=True))
    return Section(
        "profile",
        "Profile",
        "Where one `ask` spends its time, sampled by pyinstrument "
        f"{1 / _INTERVAL:,.0f} times a second over {seconds:g} seconds of varied questions (the "
        "times are the processor's, without the sampling). A sample counts for the stage of the "
        "innermost function of Anaphora that it met: what spaCy does for the tokenizing is "
        "tokenizing.",
        (
            _table(told),
            *(
                Icicle(
                    "ask-flame"
                    if kind == "bundled models"
                    else f"ask-flame-{kind}".replace(" ", "-"),
                    f"One ask, {kind}: from the caller down to whom it calls",
                    _frame(one["tree"]),
                )
                for kind, one in told.items()
            ),
        ),
        left_out=tuple(left_out),
    )


def of_bundled_models(seconds: float, models: tuple[str, ...]) -> Iterator[Values]:
    """Mixed questions of many users to the bundled models."""
    engine = mixed_dialogs.bundled_engine(models)
    for one in mixed_dialogs.all_dialogs(engine.models):
        mixed_dialogs.ask(engine, one)
    asked = mixed_dialogs.random_questions(engine.models, users=1_000)
    return _profile(lambda: mixed_dialogs.ask(engine, next(asked)), seconds)


def of_smart_home(seconds: float, count: int) -> Iterator[Values]:
    """The smart-home work of the comparison with peers."""
    from benchmarks.peers.engines.anaphora_home import AnaphoraHome
    from benchmarks.peers.smart_home.utterances import utterances
    from benchmarks.peers.smart_home.work import smart_home

    work = smart_home()
    home = AnaphoraHome(work)
    texts = cycle([one.text for one in utterances(work, count)])
    return _profile(lambda: home(next(texts)), seconds)


def _profile(ask: Callable[[], object], seconds: float) -> Iterator[Values]:
    """Time of a question (without the sampling), the share of each stage, the tree of calls."""
    from pyinstrument import Profiler

    yield {}
    _ask_for(ask, min(1.0, seconds))
    worked = time.process_time()
    count = _ask_for(ask, seconds)
    each = (time.process_time() - worked) / count
    profiler = Profiler(interval=_INTERVAL, async_mode="disabled")
    profiler.start()
    _ask_for(ask, seconds)
    session = profiler.stop()
    stacks = [(_calls(stack), spent) for stack, spent in session.frame_records]
    kept = [(calls, spent) for calls, spent in stacks if calls]
    whole = sum(spent for _, spent in kept)
    stages: dict[str, float] = defaultdict(float)
    root = _Node("ask")
    for calls, spent in kept:
        stages[stage_of_stack([call.module for call in calls])] += spent / whole
        root.add(calls, spent / whole)
    yield {"each": each, "samples": len(kept), "stages": stages, "tree": root.to_frame()}


def _ask_for(ask: Callable[[], object], seconds: float) -> int:
    """Ask for some seconds; return the number of questions."""
    end, count = time.perf_counter() + seconds, 0
    while time.perf_counter() < end:
        ask()
        count += 1
    return count


@dataclass(frozen=True, slots=True)
class _Call:
    """A function of a stack; ``module`` is relative to the package for modules of Anaphora."""

    module: str
    function: str

    @property
    def name(self) -> str:
        return f"{self.module}.{self.function}"


def _calls(stack: Sequence[str]) -> list[_Call]:
    """The frames below ``Engine.ask`` in a stack of pyinstrument; empty if the stack lacks it."""
    calls = [_call(frame) for frame in stack]
    for place, call in enumerate(calls):
        if call.name == "engine.ask.ask":  # the path of a question
            return calls[place:]
    return []


def _call(frame: str) -> _Call:
    """Parse ``function NUL file NUL line`` with marks such as ``cCLASS`` after 0x01."""
    head, *marks = frame.split("\x01")
    function, file, _ = head.split("\x00")
    owner = next((mark[1:] for mark in marks if mark.startswith("c")), "")
    return _Call(_module(file), f"{owner}.{function}" if owner else function)


def _module(file: str) -> str:
    """The module of a file by its folders: those of the package, of an installed one, or of
    Python's own library."""
    parts = Path(file).with_suffix("").parts
    for folder in ("anaphora", "site-packages"):
        if folder in parts:
            parts = parts[len(parts) - parts[::-1].index(folder) :]
            return ".".join(part for part in parts if part != "__init__") or folder
    return parts[-1] if parts else file


@dataclass(slots=True)
class _Node:
    """A function as called by those above it, and the share of the time that it took."""

    name: str
    module: str = ""
    share: float = 0.0
    calls: dict[str, _Node] = field(default_factory=dict)

    def add(self, calls: Sequence[_Call], share: float) -> None:
        node = self
        node.share += share
        for call in calls[1:]:
            if call.function.startswith("<"):
                continue  # comprehensions and lambdas are their function's
            node = node.calls.setdefault(call.name, _Node(call.function, call.module))
            node.share += share

    def to_frame(self, above: tuple[str, ...] = ()) -> dict[str, Any]:
        """The node as plain data, without calls that are too short to be visible."""
        modules = (*above, self.module)
        kept = sorted(self.calls.values(), key=lambda call: -call.share)
        return {
            "name": self.name,
            "stage": stage_of_stack(modules),
            "share": self.share,
            "calls": [call.to_frame(modules) for call in kept if call.share >= _SEEN],
        }


def _frame(tree: Mapping[str, Any]) -> Frame:
    return Frame(tree["name"], tree["stage"], tree["share"], tuple(map(_frame, tree["calls"])))


def _table(told: Mapping[str, Values]) -> Table:
    columns = [Column("stage")]
    for kind in told:
        columns += [Column(kind, "s"), Column("share", "%")]
    rows: list[tuple[Cell, ...]] = []
    for stage in STAGES:
        cells: list[Cell] = [stage]
        for one in told.values():
            share = one["stages"].get(stage, 0.0)
            cells += [share * one["each"], share]
        rows.append(tuple(cells))
    whole: list[Cell] = ["in all"]
    for one in told.values():
        whole += [one["each"], 1.0]
    samples = ", ".join(f"{one['samples']:,} ({kind})" for kind, one in told.items())
    return Table(
        "Time of one question by stage",
        tuple(columns),
        (*rows, tuple(whole)),
        f"Samples: {samples}.",
    )
