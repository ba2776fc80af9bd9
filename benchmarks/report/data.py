"""The parts of a report as plain values: tables, plots, verdicts. The sections create them, the
rendering reads them; neither depends on the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Unit: TypeAlias = Literal["", "s", "B", "×", "%", "1/s"]
"""Unit of a number: none, seconds, bytes, ratio, share (0 to 1), rate per second."""

VerdictResult: TypeAlias = Literal["met", "missed", "not measured"]
"""The outcome of an aim or an expectation."""

Cell: TypeAlias = str | int | float | None


@dataclass(frozen=True, slots=True)
class Column:
    """Numbers below it are in ``unit``."""

    name: str
    unit: Unit = ""


@dataclass(frozen=True, slots=True)
class Table:
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph of Markdown."""

    text: str


@dataclass(frozen=True, slots=True)
class Output:
    """The verbatim output of a program."""

    text: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """An expectation, the measured value, and whether it was met."""

    what: str
    expected: str
    measured: str
    word: VerdictResult
    note: str = ""


@dataclass(frozen=True, slots=True)
class Verdicts:
    title: str
    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True, slots=True)
class Axis:
    name: str
    unit: Unit = ""


@dataclass(frozen=True, slots=True)
class Line:
    """Points of a curve, by ascending x; ``is_bound`` marks a reference curve that was not
    measured."""

    name: str
    points: tuple[tuple[float, float], ...]
    is_bound: bool = False


@dataclass(frozen=True, slots=True)
class Panel:
    """Curves over the same axes, both logarithmic."""

    title: str
    x: Axis
    y: Axis
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Curves:
    """Panels side by side. ``name`` is the file name of the plot, here and in the other plots."""

    name: str
    title: str
    panels: tuple[Panel, ...]


@dataclass(frozen=True, slots=True)
class Spread:
    """Quantiles of a latency: pairs of a share and the seconds that this share does not exceed."""

    name: str
    quantiles: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Distributions:
    """Cumulative distributions of latencies, on a logarithmic time axis."""

    name: str
    title: str
    spreads: tuple[Spread, ...]


@dataclass(frozen=True, slots=True)
class Histogram:
    """A histogram of times: ``counts`` between consecutive ``edges`` (seconds), which grow by a
    factor. ``marks`` are highlighted times, by name."""

    name: str
    title: str
    edges: tuple[float, ...]
    counts: tuple[int, ...]
    marks: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Bars:
    """Ratios on a logarithmic axis; ``marks`` are target values, by name."""

    name: str
    title: str
    axis: Axis
    bars: tuple[tuple[str, float], ...]
    marks: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Frame:
    """A function, its share of the time including its calls, and its calls. ``stage`` is the stage
    of a question to which it belongs."""

    name: str
    stage: str
    share: float
    calls: tuple[Frame, ...] = ()


@dataclass(frozen=True, slots=True)
class Icicle:
    """An icicle plot of the time, callers above the functions that they call."""

    name: str
    title: str
    root: Frame


Plot: TypeAlias = Curves | Distributions | Histogram | Bars | Icicle
Part: TypeAlias = Table | Text | Output | Verdicts | Plot


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A measurement that was not run, with the reason; ``failed`` if it should have run."""

    what: str
    why: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the report. ``figures`` are the numbers that aims refer to, by their names in
    :mod:`.aims`; ``limits`` explains, by the same names, what bounds a figure."""

    id: str
    title: str
    intro: str
    parts: tuple[Part, ...] = ()
    figures: Mapping[str, float] = field(default_factory=dict)
    limits: Mapping[str, str] = field(default_factory=dict)
    left_out: tuple[LeftOut, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """A report. ``head`` has facts about the run by name; ``is_whole`` is False for the short form,
    whose figures do not count."""

    head: tuple[tuple[str, str], ...]
    again: str
    aims: tuple[Verdict, ...]
    sections: tuple[Section, ...]
    left_out: tuple[LeftOut, ...] = ()
    is_whole: bool = True


def plots_of(report: Report) -> list[Plot]:
    """The plots of a report."""
    parts = (part for section in report.sections for part in section.parts)
    return [one for one in parts if isinstance(one, Plot)]
