"""Normalize place names: without case, accents, hyphens and apostrophes."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

import regex

__all__ = [
    "NameWord",
    "fold",
    "is_unspaced",
    "name_lengths",
    "normalize_name",
    "normalize_names",
    "split_words",
    "word_prefixes",
]

# Scripts without spaces: Han, kana, Thai, Lao, Burmese, Khmer.
_UNSPACED = (
    r"\u3005-\u3007\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff"
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
)
# The modifier letter apostrophe is a letter in Unicode, but people type it as an apostrophe.
_WORD = regex.compile(
    rf"(?P<run>[{_UNSPACED}]+)|[\p{{L}}--[{_UNSPACED}ʼʻʹʾʿˈ]][\p{{L}}\p{{M}}--[{_UNSPACED}ʼʻʹʾʿˈ]]*",
    regex.V1,
)
_ASCII = regex.compile(r"[a-z]+")
_NO_ASCII = regex.compile(r"[^a-z\n]+")
# The characters between the words of names, of which each has a line.
_NO_WORD = regex.compile(
    rf"(?:(?:[^\n\p{{L}}\p{{M}}{_UNSPACED}]|[ʼʻʹʾʿˈ])\p{{M}}*)+|^\p{{M}}+", regex.MULTILINE
)
_RUN = regex.compile(rf"[{_UNSPACED}]+")
_APOSTROPHES = "'’‘ʼʻʹʾʿˈ`´′"
_SOFT_SIGN = regex.compile(rf"(?<=\p{{Latin}})[{_APOSTROPHES}](?=\P{{L}}|[^\p{{L}}]|$)")

_SPECIAL = dict(
    zip("øłđðıəħŧёѐѝأإآٱىیکة", "olddiehtееиااااييكه", strict=True), þ="th", æ="ae", œ="oe"
) | dict.fromkeys("ـ\u200c\u200d\u200e\u200f\xad", "")
# The scripts with optional marks; in others (й, が) a mark makes another letter.
_OPTIONAL_MARKS = ("LATIN", "GREEK", "ARABIC", "HEBREW")
_FIRST_UNCACHED = 0x2000
_LONGEST_CACHED = 40


class NameWord(NamedTuple):
    """A word of a text: ``text`` is its normal form, ``surface`` its spelling; offsets are half
    open. ``unspaced`` marks a run of letters in a script without spaces."""

    text: str
    surface: str
    start: int
    end: int
    unspaced: bool


def split_words(text: str) -> list[NameWord]:
    """The words of ``text``, in order, without digits and marks."""
    words: list[NameWord] = []
    start = 0
    # The same chunks occur again and again: the cache saves three quarters of the time.
    for chunk in text.split():
        start = text.index(chunk, start)
        known = _split_words_cached(chunk) if len(chunk) <= _LONGEST_CACHED else _split_words(chunk)
        for plain, written, first, last, unspaced in known:
            words.append(NameWord(plain, written, first + start, last + start, unspaced))
        start += len(chunk)
    return words


def _split_words(text: str) -> list[NameWord]:
    words = []
    for match in _WORD.finditer(text):
        written = match.group()
        unspaced = match.lastgroup == "run"
        plain = fold(written)
        if unspaced and len(plain) != len(written):
            plain = written  # offsets in a run must stay those of the text
        if plain:
            words.append(NameWord(plain, written, match.start(), match.end(), unspaced))
    return words


_split_words_cached = lru_cache(maxsize=4096)(_split_words)


def fold(word: str) -> str:
    """The normal form of a word."""
    if word.isascii():
        return word.lower()
    folded = unicodedata.normalize("NFKC", word).casefold()
    return unicodedata.normalize("NFC", folded).translate(_FOLDING)


def normalize_name(name: str) -> str:
    """The normal form of a name: its words with one blank between them; '' if it has none."""
    if name.isascii():
        return " ".join(_ASCII.findall(name.lower()))
    return " ".join(word.text for word in split_words(_SOFT_SIGN.sub("", name)))


def normalize_names(lines: str) -> str:
    """Apply :func:`normalize_name` to each line, in a fifth of the time."""
    if lines.isascii():
        words: str = _NO_ASCII.sub(" ", lines.lower())
    elif _RUN.search(lines):
        # Runs of letters stay unchanged if folding would change their length.
        names = lines.split("\n")
        return "\n".join(
            name
            if is_unspaced(name) and unicodedata.is_normalized("NFKC", name)
            else normalize_name(name)
            for name in names
        )
    else:
        words = fold(_NO_WORD.sub(" ", _SOFT_SIGN.sub("", lines)))
    return words.replace(" \n", "\n").replace("\n ", "\n").strip(" ")


def is_unspaced(name: str) -> bool:
    """Whether a name consists of letters in scripts without spaces."""
    return _RUN.fullmatch(name) is not None


def word_prefixes(names: Iterable[str]) -> Iterator[str]:
    """The words with which longer names start: "new" for "new york"; with repetitions."""
    for name in names:
        end = name.find(" ")
        while end >= 0:
            yield name[:end]
            end = name.find(" ", end + 1)


def name_lengths(names: Iterable[str]) -> dict[str, tuple[int, ...]]:
    """The lengths of the names in scripts without spaces by their first two letters, longest
    first."""
    lengths: dict[str, set[int]] = {}
    for name in filter(is_unspaced, names):
        lengths.setdefault(name[:2], set()).add(len(name))
    return {two: tuple(sorted(known, reverse=True)) for two, known in lengths.items()}


class _FoldingTable(dict[int, str]):
    """A table for ``str.translate`` that adds letters as they occur."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        if char in _SPECIAL:
            folded = _SPECIAL[char]
        elif unicodedata.name(char, "").startswith(_OPTIONAL_MARKS):
            parts = unicodedata.normalize("NFD", char)
            folded = "".join(part for part in parts if unicodedata.category(part) != "Mn")
        else:
            folded = "" if 0x300 <= code < 0x370 else char
        if code < _FIRST_UNCACHED:
            self[code] = folded
        return folded


_FOLDING = _FoldingTable()
