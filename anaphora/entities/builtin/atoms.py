"""What dates and numbers are written with: runs of letters, runs of digits, and single marks.

spaCy's tokens differ from language to language ("5pm" is two of them in English, 午後5時 four or
five in Japanese); atoms do not. In scripts without blanks between words each letter is one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from typing import Literal, NamedTuple

import regex

from anaphora.entities.words.normalization import create_normalizer

__all__ = ["Atom", "AtomKind", "get_atoms", "split_atoms"]

AtomKind = Literal["word", "digits", "mark"]

# Han with its iteration mark and zero, Hiragana, Katakana; Thai, Lao, Burmese, Khmer.
_UNSPACED = (
    r"\u3005-\u3007\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff"
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
)
# Raised, lowered, broken and circled digits: to Python's patterns they are letters.
_DIGIT_SYMBOLS = (
    r"\u00b2\u00b3\u00b9\u00bc-\u00be\u2070-\u2079\u2080-\u2089\u2150-\u2189\u2460-\u249b"
)
_ATOM = re.compile(rf"\d+|[{_UNSPACED}]|[^\W\d_{_DIGIT_SYMBOLS}{_UNSPACED}]+|\S")
# Three times as slow, but it knows the marks of vowels and accents that follow a letter.
_ATOM_WITH_MARKS = regex.compile(
    rf"\p{{Nd}}+|[{_UNSPACED}]|[\p{{L}}--[{_UNSPACED}]][\p{{L}}\p{{M}}--[{_UNSPACED}]]*|\S",
    regex.V1,
)


_COMBINING_MARK = regex.compile(r"\p{M}")
_MAX_CACHED_LENGTH = 1_000  # characters


class Atom(NamedTuple):  # a dataclass takes twice as long to make, and there are many
    """One of them. ``text`` is written as words are compared (NFKC, no case), digits as 0 to 9;
    ``start`` and ``end`` are offsets in the text (half open); ``glued`` says that no blank
    stands before it."""

    text: str
    kind: AtomKind
    start: int
    end: int
    glued: bool


def split_atoms(text: str, normalize: Callable[[str], str]) -> list[Atom]:
    """The atoms of ``text``; ``normalize`` is that of its language, see
    :func:`~anaphora.entities.words.normalization.create_normalizer`. It is called for each word."""
    has_marks = not text.isascii() and _COMBINING_MARK.search(text) is not None
    pattern = _ATOM_WITH_MARKS if has_marks else _ATOM
    found = []
    reach = -1
    for match in pattern.finditer(text):
        start, end = match.span()
        written = match.group()
        first = written[0]
        if first.isalpha():
            found.append(Atom(normalize(written), "word", start, end, start == reach))
        elif written.isdecimal():  # to Python too, whose Unicode may be older than the pattern's
            plain = written if written.isascii() else _to_ascii_digits(written)
            found.append(Atom(plain, "digits", start, end, start == reach))
        else:
            plain = normalize(written)
            # A circled 5 is no 5: what only looks like digits stays as it is.
            plain = written if plain.isalnum() else plain
            found.append(Atom(plain, "mark", start, end, start == reach))
        reach = end
    return found


def get_atoms(text: str, language: str) -> tuple[Atom, ...]:
    """The atoms of ``text`` in a language. Several recognizers look at the same text one after
    the other: it is taken apart once."""
    if len(text) <= _MAX_CACHED_LENGTH:
        return _get_cached_atoms(text, language)
    return tuple(split_atoms(text, create_normalizer(language)))  # whose words may be of any length


@lru_cache(maxsize=256)
def _get_cached_atoms(text: str, language: str) -> tuple[Atom, ...]:
    return tuple(split_atoms(text, _get_cached_normalizer(language)))


@lru_cache(maxsize=64)
def _get_cached_normalizer(language: str) -> Callable[[str], str]:
    return lru_cache(maxsize=20_000)(create_normalizer(language))


def _to_ascii_digits(written: str) -> str:
    return "".join(str(unicodedata.digit(char)) for char in written)
