"""Scripts that put no blanks between words, as they stand next to addresses."""

from __future__ import annotations

import regex

__all__ = ["UNSPACED", "blank_out_unspaced"]

UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\u30fc\p{Thai}\p{Lao}\p{Myanmar}\p{Khmer}"
"""What stands between the brackets of a regular expression."""

_LETTERS = regex.compile(f"[{UNSPACED}]")


def blank_out_unspaced(text: str) -> str | None:
    """``text`` with a blank in place of each letter of such a script; None if it has none."""
    if text.isascii() or not _LETTERS.search(text):
        return None
    spaced: str = _LETTERS.sub(" ", text)
    return spaced
