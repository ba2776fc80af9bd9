"""How names of places are compared: without case, accents, hyphens and apostrophes."""

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

# Han, kana; Thai, Lao, Burmese, Khmer: no blanks between their words.
_UNSPACED = (
    r"\u3005-\u3007\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff"
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
)
# A modifier letter apostrophe is a letter to Unicode, and an apostrophe to those who type it.
_WORD = regex.compile(
    rf"(?P<run>[{_UNSPACED}]+)|[\p{{L}}--[{_UNSPACED}ʼʻʹʾʿˈ]][\p{{L}}\p{{M}}--[{_UNSPACED}ʼʻʹʾʿˈ]]*",
    regex.V1,
)
_ASCII = regex.compile(r"[a-z]+")
_NO_ASCII = regex.compile(r"[^a-z\n]+")
# What stands between the words of many names, a line each.
_NO_WORD = regex.compile(
    rf"(?:(?:[^\n\p{{L}}\p{{M}}{_UNSPACED}]|[ʼʻʹʾʿˈ])\p{{M}}*)+|^\p{{M}}+", regex.MULTILINE
)
_RUN = regex.compile(rf"[{_UNSPACED}]+")
_APOSTROPHES = "'’‘ʼʻʹʾʿˈ`´′"
_SOFT_SIGN = regex.compile(rf"(?<=\p{{Latin}})[{_APOSTROPHES}](?=\P{{L}}|[^\p{{L}}]|$)")

_SPECIAL = dict(
    zip("øłđðıəħŧёѐѝأإآٱىیکة", "olddiehtееиااااييكه", strict=True),
    þ="th",
    æ="ae",
    œ="oe",
) | dict.fromkeys("ـ\u200c\u200d\u200e\u200f\xad", "")
# The scripts whose marks may be left out; in others (й, が) they make another letter.
_OPTIONAL_MARKS = ("LATIN", "GREEK", "ARABIC", "HEBREW")
_FIRST_UNCACHED = 0x2000
_LONGEST_CACHED = 40


class NameWord(NamedTuple):
    """A word of a text: as it is compared, as it is written, and where (half open). ``unspaced``
    is a run of letters in a script that puts no blanks between words."""

    text: str
    surface: str
    start: int
    end: int
    unspaced: bool


def split_words(text: str) -> list[NameWord]:
    """The words of ``text`` in their order; digits and marks are not among them."""
    words: list[NameWord] = []
    start = 0
    # Between blanks the same comes again and again: that takes a quarter of the time (3 µs).
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
            plain = written  # letters of runs are counted, and must be where they are written
        if plain:
            words.append(NameWord(plain, written, match.start(), match.end(), unspaced))
    return words


_split_words_cached = lru_cache(maxsize=4096)(_split_words)


def fold(word: str) -> str:
    """A word as it is compared."""
    if word.isascii():
        return word.lower()
    folded = unicodedata.normalize("NFKC", word).casefold()
    return unicodedata.normalize("NFC", folded).translate(_FOLDING)


def normalize_name(name: str) -> str:
    """A name as it is compared: its words with one blank between them; '' if it has none."""
    if name.isascii():
        return " ".join(_ASCII.findall(name.lower()))
    return " ".join(word.text for word in split_words(_SOFT_SIGN.sub("", name)))


def normalize_names(lines: str) -> str:
    """What :func:`normalize_name` makes of every line, in lines: for many names at a time, in a
    fifth of the time."""
    if lines.isascii():
        words: str = _NO_ASCII.sub(" ", lines.lower())
    elif _RUN.search(lines):
        # Runs of letters are kept as they are where folding would change how many there are.
        names = lines.split("\n")
        return "\n".join(name if _is_plain_run(name) else normalize_name(name) for name in names)
    else:
        words = fold(_NO_WORD.sub(" ", _SOFT_SIGN.sub("", lines)))
    return words.replace(" \n", "\n").replace("\n ", "\n").strip(" ")


def _is_plain_run(name: str) -> bool:
    return is_unspaced(name) and unicodedata.is_normalized("NFKC", name)


def is_unspaced(name: str) -> bool:
    """Whether a name is written throughout in a script that puts no blanks between words."""
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
    """A table for ``str.translate`` that is filled as letters come."""

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
