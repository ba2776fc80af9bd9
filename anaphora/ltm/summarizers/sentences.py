"""Cuts a text into sentences, and a sentence into clauses: nothing is lost, whatever the script.

There is no model of a language behind it: the marks that end sentences in the scripts of the
world, what a full stop does in numbers, initials and abbreviations, and some conjunctions.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import regex

from anaphora.ltm.summarizers.vocabulary import of_all_languages

__all__ = ["clauses", "sentences"]


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of ``text``, each with the white space behind it: joined they are the text."""
    return tuple(_cut(text, _sentence_ends(text)))


def clauses(sentence: str) -> tuple[str, ...]:
    """The parts of a sentence that may stand alone, each with the white space behind it: joined
    they are the sentence. One that has fewer than three words stays with the next, and so does
    one like "When I was ten,"."""
    ends = (match.end() for match in _clause_end().finditer(sentence))
    parts: list[str] = []
    for part in _cut(sentence, ends):
        if parts and (_short(parts[-1]) or (len(parts) == 1 and _opens(parts[0]))):
            parts[-1] += part
        else:
            parts.append(part)
    if len(parts) > 1 and _short(parts[-1]):
        parts[-2:] = ["".join(parts[-2:])]
    return tuple(parts)


# What may stand behind the end of a sentence and still belongs to it.
_CLOSING = r"[\p{Pe}\p{Pf}\"'’”»*_]*+"
_END = regex.compile(
    rf"""
      [\n\r\u2028\u2029]+\s*                    # a line of its own
    | [。！？｡]+{_CLOSING}\s*                    # scripts without blanks
    | (?<![.!?…।॥؟۔։።])[.!?…।॥؟۔։።]++{_CLOSING}(?:\s*+\p{{So}}++)*+\s+  # "?!", "...", an emoji
    # an emoji instead of a full stop
    | (?<![\p{{So}}\uFE0F\u200D])\p{{So}}[\p{{So}}\uFE0F\u200D]*+\s+(?=\p{{Lu}})
    """,
    regex.VERBOSE,
)
_WORD_BEFORE = regex.compile(r"[\p{L}\p{N}.]+$")


def _sentence_ends(text: str) -> Iterator[int]:
    for match in _END.finditer(text):
        if match[0].lstrip(" ")[:1] == "." and _goes_on(text, match.start(), match.end()):
            continue
        yield match.end()


def _goes_on(text: str, stop: int, end: int) -> bool:
    """Whether the full stop at ``stop`` only shortens the word before it, or makes a number an
    ordinal ("3. Mai")."""
    if text[stop : stop + 2] == ".." or "\n" in text[stop:end]:
        return False
    before = _WORD_BEFORE.search(text, max(0, stop - 20), stop)
    word = before[0].casefold() if before else ""
    following = text[end : end + 1]
    if following.isdigit() and word in of_all_languages("before numbers"):
        return True
    if len(word) == 1 and word.isalpha():  # an initial; "I" and "я" end sentences as well
        return word not in "iяaв" or following.islower()
    if word.isdigit() and len(word) <= 2:
        return following.islower() or text[end : end + 3].casefold() in _GERMAN_MONTHS
    return word in of_all_languages("abbreviations")


_GERMAN_MONTHS = frozenset(
    ("jan", "jän", "feb", "mär", "apr", "mai", "jun", "jul", "aug", "sep", "okt", "nov", "dez")
)
_UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")


@lru_cache(maxsize=1)
def _clause_end() -> Any:
    conjunctions = "|".join(sorted(of_all_languages("conjunctions")))
    return regex.compile(
        rf"""
          [,;:]\s+                                # "1,5" and "10:30" stay whole
        | (?<!\s)\s++[–—-]\s+ | (?<=\w)—(?=\w)
        | [，；：、،؛]\s*
        | (?<=\w)\s++(?=(?:{conjunctions})\s)
        """,
        regex.VERBOSE | regex.IGNORECASE,
    )


def _cut(text: str, ends: Iterator[int]) -> Iterator[str]:
    start = 0
    for end in ends:
        if end > start:
            yield text[start:end]
            start = end
    if start < len(text):
        yield text[start:]


def _opens(part: str) -> bool:
    first = part.lstrip("¿¡\"'“„«").partition(" ")[0]
    # Two of them were joined already: "When I was ten, I lived in Rome, …"
    return first.casefold() in of_all_languages("openers") and not _clause_end().search(part[:-1])


def _short(part: str) -> bool:
    return len(part) < 60 and len(part.split()) < 3 and len(_UNSPACED.findall(part)) < 6
