"""What a section of the report says, as plain values: tables, plots, verdicts. Who measures makes
them, who renders reads them, and neither knows the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Unit: TypeAlias = Literal["", "s", "B", "×", "%", "1/s"]
"""Of a number: none, seconds, bytes, a ratio, a share (0 to 1), so many a second."""

VerdictResult: TypeAlias = Literal["met", "missed", "not measured"]
"""What became of an aim or an expectation."""

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
    """What a program printed, word for word."""

    text: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was expected of something, what was measured, and whether it is so."""

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
    """Points of one curve, by growing x; ``is_bound`` is one to hold the others against, which
    nobody measured."""

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
    """Panels side by side. ``name`` is that of the plot's file; so with the other plots."""

    name: str
    title: str
    panels: tuple[Panel, ...]


@dataclass(frozen=True, slots=True)
class Spread:
    """Latencies of one thing: so many seconds (the second of each pair) or less took this share
    of them (the first)."""

    name: str
    quantiles: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Distributions:
    """Which share took how long at most, on a logarithmic axis of time."""

    name: str
    title: str
    spreads: tuple[Spread, ...]


@dataclass(frozen=True, slots=True)
class Histogram:
    """How many took how long: ``counts`` between each two of the ``edges`` (seconds), which grow
    by a factor. ``marks`` are times to point out, by name."""

    name: str
    title: str
    edges: tuple[float, ...]
    counts: tuple[int, ...]
    marks: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Bars:
    """Ratios on a logarithmic axis; ``marks`` are those to reach, by name."""

    name: str
    title: str
    axis: Axis
    bars: tuple[tuple[str, float], ...]
    marks: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Frame:
    """A function, the share of the time that it and what it calls take, and what it calls.
    ``stage`` is the part of the work that it belongs to."""

    name: str
    stage: str
    share: float
    calls: tuple[Frame, ...] = ()


@dataclass(frozen=True, slots=True)
class Icicle:
    """Where time goes, from the caller at the top down to whom it calls."""

    name: str
    title: str
    root: Frame


Plot: TypeAlias = Curves | Distributions | Histogram | Bars | Icicle
Part: TypeAlias = Table | Text | Output | Verdicts | Plot


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What was not run, and the reason; ``failed`` if it was to run, and could not."""

    what: str
    why: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """``figures`` are the numbers that aims are about, by the names that :mod:`.aims` has for
    them; ``limits`` says by those names what bounds a figure, in a sentence."""

    id: str
    title: str
    intro: str
    parts: tuple[Part, ...] = ()
    figures: Mapping[str, float] = field(default_factory=dict)
    limits: Mapping[str, str] = field(default_factory=dict)
    left_out: tuple[LeftOut, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """``head`` are facts of the run by their names; ``is_whole`` is whether it was a run whose
    figures count, and not one of the short form."""

    head: tuple[tuple[str, str], ...]
    again: str
    aims: tuple[Verdict, ...]
    sections: tuple[Section, ...]
    left_out: tuple[LeftOut, ...] = ()
    is_whole: bool = True


def plots_of(report: Report) -> list[Plot]:
    """All plots of a report."""
    parts = (part for section in report.sections for part in section.parts)
    return [one for one in parts if isinstance(one, Plot)]
