"""Splits a text into sentences, and a sentence into clauses, without loss in any script.

No language model is involved: sentences end at punctuation, clauses at commas and some
conjunctions.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import regex

from anaphora.entities.tokens.sentence_ends import find_sentence_ends
from anaphora.ltm.dates.mentions import UNSPACED_SCRIPTS
from anaphora.ltm.summarizers.word_lists import words_of_all_languages

__all__ = ["split_clauses", "split_sentences"]


def split_sentences(text: str) -> tuple[str, ...]:
    """Split ``text`` into sentences with their trailing white space; joined they are the text."""
    return tuple(_split_at(text, find_sentence_ends(text)))


def split_clauses(sentence: str) -> tuple[str, ...]:
    """Split a sentence into parts that may stand alone, with their trailing white space; joined
    they are the sentence. A part with fewer than three words, or one like "When I was ten,", stays
    with the next."""
    ends = (match.end() for match in _compile_clause_end().finditer(sentence))
    parts: list[str] = []
    for part in _split_at(sentence, ends):
        if parts and (_is_short(parts[-1]) or (len(parts) == 1 and _is_opener(parts[0]))):
            parts[-1] += part
        else:
            parts.append(part)
    if len(parts) > 1 and _is_short(parts[-1]):
        parts[-2:] = ["".join(parts[-2:])]
    return tuple(parts)


@lru_cache(maxsize=1)
def _compile_clause_end() -> Any:
    conjunctions = "|".join(sorted(words_of_all_languages("conjunctions")))
    return regex.compile(
        rf"""
          [,;:]\s+                                # "1,5" and "10:30" stay whole
        | (?<!\s)\s++[–—-]\s+ | (?<=\w)—(?=\w)
        | [，；：、،؛]\s*
        | (?<=\w)\s++(?=(?:{conjunctions})\s)
        """,
        regex.VERBOSE | regex.IGNORECASE,
    )


def _split_at(text: str, ends: Iterator[int]) -> Iterator[str]:
    start = 0
    for end in ends:
        if end > start:
            yield text[start:end]
            start = end
    if start < len(text):
        yield text[start:]


def _is_opener(part: str) -> bool:
    first = part.lstrip("¿¡\"'“„«").partition(" ")[0]
    # A second clause end means that two parts were joined: "When I was ten, I lived in Rome, …"
    return first.casefold() in words_of_all_languages(
        "openers"
    ) and not _compile_clause_end().search(part[:-1])


def _is_short(part: str) -> bool:
    return len(part) < 60 and len(part.split()) < 3 and len(UNSPACED_SCRIPTS.findall(part)) < 6
