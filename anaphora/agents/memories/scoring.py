"""The score of a memory by recency, relevance and importance.

Park et al., *Generative Agents: Interactive Simulacra of Human Behavior*, 2023, section 4.1. Their
published code gives the highest recency to what was accessed longest ago; here, as in the paper,
the most recently accessed is the most recent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from anaphora.agents.memories.declarations import Weights

__all__ = ["Rated", "compute_recency", "normalize", "score", "select_best"]

_DECAY = 0.995  # per hour
_CONSTANT = 0.5  # of a column without differences
_RELEVANT_SHARE = 0.25  # of what is selected


@dataclass(frozen=True, slots=True)
class Rated:
    """What the score of a memory is computed from: the ``hours`` since its last access, its
    ``relevance`` in any unit (None: a search has not found it), and its ``importance``."""

    hours: float
    relevance: float | None
    importance: float


def compute_recency(hours: float) -> float:
    """Return 0.995 to the power of the hours; times in the future count as now."""
    return float(_DECAY ** max(0.0, hours))


def normalize(values: Sequence[float]) -> list[float]:
    """Scale values to 0 … 1, the least to 0 and the greatest to 1; all to 0.5 if they are equal."""
    low, high = min(values, default=0.0), max(values, default=0.0)
    span = high - low
    if not span:
        return [_CONSTANT] * len(values)
    return [min(1.0, (value - low) / span) for value in values]


def score(rated: Sequence[Rated], weights: Weights) -> list[float]:
    """Return the weighted sum of the three parts of each memory, normalized over all of them."""
    found = [one.relevance for one in rated if one.relevance is not None]
    least = min([0.0, *found])  # of what the search has not found
    columns = (
        (weights.recency, [compute_recency(one.hours) for one in rated]),
        (weights.relevance, [least if one.relevance is None else one.relevance for one in rated]),
        (weights.importance, [one.importance for one in rated]),
    )
    weighted = [[weight * one for one in normalize(column)] for weight, column in columns]
    return [sum(parts) for parts in zip(*weighted, strict=True)]


def select_best(rated: Sequence[Rated], weights: Weights, k: int) -> list[int]:
    """Return the positions of the ``k`` memories with the highest scores, best first; of equal
    scores, the earlier position. A quarter of them are the most relevant that the search has found,
    whatever their score: however old a memory is, it stays within reach."""
    scores = score(rated, weights)
    order = sorted(range(len(rated)), key=lambda at: -scores[at])
    found = [(-one.relevance, at) for at, one in enumerate(rated) if one.relevance is not None]
    reserved = ceil(k * _RELEVANT_SHARE) if weights.relevance else 0
    kept = {at for _, at in sorted(found)[:reserved]}
    rest = [at for at in order if at not in kept][: k - len(kept)]
    chosen = kept.union(rest)
    return [at for at in order if at in chosen]
