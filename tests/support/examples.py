"""How many examples a property test tries: few in the suite, all of them in the long form.

``pytest --hypothesis-profile=thorough`` is the long form. The examples differ from run to run, so
that many short runs see as much as a long one.
"""

from __future__ import annotations

from hypothesis import settings

__all__ = ["SHORT", "THOROUGH", "examples"]

THOROUGH = 100  # of a test that does not say how many
SHORT = 20


def examples(thorough: int) -> int:
    """Return how many examples a test tries that tries ``thorough`` of them in the long form: a
    fifth, and at least five."""
    return max(min(5, thorough), thorough * settings().max_examples // THOROUGH)
