"""Scripts without spaces between words: Han, kana, Thai, Lao, Burmese and Khmer."""

from __future__ import annotations

import regex

__all__ = ["FIRST_UNSPACED", "UNSPACED", "blank_out_unspaced", "is_unspaced"]

UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}ー\p{Thai}\p{Lao}\p{Myanmar}\p{Khmer}"
"""Their letters, for the inside of a character class of ``regex`` or RE2."""

FIRST_UNSPACED = "\u0e00"
"""All their letters are at or above this code point."""

_LETTERS = regex.compile(f"[{UNSPACED}]")


def is_unspaced(text: str) -> bool:
    """Whether a text starts with a letter of such a script."""
    return text >= FIRST_UNSPACED and _LETTERS.match(text) is not None


def blank_out_unspaced(text: str) -> str | None:
    """Replace each letter of such a script by a blank; None if the text has none."""
    if text.isascii() or not _LETTERS.search(text):
        return None
    spaced: str = _LETTERS.sub(" ", text)
    return spaced
