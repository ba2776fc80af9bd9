"""Split a text into atoms: runs of letters, runs of digits, and single marks.

spaCy's tokens differ from language to language ("5pm" is two of them in English, 午後5時 four or
five in Japanese); atoms do not. In scripts without blanks between words each letter is an atom.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from typing import Literal, NamedTuple

import regex

from anaphora.entities.words.normalization import create_normalizer
from anaphora.entities.words.scripts import UNSPACED_RANGES as _UNSPACED

__all__ = ["Atom", "AtomKind", "get_atoms", "split_atoms"]

AtomKind = Literal["word", "digits", "mark"]

# Superscript, subscript, fraction and circled digits: Python's patterns treat them as letters.
_DIGIT_SYMBOLS = (
    r"\u00b2\u00b3\u00b9\u00bc-\u00be\u2070-\u2079\u2080-\u2089\u2150-\u2189\u2460-\u249b"
)
_ATOM = re.compile(rf"\d+|[{_UNSPACED}]|[^\W\d_{_DIGIT_SYMBOLS}{_UNSPACED}]+|\S")
# Three times as slow, but it handles combining marks behind a letter.
_ATOM_WITH_MARKS = regex.compile(
    rf"\p{{Nd}}+|[{_UNSPACED}]|[\p{{L}}--[{_UNSPACED}]][\p{{L}}\p{{M}}--[{_UNSPACED}]]*|\S",
    regex.V1,
)


_COMBINING_MARK = regex.compile(r"\p{M}")
_MAX_CACHED_LENGTH = 1_000  # characters


class Atom(NamedTuple):  # a dataclass takes twice as long to create
    """An atom: its normalized ``text`` (NFKC, case-folded, digits as 0 to 9), its offsets ``start``
    and ``end`` (half-open), and whether it is ``glued`` to the previous one, without whitespace
    between them."""

    text: str
    kind: AtomKind
    start: int
    end: int
    glued: bool


def split_atoms(text: str, normalize: Callable[[str], str]) -> list[Atom]:
    """Split a text into atoms. ``normalize``, called for each word, is that of the language, see
    :func:`~anaphora.entities.words.normalization.create_normalizer`."""
    return _split(text, lambda written: _read_atom(written, normalize))


def _split(text: str, read: Callable[[str], tuple[str, AtomKind]]) -> list[Atom]:
    has_marks = not text.isascii() and _COMBINING_MARK.search(text) is not None
    pattern = _ATOM_WITH_MARKS if has_marks else _ATOM
    found = []
    reach = -1
    for match in pattern.finditer(text):
        start, end = match.span()
        found.append(Atom(*read(match.group()), start, end, start == reach))
        reach = end
    return found


def _read_atom(written: str, normalize: Callable[[str], str]) -> tuple[str, AtomKind]:
    """The normalized text of an atom, and its kind."""
    if written[0].isalpha():
        return normalize(written), "word"
    if written.isdecimal():  # Python's Unicode may be older than that of the pattern
        if not written.isascii():
            written = "".join(str(unicodedata.digit(char)) for char in written)
        return written, "digits"
    plain = normalize(written)
    # A circled 5 is no 5: symbols that only look like digits are not normalized.
    return (written if plain.isalnum() else plain), "mark"


def get_atoms(text: str, language: str) -> tuple[Atom, ...]:
    """Return the atoms of ``text`` in a language, cached for the recognizers that look at the same
    text one after the other."""
    if len(text) <= _MAX_CACHED_LENGTH:
        return _get_cached_atoms(text, language)
    return _get_long_atoms(text, language)


@lru_cache(maxsize=256)
def _get_cached_atoms(text: str, language: str) -> tuple[Atom, ...]:
    return tuple(_split(text, _get_cached_reader(language)))


@lru_cache(maxsize=2)
def _get_long_atoms(text: str, language: str) -> tuple[Atom, ...]:
    return tuple(split_atoms(text, create_normalizer(language)))  # without the cache of long words


@lru_cache(maxsize=64)
def _get_cached_reader(language: str) -> Callable[[str], tuple[str, AtomKind]]:
    normalize = create_normalizer(language)
    return lru_cache(maxsize=20_000)(lambda written: _read_atom(written, normalize))
