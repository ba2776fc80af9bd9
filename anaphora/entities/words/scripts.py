"""Scripts that are written without blanks between words.

Both constants are the inside of a character class, as in ``f"[{UNSPACED}]"``.
"""

from __future__ import annotations

__all__ = ["UNSPACED", "UNSPACED_RANGES"]

UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\u30fc\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
"""By script, for the module ``regex``, with the Japanese mark of long vowels."""

UNSPACED_RANGES = (
    r"\u3005-\u3007\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff"  # Han, Hiragana, Katakana
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\U00020000-\U0003ffff"  # Thai, Lao, Burmese, Khmer
)
"""About the same by code points, for the module ``re``, which is faster."""
