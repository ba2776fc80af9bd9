"""Find the ends of sentences, by the punctuation marks of many scripts.

No model of a language is used: a period also occurs in numbers, initials and abbreviations, which
``languages/<code>/abbreviations.yaml`` lists.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import regex

from anaphora.entities.languages import languages_with, load_table

__all__ = ["LINE_BREAKS", "SENTENCE_MARKS", "find_sentence_ends", "is_abbreviation_or_ordinal"]

LINE_BREAKS = frozenset("\n\r\u2028\u2029")

_UNSPACED_MARKS = "。！？｡"  # of scripts without blanks
_SPACED_MARKS = ".!?…।॥؟۔։።"
SENTENCE_MARKS = frozenset(_UNSPACED_MARKS + _SPACED_MARKS)
"""The characters that end a sentence."""

# Characters behind the end of a sentence that still belong to it.
_CLOSING = r"[\p{Pe}\p{Pf}\"'’”»*_]*+"
_END = regex.compile(
    rf"""
      [{"".join(sorted(LINE_BREAKS))}]+\s*        # a line of its own
    | [{_UNSPACED_MARKS}]+{_CLOSING}\s*
    # "?!", "...", an emoji
    | (?<![{_SPACED_MARKS}])[{_SPACED_MARKS}]++{_CLOSING}(?:\s*+\p{{So}}++)*+\s+
    # an emoji instead of a period
    | (?<![\p{{So}}\uFE0F\u200D])\p{{So}}[\p{{So}}\uFE0F\u200D]*+\s+(?=\p{{Lu}})
    """,
    regex.VERBOSE,
)
_WORD_BEFORE = regex.compile(r"[\p{L}\p{N}.]+$")
_GERMAN_MONTHS = frozenset(
    ("jan", "jän", "feb", "mär", "apr", "mai", "jun", "jul", "aug", "sep", "okt", "nov", "dez")
)


def find_sentence_ends(text: str) -> Iterator[int]:
    """Yield the offsets in ``text`` behind its sentences and the whitespace that follows them."""
    for match in _END.finditer(text):
        if match[0].lstrip(" ")[:1] == "." and is_abbreviation_or_ordinal(
            text, match.start(), match.end()
        ):
            continue
        yield match.end()


def is_abbreviation_or_ordinal(text: str, stop: int, end: int) -> bool:
    """Whether the period at ``stop`` belongs to an abbreviation or an ordinal ("3. Mai"). ``end``
    is the offset of the next word."""
    if text[stop : stop + 2] == ".." or not LINE_BREAKS.isdisjoint(text[stop:end]):
        return False
    before = _WORD_BEFORE.search(text, max(0, stop - 20), stop)
    word = before[0].casefold() if before else ""
    following = text[end : end + 1]
    if following.isdigit() and word in _load_abbreviations("before numbers"):
        return True
    if len(word) == 1 and word.isalpha():  # an initial; "I" and "я" end sentences as well
        return word not in "iяaв" or following.islower()
    if word.isdigit() and len(word) <= 2:
        return following.islower() or text[end : end + 3].casefold() in _GERMAN_MONTHS
    return word in _load_abbreviations("anywhere")


@lru_cache(maxsize=2)
def _load_abbreviations(kind: str) -> frozenset[str]:
    """Load the abbreviations of a kind, of all languages together."""
    tables = (load_table(code, "abbreviations") for code in languages_with("abbreviations"))
    return frozenset(word for own in tables for word in own.get(kind, "").split())
