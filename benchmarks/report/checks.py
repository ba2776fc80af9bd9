"""Check measured curves against the expected growth of a cost."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from benchmarks.report.data import Verdict

Points: TypeAlias = Sequence[tuple[float, float]]
"""Pairs of size and cost, by ascending size."""

_STEEPEST_LINE = 1.15  # slope on log-log axes; caches of the processor alone make some 1.1
_OVER_LOGARITHM = 1.5


class Growth(StrEnum):
    """How a cost grows with size."""

    FLAT = "flat"
    LOGARITHMIC = "logarithmic"
    LINEAR = "linear"


@dataclass(frozen=True, slots=True)
class Expectation:
    """The maximum growth for sizes up to ``until``; ``within`` is the factor by which a flat cost
    may vary."""

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
    """Judge whether ``points`` meet the expectation; at least two sizes must have been measured.

    Flat: the most expensive size costs at most ``within`` times as much as the smallest one.
    Logarithmic: the largest size costs at most 1.5 times the value of a logarithm through the
    smallest. Linear: the least-squares slope through the upper half of the points, on log-log axes,
    is at most 1.15. Slower growth meets an expectation as well.
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
    """The highest cost as a multiple of the cost of the smallest size."""
    return max(cost for _, cost in points) / points[0][1]


def steepness(points: Points) -> float:
    """The least-squares slope on log-log axes: 0 for constant, 1 for linear, 2 for quadratic
    costs."""
    logs = [(math.log(size), math.log(cost)) for size, cost in points]
    x, y = (sum(column) / len(logs) for column in zip(*logs, strict=True))
    across = math.fsum((one - x) ** 2 for one, _ in logs)
    return math.fsum((one - x) * (other - y) for one, other in logs) / across


def _end_to_end(points: Points) -> float:
    return points[-1][1] / points[0][1]


def _logarithm(points: Points) -> float:
    """The growth factor of a logarithmic cost; sizes below 2 count as 2."""
    return math.log(max(points[-1][0], 2)) / math.log(max(points[0][0], 2))
