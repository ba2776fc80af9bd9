"""Cuts a text into sentences, and a sentence into clauses: nothing is lost, whatever the script.

There is no model of a language behind it: sentences end at their marks, clauses at commas and some
conjunctions.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import regex

from anaphora.entities.tokens.sentence_ends import find_sentence_ends
from anaphora.ltm.summarizers.word_lists import words_of_all_languages

__all__ = ["split_clauses", "split_sentences"]


def split_sentences(text: str) -> tuple[str, ...]:
    """The sentences of ``text``, each with the white space behind it: joined they are the text."""
    return tuple(_split_at(text, find_sentence_ends(text)))


def split_clauses(sentence: str) -> tuple[str, ...]:
    """The parts of a sentence that may stand alone, each with the white space behind it: joined
    they are the sentence. One that has fewer than three words stays with the next, and so does
    one like "When I was ten,"."""
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


_UNSPACED_SCRIPTS = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"
)


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
    # Two of them were joined already: "When I was ten, I lived in Rome, …"
    return first.casefold() in words_of_all_languages(
        "openers"
    ) and not _compile_clause_end().search(part[:-1])


def _is_short(part: str) -> bool:
    return len(part) < 60 and len(part.split()) < 3 and len(_UNSPACED_SCRIPTS.findall(part)) < 6
