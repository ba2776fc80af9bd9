"""Normalize the texts of templates and utterances, so that they can be compared."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["CJK", "CJK_RANGES", "CJK_SPACE", "fold_case", "normalize_text"]

CJK_RANGES = "一-鿿㐀-䶿぀-ヿ가-힯"
"""Chinese, Japanese and Korean characters, for a set in a regular expression."""

CJK = re.compile(f"[{CJK_RANGES}]")
CJK_SPACE = re.compile(rf"(?<=[{CJK_RANGES}])\s+(?=[{CJK_RANGES}])")
"""White space between characters of scripts that write none between words."""

_SPACE = re.compile(r"\s+")
_DOTLESS = str.maketrans({"İ": "i", "ı": "i"})


def fold_case(text: str) -> str:
    """Fold the case of a text without changing its length. The four forms of the Turkish I are
    one."""
    folded = text.translate(_DOTLESS).lower()
    if len(folded) == len(text):
        return folded
    return "".join(low if len(low := c.lower()) == 1 else c for c in text.translate(_DOTLESS))


def normalize_text(text: str) -> str:
    """Fold white space to single blanks and quotes to apostrophes, and compose characters (NFC)."""
    return unicodedata.normalize("NFC", _SPACE.sub(" ", text)).replace("’", "'")
