"""A report with every kind of plot, for the tests of the rendering and of the docs."""

from __future__ import annotations

from benchmarks.report.aims import judge_aims
from benchmarks.report.data import (
    Axis,
    Bars,
    Curves,
    Distributions,
    Frame,
    Histogram,
    Icicle,
    LeftOut,
    Line,
    Panel,
    Report,
    Section,
    Spread,
)
from benchmarks.report.workloads.stages import STAGES

PLOTS = (
    Curves(
        "curves",
        "Curves",
        (
            Panel(
                "one",
                Axis("synonyms"),
                Axis("time", "s"),
                (
                    Line("measured", ((1, 1e-4), (1_000_000, 2e-4))),
                    Line("1.5 × the first", ((1, 1.5e-4), (1_000_000, 1.5e-4)), is_bound=True),
                ),
            ),
            Panel(
                "two", Axis("words"), Axis("memory", "B"), (Line("measured", ((1, 5), (9, 500))),)
            ),
        ),
    ),
    Distributions("spread", "Spread", (Spread("ours", ((0.5, 1e-4), (0.99, 1e-3), (1.0, 2e-3))),)),
    Histogram("histogram", "Histogram", (1e-4, 1e-3, 1e-2), (9, 1), (("median", 2e-4),)),
    Bars("bars", "Bars", Axis("ratio", "×"), (("hassil", 21.0), ("adapt", 0.5)), (("aim", 20.0),)),
    Icicle(
        "icicle",
        "Icicle",
        Frame(
            "ask", STAGES[-1], 1.0, (Frame("Bot.read", STAGES[0], 0.6), Frame("x", "words", 0.1))
        ),
    ),
)


def report_of(*parts, **more):
    section = Section("one", "One", "What it is.", parts, left_out=(LeftOut("b", "no disk"),))
    given = {"head": (("cores", "2"),), "again": "make bench", "aims": judge_aims({}, {})}
    return Report(sections=(section,), **(given | more))
