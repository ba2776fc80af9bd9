"""Escaping of untrusted texts in a prompt, and places where they may be cut.

The sections of a prompt stand between tags (``<question>`` … ``</question>``). In untrusted text
the characters of tags are written as character references (``&lt;``), and every line but the first
starts with a bar, so that the text can neither close its section nor open another nor imitate a
line of its own. Invisible characters are escaped, too. Both transformations are reversible.
"""

from __future__ import annotations

from itertools import pairwise

import regex

from anaphora.ltm.history.measure import UNSPACED_SCRIPTS

__all__ = ["escape", "fence", "find_cut_points", "unescape", "unfence"]

# The characters of tags and their look-alikes; controls except \t and \n; other line separators;
# invisible and bidirectional controls (but joiners, which letters need); lone surrogates.
_UNSAFE_CHARACTERS = regex.compile(
    r"[&<>\uff1c\uff1e\ufe64\ufe65\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u2028\u2029\u200b\u200e\u200f"
    r"\u202a-\u202e\u2060-\u206f\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
)
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_ENTITY_CHARACTERS = {"amp": "&", "lt": "<", "gt": ">"}
_REFERENCE = regex.compile(r"&(?:(?P<name>amp|lt|gt)|#(?P<code>\d+));")
_LINE_PREFIX = "\n| "

_SPACE = regex.compile(r"\s+")
_GRAPHEME = regex.compile(r"\X")
# Ends of sentences: before white space, or anywhere in scripts without spaces.
_SENTENCE_END = regex.compile(r"""[.!?…]+["'’”»)\]]*(?=\s|$)|[。！？｡]+["'’”»）」』\])]*|\n+""")


def escape(text: str) -> str:
    """Escape tag characters and invisible characters in ``text``."""
    escaped: str = _UNSAFE_CHARACTERS.sub(
        lambda found: _ENTITIES.get(found[0]) or f"&#{ord(found[0])};", text
    )
    return escaped


def unescape(text: str) -> str:
    """Undo :func:`escape`."""
    original: str = _REFERENCE.sub(
        lambda found: _ENTITY_CHARACTERS.get(found["name"]) or chr(int(found["code"])), text
    )
    return original


def fence(text: str) -> str:
    """Escape ``text``, and prefix each line but the first with a bar."""
    return escape(text).replace("\n", _LINE_PREFIX)


def unfence(text: str) -> str:
    """Undo :func:`fence`."""
    return unescape(text.replace(_LINE_PREFIX, "\n"))


def find_cut_points(text: str) -> tuple[list[int], list[int]]:
    """Return the positions where ``text`` may be cut: after each sentence and after each word,
    except the last. Words in scripts without spaces are cut between graphemes."""
    begin, end = len(text) - len(text.lstrip()), len(text.rstrip())
    sentences = [found.end() for found in _SENTENCE_END.finditer(text)]
    words = {found.start() for found in _SPACE.finditer(text)}
    if UNSPACED_SCRIPTS.search(text):
        words |= _find_unspaced_boundaries(text)
    return (
        [place for place in sentences if begin < place < end],
        [place for place in sorted(words) if begin < place < end],
    )


def _find_unspaced_boundaries(text: str) -> set[int]:
    """Return the positions between two graphemes that are not white space, at least one of them in
    a script without spaces."""
    return {
        here.start()
        for before, here in pairwise(_GRAPHEME.finditer(text))
        if not (before[0].isspace() or here[0].isspace())
        and (UNSPACED_SCRIPTS.match(before[0]) or UNSPACED_SCRIPTS.match(here[0]))
    }
