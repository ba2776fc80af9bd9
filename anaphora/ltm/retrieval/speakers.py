"""Speakers of transcribed conversations: the labels before their texts ("Ann: Good morning").

An exchange with labels has a term "speaker=ann" for each word of a label. A search text that names
a speaker finds what that speaker said. Vectors are computed without labels, and without the names
of speakers in a search text: all texts of a speaker share the name, and in the vector of a short
text it outweighs everything else.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import regex

__all__ = [
    "find_speaker_terms",
    "remove_labels",
    "remove_names",
    "select_speakers",
    "speaker_terms",
]

_NAME = r"[\p{Lu}\p{Lt}\p{Lo}][\p{L}\p{M}'’.-]*"
_LABEL = regex.compile(
    rf"^[^\S\n]*(?P<name>{_NAME}(?:[^\S\n]+{_NAME}){{0,2}})(?::[^\S\n]+|：\s*)(?=\S)",
    regex.MULTILINE,
)
_LETTERS = regex.compile(r"[\p{L}\p{M}]+")
_WORD = regex.compile(r"(?P<word>[\p{L}\p{M}]+)(?:['’]s\b)?")


def speaker_terms(*texts: str) -> tuple[str, ...]:
    """Return the terms of the speakers whose labels are in the texts."""
    labels = [
        found["name"]
        for text in texts
        if ":" in text or "：" in text
        for found in _LABEL.finditer(text)
    ]
    words = [word for label in labels for word in _LETTERS.findall(label)]
    return tuple(dict.fromkeys(map(_speaker_term, words)))


def remove_labels(text: str) -> str:
    """Return ``text`` without the labels of speakers."""
    without: str = _LABEL.sub("", text)
    return without


def find_speaker_terms(text: str) -> tuple[str, ...]:
    """Return the term that each word of a search text would have as a speaker."""
    return tuple(dict.fromkeys(map(_speaker_term, _LETTERS.findall(text))))


def select_speakers(text: str, frequency: Mapping[str, int]) -> frozenset[str]:
    """Return the terms of the speakers that a search text names, by the document frequencies of
    :func:`find_speaker_terms`: the capitalized ones if there are any ("What will Ann do?" doesn't
    name Will)."""
    words = [word for word in _LETTERS.findall(text) if frequency.get(_speaker_term(word))]
    capitalized = [word for word in words if word[0].isupper()]
    return frozenset(map(_speaker_term, capitalized or words))


def remove_names(text: str, speakers: Collection[str]) -> str:
    """Return a search text without the names of these speakers (terms); unchanged if nothing else
    would remain."""

    def keep(found: regex.Match[str]) -> str:
        return "" if _speaker_term(found["word"]) in speakers else str(found[0])

    rest = " ".join(_WORD.sub(keep, text).split())
    return rest if _LETTERS.search(rest) else text


def _speaker_term(word: str) -> str:
    return f"speaker={word.casefold()}"
