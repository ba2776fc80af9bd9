"""Scripts that are written without blanks between words."""

from __future__ import annotations

import re

import regex

__all__ = ["FIRST_UNSPACED", "UNSPACED", "UNSPACED_RANGES", "is_hangul", "starts_unspaced"]

UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}ー\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
"""The inside of a character class by script, for ``regex`` and RE2, with the Japanese mark of long
vowels."""

UNSPACED_RANGES = (
    r"\u3005-\u3007\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff"  # Han, Hiragana, Katakana
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\U00020000-\U0003ffff"  # Thai, Lao, Burmese, Khmer
)
"""About the same by code points, for the module ``re``, which is faster."""

FIRST_UNSPACED = "\u0e00"
"""All letters of these scripts are at or above this code point."""

_HANGUL = re.compile("[가-힣]+")
_LETTER = regex.compile(f"[{UNSPACED}]")


def starts_unspaced(text: str) -> bool:
    """Whether a text starts with a letter of such a script."""
    return text >= FIRST_UNSPACED and _LETTER.match(text) is not None


def is_hangul(text: str) -> bool:
    """Whether all letters are Korean."""
    return _HANGUL.fullmatch(text) is not None
