"""The growth of a question's cost with every size that can grow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from benchmarks.report.checks import Expectation, Growth, dearest, judge
from benchmarks.report.data import (
    Axis,
    Column,
    Curves,
    LeftOut,
    Line,
    Panel,
    Section,
    Table,
    Unit,
    Verdict,
    Verdicts,
)
from benchmarks.report.options import Form, ReportOptions
from benchmarks.report.workloads import subjects
from benchmarks.report.workloads.subject_process import (
    PATIENCE,
    Subject,
    Tell,
    affordable,
    run_interleaved,
)

Found: TypeAlias = Mapping[int, Mapping[str, float]]
"""Costs by size."""

_FLAT = Expectation(Growth.FLAT)
_LINEAR = Expectation(Growth.LINEAR)


@dataclass(frozen=True, slots=True)
class Study:
    """What grows: ``sizes`` with the GB of memory that each needs, and how the costs may grow with
    it, by their names. A round asks so many questions (of one size; longer ones fewer). ``figure``
    names what aims say of the growth."""

    what: str
    subject: Subject
    sizes: Mapping[int, float]
    expected: Mapping[str, Expectation]
    asked: int = 500
    rounds: int = 15
    figure: str = ""
    short: Sequence[int] = field(default=(1, 10))


_COSTS: Mapping[str, tuple[str, Unit]] = {
    "ask": ("time of a question", "s"),
    "build": ("time to build", "s"),
    "memory": ("memory held", "B"),
}

STUDIES = (
    Study(
        "synonyms",
        subjects.of_synonyms,
        {100: 0.4, 1_000: 0.4, 10_000: 0.4, 100_000: 0.6, 1_000_000: 3.5},
        {"ask": Expectation(Growth.FLAT, until=100_000), "build": _LINEAR, "memory": _LINEAR},
        figure="synonyms.growth",
        short=(100, 1_000),
    ),
    Study(
        "intents",
        subjects.of_intents,
        {10: 0.4, 100: 0.4, 1_000: 0.4, 10_000: 0.6, 100_000: 2.5},
        {"ask": Expectation(Growth.FLAT, until=10_000), "build": _LINEAR, "memory": _LINEAR},
        figure="intents.growth",
        short=(10, 100),
    ),
    Study(
        "remembered entities",
        subjects.of_remembered,
        dict.fromkeys((1, 3, 10, 30, 100, 300, 1_000), 0.4),
        {"ask": _LINEAR},
        asked=200,
    ),
    Study(
        "conversations",
        subjects.of_conversations,
        {1: 0.4, 100: 0.4, 10_000: 0.5, 100_000: 1.0, 1_000_000: 6.0},
        {"ask": _FLAT, "memory": _LINEAR},
        short=(1, 100),
    ),
    Study(
        "words of a question",
        subjects.of_words,
        dict.fromkeys((1, 3, 10, 30, 100, 300, 1_000), 0.4),
        {"ask": _LINEAR},
        asked=4_000,
    ),
    Study(
        "threads",
        subjects.of_threads,
        dict.fromkeys((1, 2, 4, 8), 0.4),
        {"ask": _FLAT},
        asked=800,
        short=(1, 2),
    ),
)


def measure(wanted: ReportOptions, tell: Tell) -> Section:
    """Run the studies one after the other, each with its sizes in interleaved rounds."""
    found: dict[str, Found] = {}
    left_out: list[LeftOut] = []
    for study in STUDIES:
        found[study.what], missing = _measure_study(study, wanted, tell)
        left_out += missing
    verdicts = [one for study in STUDIES for one in _verdicts(study, found[study.what])]
    figures = {
        study.figure: dearest(points)
        for study in STUDIES
        if study.figure and (points := _aim_figures(study, found[study.what]))
    }
    measured = [study for study in STUDIES if found[study.what]]
    return Section(
        "scaling",
        "Scaling",
        "How a question, building and memory grow. Each size is a process of its own, built fresh "
        "(its memory is what the process holds more than before) in at most "
        f"{PATIENCE / 60:.0f} minutes; the questions are "
        f"{subjects.DIFFERENT} different ones in turn, and the sizes take turns in rounds. A time "
        "is the median over the rounds of the median in a round; for threads, the time of the "
        "clock over all questions of all threads, which share one interpreter.",
        (
            Verdicts("What was expected", tuple(verdicts)),
            *(_curves(study, found[study.what]) for study in measured),
            *(_table(study, found[study.what]) for study in measured),
        ),
        figures,
        left_out=tuple(left_out),
    )


def _sizes(study: Study, wanted: ReportOptions) -> Sequence[int]:
    return wanted.pick(whole=tuple(study.sizes), short=study.short)


def _measure_study(study: Study, wanted: ReportOptions, tell: Tell) -> tuple[Found, list[LeftOut]]:
    """The plots and verdicts of a study, and the sizes that were not measured."""
    sizes = _sizes(study, wanted)
    able = affordable({size: study.sizes[size] for size in sizes})
    found, failed = run_interleaved(
        study.subject,
        able,
        rounds=wanted.pick(whole=study.rounds, short=2),
        apart=wanted.form is Form.WHOLE,
        tell=lambda text: tell(f"{study.what}: {text}"),
        asked=wanted.pick(whole=study.asked, short=20),
    )
    why = {size: "too little memory is free" for size in sizes if size not in able} | failed
    return found, [
        LeftOut(f"{size:,} {study.what}", reason, failed=size in failed)
        for size, reason in why.items()
    ]


def _points(found: Found, cost: str) -> tuple[tuple[float, float], ...]:
    # What a small size holds may be nothing, and logarithms want something.
    least = 4_096.0 if cost == "memory" else 0.0
    return tuple((float(size), max(least, costs[cost])) for size, costs in found.items())


def _aim_figures(study: Study, found: Found) -> Sequence[tuple[float, float]]:
    """The growth figure that an aim refers to; empty if a size was not measured."""
    until = study.expected["ask"].until
    sizes = {size for size in study.sizes if size <= until}
    if not sizes <= found.keys():
        return []
    return [point for point in _points(found, "ask") if point[0] <= until]


def _verdicts(study: Study, found: Found) -> list[Verdict]:
    return [
        judge(f"{_COSTS[cost][0]} by {study.what}", expected, _points(found, cost))
        for cost, expected in study.expected.items()
    ]


def _curves(study: Study, found: Found) -> Curves:
    panels = []
    for cost in study.expected:
        name, unit = _COSTS[cost]
        line = Line("measured", _points(found, cost))
        panels.append(
            Panel(name, Axis(study.what), Axis(name, unit), (line, *_bound_line(study, cost, line)))
        )
    file = f"scaling-{study.what.replace(' ', '-')}"
    return Curves(file, f"By the number of {study.what}", tuple(panels))


def _bound_line(study: Study, cost: str, line: Line) -> tuple[Line, ...]:
    """The upper bound as a reference line for the curve."""
    expected, (first, *_) = study.expected[cost], line.points
    if expected.is_flat:
        level = first[1] * expected.within
        end = min(expected.until, line.points[-1][0])
        return (
            Line(
                f"{expected.within:g} × the first", ((first[0], level), (end, level)), is_bound=True
            ),
        )
    # Through the last point: a fixed part that all sizes have lets small ones lie above it.
    size, last = line.points[-1]
    start = max(first[0], size * first[1] / last / 10)
    return (Line("linear", ((start, last * start / size), (size, last)), is_bound=True),)


def _table(study: Study, found: Found) -> Table:
    (_, first), *_ = found.items()
    columns = [Column(study.what), Column("a question", "s"), Column("to the first", "×")]
    if "build" in study.expected:
        columns.append(Column("to build", "s"))
    if "memory" in study.expected:
        columns += [Column("memory", "B"), Column("each", "B")]
    rows = []
    for size, costs in found.items():
        row: list[float | int] = [size, costs["ask"], costs["ask"] / first["ask"]]
        row += [costs["build"]] if "build" in study.expected else []
        if "memory" in study.expected:
            row += [costs["memory"], costs["memory"] / size]
        rows.append(tuple(row))
    return Table(f"By the number of {study.what}", tuple(columns), tuple(rows))
