"""Texts of others in a prompt: written so that they stay what they are, and made shorter.

The parts of a prompt stand between tags (``<question>`` … ``</question>``). In a text of somebody
else the signs of tags are written as character references (``&lt;``), and each of its lines but
the first begins with a bar, so that it can neither end its part nor begin another, nor a line of
its own. Signs that nobody sees are written out, too. Both can be undone.
"""

from __future__ import annotations

import regex

from anaphora.ltm.history.measure import UNSPACED_SCRIPTS

__all__ = ["escape", "fence", "find_cut_points", "unescape", "unfence"]

# The signs of tags and their look-alikes; controls but \t and \n; what ends a line elsewhere; what
# is unseen or turns the direction (joiners are letters' business); halves of surrogate pairs.
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
# Ends of sentences: before white space, or anywhere after those of scripts without blanks.
_SENTENCE_END = regex.compile(r"""[.!?…]+["'’”»)\]]*(?=\s|$)|[。！？｡]+["'’”»）」』\])]*|\n+""")


def escape(text: str) -> str:
    """``text`` without a sign of a tag, and with all signs to be seen."""
    escaped: str = _UNSAFE_CHARACTERS.sub(
        lambda found: _ENTITIES.get(found[0]) or f"&#{ord(found[0])};", text
    )
    return escaped


def unescape(text: str) -> str:
    """What :func:`escape` has made ``text`` of."""
    original: str = _REFERENCE.sub(
        lambda found: _ENTITY_CHARACTERS.get(found["name"]) or chr(int(found["code"])), text
    )
    return original


def fence(text: str) -> str:
    """As :func:`escape`, and with a bar before each line but the first."""
    return escape(text).replace("\n", _LINE_PREFIX)


def unfence(text: str) -> str:
    """What :func:`fence` has made ``text`` of."""
    return unescape(text.replace(_LINE_PREFIX, "\n"))


def find_cut_points(text: str) -> tuple[list[int], list[int]]:
    """Where ``text`` may be cut off: behind its sentences but the last, and behind its words but
    the last. Words in a script without blanks are cut between its graphemes."""
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
    """The places between two graphemes, one of which is of a script without blanks, and none of
    which is white space."""
    found = set()
    before = ""
    for grapheme in _GRAPHEME.finditer(text):
        here = grapheme[0]
        is_inside = before and not before.isspace() and not here.isspace()
        if is_inside and (UNSPACED_SCRIPTS.match(before) or UNSPACED_SCRIPTS.match(here)):
            found.add(grapheme.start())
        before = here
    return found
