"""Draw the plots of a report with matplotlib: readable at a width of 900 pixels, in colors that are
safe for color-blind readers."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, log10
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from benchmarks.report.data import (
    Axis,
    Bars,
    Curves,
    Distributions,
    Frame,
    Histogram,
    Icicle,
    Panel,
    Plot,
)
from benchmarks.report.rendering.numbers import format_number
from benchmarks.report.workloads.stages import STAGES

# The palette of Okabe and Ito, with three colors of Paul Tol for the stages.
_COLOURS = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#000000",
    "#882255",
    "#999933",
    "#AAAAAA",
)
_STAGE_COLOURS = dict(
    zip(
        STAGES,
        (
            "#0072B2",
            "#56B4E9",
            "#009E73",
            "#E69F00",
            "#F0E442",
            "#CC79A7",
            "#D55E00",
            "#DDAA77",
            "#AA99DD",
            "#99CC99",
            "#CCCCCC",
        ),
        strict=True,
    )
)
_DASHES = ("-", "--", "-.", ":")
_BESIDE = 4  # more lines than that have their names beside the plot
_WIDTH = 9.0  # inches of 100 pixels
_DPI = 100
_LETTER = 0.0068  # of the width, for one letter of an icicle
_STYLE: dict[Any, Any] = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#DDDDDD",
    "axes.axisbelow": True,
    "legend.frameon": False,
    "svg.fonttype": "none",  # letters stay letters
    "svg.hashsalt": "anaphora",  # the same file of the same figures
}


def draw(plot: Plot, folder: Path) -> Path:
    """Draw the plot to a file in ``folder`` and return its path. An icicle is an SVG, so that it
    can be searched."""
    kind = "svg" if isinstance(plot, Icicle) else "png"
    file = folder / f"{plot.name}.{kind}"
    with mpl.rc_context(_STYLE):
        figure = _render(plot)
        metadata: Mapping[str, None] = {"Date": None} if kind == "svg" else {"Software": None}
        figure.savefig(file, dpi=_DPI, metadata=dict(metadata))
    return file


def _render(plot: Plot) -> Figure:
    match plot:
        case Curves():
            return _curves(plot)
        case Distributions():
            return _distributions(plot)
        case Histogram():
            return _histogram(plot)
        case Bars():
            return _bars(plot)
        case Icicle():
            return _icicle(plot)


def _figure(height: float, title: str) -> Figure:
    figure = Figure(figsize=(_WIDTH, height), layout="constrained")
    figure.suptitle(title, fontsize=11)
    return figure


def _curves(plot: Curves) -> Figure:
    figure = _figure(3.6, plot.title)
    axes = figure.subplots(1, len(plot.panels), squeeze=False)[0]
    for one, panel in zip(axes, plot.panels, strict=True):
        _panel(one, panel)
    return figure


def _panel(axes: Axes, panel: Panel) -> None:
    for number, line in enumerate(panel.lines):
        axes.plot(
            *zip(*line.points, strict=True),
            label=line.name,
            color="#777777" if line.is_bound else _COLOURS[number % len(_COLOURS)],
            linestyle="--" if line.is_bound else "-",
            marker="" if line.is_bound else "o",
            markersize=4,
            linewidth=1.3 if line.is_bound else 1.8,
        )
    axes.set_xscale("log")
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    if high / low < 10:  # less than a decade looks like more than it is
        middle = (low * high) ** 0.5
        axes.set_ylim(middle / 10**0.5, middle * 10**0.5)
    _logarithmic(axes, "x", panel.x)
    _logarithmic(axes, "y", panel.y)
    if len(panel.lines) > _BESIDE:
        axes.legend(fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))
    elif len(panel.lines) > 1:
        axes.legend(fontsize=8)


def _logarithmic(axes: Axes, which: str, axis: Axis) -> None:
    """Make an axis logarithmic, with units at its ticks; an axis of few decades has minor ticks as
    well."""
    its = axes.xaxis if which == "x" else axes.yaxis
    (axes.set_xscale if which == "x" else axes.set_yscale)("log")
    (axes.set_xlabel if which == "x" else axes.set_ylabel)(axis.name)
    low, high = its.get_view_interval()
    between = (1, 2, 5) if high < 200 * low else (1,)
    its.set_major_locator(LogLocator(10, subs=between, numticks=12))
    its.set_major_formatter(FuncFormatter(lambda value, _: _tick(value, axis)))
    its.set_minor_formatter(NullFormatter())


def _tick(value: float, axis: Axis) -> str:
    if axis.unit == "" and value >= 10_000:
        return f"$10^{{{round(log10(value))}}}$"
    text = format_number(value, axis.unit)
    number, _, unit = text.partition(" ")
    if "." in number:
        number = number.rstrip("0").rstrip(".")
    return f"{number} {unit}".strip()


def _distributions(plot: Distributions) -> Figure:
    """Draw time over the share of questions that take no longer, with a logarithmic scale towards
    the slowest."""
    figure = _figure(3.8, plot.title)
    axes = figure.subplots()
    for number, spread in enumerate(plot.spreads):
        points = [(1 - share, seconds) for share, seconds in spread.quantiles if share < 1]
        axes.plot(
            *zip(*points, strict=True),
            label=spread.name,
            color=_COLOURS[number % len(_COLOURS)],
            linestyle=_DASHES[number // len(_COLOURS) % len(_DASHES)],
            linewidth=1.8,
        )
    axes.set_yscale("log")
    _logarithmic(axes, "y", Axis("time of a question", "s"))
    axes.set_xscale("log")
    axes.invert_xaxis()
    slowest = [0.5, 0.1, 0.01, 0.001, 0.0001]
    least = min(1 - share for one in plot.spreads for share, _ in one.quantiles if share < 1)
    kept = [share for share in slowest if share >= least * 0.99]
    axes.set_xticks(kept, [f"{(1 - share) * 100:g} %" for share in kept])
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("share of questions that take no longer")
    beside = {"loc": "center left", "bbox_to_anchor": (1.0, 0.5)}
    axes.legend(fontsize=8, **beside if len(plot.spreads) > _BESIDE else {"loc": "upper left"})
    return figure


def _histogram(plot: Histogram) -> Figure:
    figure = _figure(3.6, plot.title)
    axes = figure.subplots()
    axes.stairs(plot.counts, plot.edges, fill=True, color="#56B4E9")
    axes.set_xscale("log")
    _logarithmic(axes, "x", Axis("time of a question", "s"))
    axes.set_yscale("log")
    axes.set_ylim(0.5, max(plot.counts) * 8)
    axes.set_ylabel("questions")
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    for number, (name, seconds) in enumerate(sorted(plot.marks, key=lambda mark: mark[1])):
        axes.axvline(seconds, color="#D55E00", linewidth=1.2)
        text = f" {name}: {format_number(seconds, 's')}"
        top = axes.get_xaxis_transform()
        axes.text(seconds, 1 - 0.07 * number, text, transform=top, va="top", fontsize=8)
    return figure


def _bars(plot: Bars) -> Figure:
    figure = _figure(0.9 + 0.34 * len(plot.bars), plot.title)
    axes = figure.subplots()
    names = [name for name, _ in plot.bars][::-1]
    values = [value for _, value in plot.bars][::-1]
    drawn = axes.barh(names, [value - 1 for value in values], left=1, color="#56B4E9", height=0.6)
    axes.bar_label(
        drawn, [f" {format_number(value, plot.axis.unit)}" for value in values], fontsize=8
    )
    low = min(1.0, *values, *(value for _, value in plot.marks))
    high = max(1.0, *values, *(value for _, value in plot.marks))
    axes.set_xscale("log")
    axes.set_xlim(low / 1.5, high * 2.2)
    _logarithmic(axes, "x", plot.axis)
    axes.axvline(1, color="#000000", linewidth=1)
    for name, value in plot.marks:
        axes.axvline(value, color="#D55E00", linestyle="--", linewidth=1.2)
        top = axes.get_xaxis_transform()
        axes.text(value, 1.0, name, transform=top, ha="center", va="bottom", fontsize=8)
    axes.grid(visible=False, axis="y")
    return figure


def _icicle(plot: Icicle) -> Figure:
    depth = _depth(plot.root)
    figure = _figure(0.9 + 0.23 * depth + 0.22 * ceil(len(STAGES) / 6), plot.title)
    axes = figure.subplots()
    seen: set[str] = set()
    _stack(axes, plot.root, 0.0, 0, seen)
    axes.set_xlim(0, 1)
    axes.set_ylim(depth, 0)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.grid(visible=False)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value * 100:.0f} %"))
    shades = [
        mpl.patches.Patch(color=_STAGE_COLOURS[one], label=one) for one in STAGES if one in seen
    ]
    figure.legend(handles=shades, loc="outside lower center", ncols=6, fontsize=8)
    return figure


def _depth(frame: Frame) -> int:
    return 1 + max(map(_depth, frame.calls), default=0)


def _stack(axes: Axes, frame: Frame, left: float, level: int, seen: set[str]) -> None:
    """Draw a function as a box, with its calls below it from left to right."""
    seen.add(frame.stage)
    axes.barh(
        level + 0.5,
        frame.share,
        left=left,
        height=1,
        color=_STAGE_COLOURS[frame.stage],
        edgecolor="#FFFFFF",
        linewidth=0.5,
    )
    letters = int(frame.share / _LETTER)
    name = frame.name if len(frame.name) <= letters else frame.name.rpartition(".")[2]
    if len(name) > letters:
        name = f"{name[: letters - 1]}…" if letters > 4 else ""
    if name:
        axes.text(left + 0.002, level + 0.5, name, va="center", fontsize=6.5, clip_on=True)
    for call in frame.calls:
        _stack(axes, call, left, level + 1, seen)
        left += call.share
