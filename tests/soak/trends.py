"""Whether what is measured again and again grows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

__all__ = ["growth", "medians_of_thirds"]

_NOISE = 3


def medians_of_thirds(values: Sequence[float]) -> tuple[float, float]:
    """Return the median of the first third, and that of the last."""
    third = len(values) // 3
    return median(values[:third]), median(values[-third:])


def growth(values: Sequence[float]) -> float:
    """Return by how much the median grows from the first third to the last, beyond the noise: by
    that the steps from value to value usually differ from the usual step."""
    first, last = medians_of_thirds(values)
    steps = [after - before for before, after in pairwise(values)]
    usual = median(steps)
    noise = median(abs(step - usual) for step in steps)
    return max(0, last - first - _NOISE * noise)
