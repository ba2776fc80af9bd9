"""The score of an entity: its mentions, each of which counts half as much every thirty days.

This is an exponentially decayed count, kept by forward decay (Cormode, Shkapenyuk, Srivastava, Xu:
*Forward Decay: A Practical Time Decay Model for Streaming Systems*, ICDE 2009): a mention at time t
weighs 2^((t - landmark) / half-life) for ever. So weights are only added, their order does not
depend on the present time, and an index can keep it. The score at a time is the sum of the weights
divided by 2^((time - landmark) / half-life).

The score only ranks: an old entity comes later, but nothing is forgotten because of it.
"""

from __future__ import annotations

__all__ = ["mention_weight", "score_at"]

_HALF_LIFE = 30 * 24 * 60 * 60 * 1_000_000  # microseconds
_LANDMARK = 1_767_225_600_000_000  # the start of 2026 in microseconds since 1970
_MAX_EXPONENT = 500.0  # 41 years from the landmark; the sums fit into a float for ever


def mention_weight(at: int) -> float:
    """Return the weight of one mention at a time, in microseconds since 1970."""
    exponent = (at - _LANDMARK) / _HALF_LIFE
    return float(2.0 ** max(-_MAX_EXPONENT, min(exponent, _MAX_EXPONENT)))


def score_at(weight: float, at: int) -> float:
    """Return the score at a time of an entity whose mentions weigh ``weight`` together."""
    return weight / mention_weight(at)
