"""Suggest the closest known name for an unknown one."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = ["closest_match", "did_you_mean"]

_MAX_LISTED = 12
_MAX_COMPARED = 1_000  # comparing costs 20 µs per name, and a file may have many errors


def closest_match(name: str, known: Iterable[str], *, min_similarity: float = 0.6) -> str | None:
    """The known name most similar to ``name``, without case; None below ``min_similarity``."""
    candidates = {candidate.casefold(): candidate for candidate in list(known)[:_MAX_COMPARED]}
    found = get_close_matches(name[:100].casefold(), candidates, n=1, cutoff=min_similarity)
    return candidates[found[0]] if found else None


def did_you_mean(name: str, known: Iterable[str], *, label: str = "", prefix: str = "") -> str:
    """A hint for an unknown name: the closest known one, else a list of a few after ``label``.

    ``prefix`` is put before the suggested name; '' if there is nothing to suggest.
    """
    names = list(known)
    if found := closest_match(name, names):
        return f"did you mean '{prefix}{found}'?"
    if not names or len(names) > _MAX_LISTED or not label:
        return ""
    return f"{label}: {', '.join(names)}"
