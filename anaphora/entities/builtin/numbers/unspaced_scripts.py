"""Scripts that put no blanks between words."""

from __future__ import annotations

import regex

__all__ = ["is_unspaced"]

_UNSPACED = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Myanmar}\p{Khmer}ー々]", regex.V1
)
_FIRST = "\u0e00"


def is_unspaced(text: str) -> bool:
    """Whether a text starts in such a script: a number may touch any of its letters."""
    return text >= _FIRST and _UNSPACED.match(text) is not None
