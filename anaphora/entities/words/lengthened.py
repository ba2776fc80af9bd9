"""Find the words that people write with lengthened letters: yess, nooo, jaa."""

from __future__ import annotations

import re
from collections.abc import Container

__all__ = ["has_repeated_letter", "shorten"]

_REPEATED = re.compile(r"([^\W\d_])\1+")
_LENGTHS = (1, 2)  # of a run of the same letter: "yess" is "yes", "goood" is "good"


def has_repeated_letter(text: str) -> bool:
    """Whether a letter follows itself anywhere in a text."""
    return _REPEATED.search(text) is not None


def shorten(word: str, known: Container[str]) -> str:
    """The known word that one with lengthened letters is meant for, else the word itself."""
    if word in known:
        return word
    for length in _LENGTHS:
        shorter = _REPEATED.sub(r"\1" * length, word)
        if len(shorter) < len(word) and shorter in known:
            return shorter
    return word
