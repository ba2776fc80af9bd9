"""The performance aims of the project, as data: ratios within one run, on two cores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from benchmarks.report.data import Unit, Verdict
from benchmarks.report.rendering.numbers import format_number

Bound = Literal["at least", "at most", "under"]


@dataclass(frozen=True, slots=True)
class Aim:
    """A figure of a section should be at least, at most or under ``target``; ``stretch`` is the
    more ambitious target."""

    figure: str
    what: str
    bound: Bound
    target: float
    unit: Unit = "×"
    stretch: float | None = None


AIMS = (
    Aim("home.over_hassil", "Smart home: throughput of `ask` to hassil's", "at least", 20),
    Aim("home.over_adapt", "Smart home: throughput of `ask` to adapt's", "at least", 2, stretch=5),
    Aim(
        "home.intents_lead",
        "Smart home: accuracy of intents over the best peer's",
        "at least",
        0,
        "%",
    ),
    Aim(
        "home.slots_lead", "Smart home: accuracy of slots over the best peer's", "at least", 0, "%"
    ),
    Aim(
        "tagging.over_entity_ruler",
        "Tagging, 10⁵ synonyms: speed to EntityRuler's",
        "at least",
        5,
    ),
    Aim(
        "tagging.over_phrase_matcher",
        "Tagging, 10⁵ synonyms: speed to PhraseMatcher's",
        "at least",
        1,
    ),
    Aim("synonyms.growth", "`ask` from 10² to 10⁵ synonyms", "at most", 1.5),
    Aim("intents.growth", "`ask` from 10 to 10⁴ intents", "at most", 1.5),
    Aim("building.seconds", "Building a model of 100,000 synonyms", "under", 3, "s"),
    Aim("building.bytes", "What it holds for each synonym", "under", 300, "B"),
    Aim("building.cached", "Loading it from its compile cache", "under", 0.3, "s"),
    Aim("steadiness.tail", "p99 of `ask` to its median, 100,000 mixed questions", "under", 4),
    Aim("start.seconds", "Import and first answer of the weather model, cached", "under", 1, "s"),
)


def judge_aims(figures: Mapping[str, float], limits: Mapping[str, str]) -> tuple[Verdict, ...]:
    """Judge each aim by the measured figures (without one, an aim is not judged) and by the known
    limits."""
    return tuple(_judge(aim, figures.get(aim.figure), limits) for aim in AIMS)


def _judge(aim: Aim, figure: float | None, limits: Mapping[str, str]) -> Verdict:
    target = f"{aim.bound} {format_number(aim.target, aim.unit)}"
    if aim.stretch is not None:
        target += f" (stretch: {format_number(aim.stretch, aim.unit)})"
    if figure is None:
        return Verdict(aim.what, target, "–", "not measured")
    measured = format_number(figure, aim.unit)
    if _is_reached(aim, figure):
        reach = aim.stretch is not None and figure >= aim.stretch
        return Verdict(aim.what, target, measured, "met", "the stretch, too" if reach else "")
    note = _format_margin(aim, figure)
    if aim.figure in limits:
        note += f"; {limits[aim.figure]}"
    return Verdict(aim.what, target, measured, "missed", note)


def _is_reached(aim: Aim, figure: float) -> bool:
    match aim.bound:
        case "at least":
            return figure >= aim.target
        case "at most":
            return figure <= aim.target
        case "under":
            return figure < aim.target


def _format_margin(aim: Aim, figure: float) -> str:
    if aim.unit == "%":
        return f"short by {abs(figure - aim.target) * 100:.1f} points"
    low, high = sorted((figure, aim.target))
    return f"missed by a factor of {high / low:.2f}" if low > 0 else "missed"
