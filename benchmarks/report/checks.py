"""How a cost may grow, and whether a measured curve keeps to it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from benchmarks.report.data import Verdict

Points: TypeAlias = Sequence[tuple[float, float]]
"""Pairs of a size and what it cost, by growing size."""

_STEEPEST_LINE = 1.15  # slope on log-log axes; caches of the processor alone make some 1.1
_OVER_LOGARITHM = 1.5


class Growth(StrEnum):
    """How a cost grows with size."""

    FLAT = "flat"
    LOGARITHMIC = "logarithmic"
    LINEAR = "linear"


@dataclass(frozen=True, slots=True)
class Expectation:
    """At most this growth, for sizes up to ``until``; ``within`` is the factor that something
    flat may vary by."""

    growth: Growth
    within: float = 1.5
    until: float = math.inf

    def __str__(self) -> str:
        what = f"{self.growth} within {self.within:g} ×" if self.is_flat else str(self.growth)
        return what if math.isinf(self.until) else f"{what} up to {self.until:,.0f}"

    @property
    def is_flat(self) -> bool:
        return self.growth is Growth.FLAT


def judge(what: str, expected: Expectation, points: Points) -> Verdict:
    """Whether ``points`` keep to what is expected; two sizes must have been measured for that.

    What is flat: the dearest size costs at most ``within`` times the smallest one. What is
    logarithmic: the largest costs at most one and a half times what a logarithm through the
    smallest makes of it. What is linear: the slope of the line of least squares through the upper
    half of the points, on log-log axes, is at most 1.15. A curve that grows less keeps to it, too.
    """
    kept = [point for point in points if point[0] <= expected.until]
    if len(kept) < 2:
        return Verdict(what, str(expected), "fewer than two sizes", "not measured")
    match expected.growth:
        case Growth.FLAT:
            times = dearest(kept)
            met, measured = times <= expected.within, f"{times:.2f} ×"
        case Growth.LOGARITHMIC:
            times, allowed = _end_to_end(kept), _logarithm(kept)
            met = times <= allowed * _OVER_LOGARITHM
            measured = f"{times:.2f} × where a logarithm has {allowed:.2f} ×"
        case Growth.LINEAR:
            slope = steepness(kept[-max(2, math.ceil(len(kept) / 2)) :])
            met, measured = slope <= _STEEPEST_LINE, f"slope {slope:.2f}"
    return Verdict(what, str(expected), measured, "met" if met else "missed")


def dearest(points: Points) -> float:
    """What the dearest size costs, as a multiple of the smallest one's cost."""
    return max(cost for _, cost in points) / points[0][1]


def steepness(points: Points) -> float:
    """The slope of the line of least squares through the points on log-log axes: 0 for what is
    flat, 1 for what is linear, 2 for a square."""
    logs = [(math.log(size), math.log(cost)) for size, cost in points]
    x, y = (sum(column) / len(logs) for column in zip(*logs, strict=True))
    across = math.fsum((one - x) ** 2 for one, _ in logs)
    return math.fsum((one - x) * (other - y) for one, other in logs) / across


def _end_to_end(points: Points) -> float:
    return points[-1][1] / points[0][1]


def _logarithm(points: Points) -> float:
    """What a cost in proportion to the logarithm would have grown by; of sizes below 2, as of 2."""
    return math.log(max(points[-1][0], 2)) / math.log(max(points[0][0], 2))
