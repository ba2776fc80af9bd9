"""Whether a text may hold a number at all, found out in a microsecond or two."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache

import re2

from anaphora.entities.numbers.literals import VULGAR
from anaphora.entities.numbers.scripts import is_unspaced
from anaphora.entities.numbers.terms import vocabulary

__all__ = ["gate"]

# Hebrew and Arabic: the same word may be written in too many ways for a pattern.
_MANY_SPELLINGS = re.compile(r"[\u0590-\u08ff]")
_APOSTROPHES = "['’‘ʼ‛′´＇]"


@lru_cache(maxsize=32)
def gate(language: str) -> Callable[[str], bool]:
    """A function that is False only for texts without any digit and without a word that a
    numeral of the language may start with."""
    words = vocabulary(language)
    if words.folds or any(map(_MANY_SPELLINGS.match, words.heads)):
        return bool
    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    search = re2.compile(
        "|".join((rf"[\p{{Nd}}\p{{Cf}}\p{{Mn}}]|[{VULGAR}]", *_starts(language))), options
    )

    def may_have(text: str) -> bool:
        if not text.isascii() and not unicodedata.is_normalized("NFKC", text):
            return True
        return search.search(text) is not None

    return may_have


def _starts(language: str) -> list[str]:
    words = vocabulary(language)
    spaced = sorted(word for word in words.heads if not is_unspaced(word))
    unspaced = {word[0] for word in words.heads if is_unspaced(word)}
    patterns = []
    if spaced:
        behind = "" if words.compounds else r"(?:$|[^\p{L}\p{M}])"
        joined = "|".join(map(_pattern, spaced))
        patterns.append(rf"(?:^|[^\p{{L}}\p{{M}}])(?:{joined}){behind}")
    if unspaced:
        patterns.append(f"[{''.join(sorted(unspaced))}]")
    return patterns


def _pattern(word: str) -> str:
    escaped = str(re2.escape(word)).replace("\\'", "'")
    return escaped.replace("'", _APOSTROPHES).replace("е", "[её]")
