"""What dates and numbers are written with: runs of letters, runs of digits, and single marks.

spaCy's tokens differ from language to language ("5pm" is two of them in English, 午後5時 four or
five in Japanese); atoms do not. In scripts without blanks between words each letter is one.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import regex

__all__ = ["Atom", "AtomKind", "atoms"]

AtomKind = Literal["word", "digits", "mark"]

# Han with its iteration mark and zero, Hiragana, Katakana; Thai, Lao, Burmese, Khmer.
_UNSPACED = (
    r"\u3005-\u3007\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff"
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
)
_ATOM = regex.compile(
    rf"(?P<digits>\p{{Nd}}+)|(?P<letter>[{_UNSPACED}])"
    rf"|(?P<word>[\p{{L}}--[{_UNSPACED}]][\p{{L}}\p{{M}}--[{_UNSPACED}]]*)|(?P<mark>\S)",
    regex.V1,
)
_KINDS: dict[str | None, AtomKind] = {"digits": "digits", "mark": "mark"}


@dataclass(frozen=True, slots=True)
class Atom:
    """One of them. ``text`` is written as words are compared (NFKC, no case), digits as 0 to 9;
    ``start`` and ``end`` are offsets in the text (half open); ``glued`` says that no blank
    stands before it."""

    text: str
    kind: AtomKind
    start: int
    end: int
    glued: bool


def atoms(text: str, normalize: Callable[[str], str]) -> list[Atom]:
    """The atoms of ``text``; ``normalize`` is that of its language, see
    :func:`~anaphora.entities.languages.normalizer`."""
    found = []
    reach = -1
    for match in _ATOM.finditer(text):
        start, end = match.span()
        kind = _KINDS.get(match.lastgroup, "word")
        written = match.group()
        plain = _digits(written) if kind == "digits" else normalize(written)
        found.append(Atom(plain, kind, start, end, start == reach))
        reach = end
    return found


def _digits(written: str) -> str:
    if written.isascii():
        return written
    return "".join(str(unicodedata.digit(char)) for char in written)
