"""How names of places are compared: without case, accents, hyphens and apostrophes."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

import regex

__all__ = ["Word", "fold", "is_unspaced", "key_of_name", "words_of"]

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


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text: as it is compared, as it is written, and where (half open). ``unspaced``
    is a run of letters in a script that puts no blanks between words."""

    text: str
    written: str
    start: int
    end: int
    unspaced: bool


def words_of(text: str) -> Iterator[Word]:
    """The words of ``text`` in their order; digits and marks are not among them."""
    for match in _WORD.finditer(text):
        written = match.group()
        unspaced = match.lastgroup == "run"
        plain = fold(written)
        if unspaced and len(plain) != len(written):
            plain = written  # letters of runs are counted, and must be where they are written
        if plain:
            yield Word(plain, written, match.start(), match.end(), unspaced)


def fold(word: str) -> str:
    """A word as it is compared."""
    if word.isascii():
        return word.lower()
    folded = unicodedata.normalize("NFKC", word).casefold()
    return unicodedata.normalize("NFC", folded).translate(_FOLDED)


def key_of_name(name: str) -> str:
    """A name as it is compared: its words with one blank between them; '' if it has none."""
    if name.isascii():
        return " ".join(_ASCII.findall(name.lower()))
    return " ".join(word.text for word in words_of(_SOFT_SIGN.sub("", name)))


def is_unspaced(name: str) -> bool:
    """Whether a name is written throughout in a script that puts no blanks between words."""
    return _RUN.fullmatch(name) is not None


class _Folded(dict[int, str]):
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


_FOLDED = _Folded()
