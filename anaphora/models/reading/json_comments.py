"""Replace comments in JSON with blanks, so that all offsets stay the same."""

from __future__ import annotations

import re

__all__ = ["blank_comments"]

# Unclosed strings and comments match to the end of the text, for linear time.
_STRING_OR_COMMENT = re.compile(
    r'"(?:[^"\\]|\\.)*+"?|//[^\n]*|/\*.*?\*/|(?P<unclosed>/\*.*)', re.DOTALL
)
_VISIBLE = re.compile(r"[^\n]")


def blank_comments(text: str) -> str:
    """Replace ``//`` and ``/* */`` comments outside of strings with blanks.

    An unclosed comment is kept, so that the JSON parser reports it.
    """
    return _STRING_OR_COMMENT.sub(_replace_comment, text)


def _replace_comment(found: re.Match[str]) -> str:
    is_kept = found["unclosed"] or found[0].startswith('"')
    return found[0] if is_kept else _VISIBLE.sub(" ", found[0])
