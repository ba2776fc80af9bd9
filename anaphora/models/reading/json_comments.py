"""Comments in JSON, which people write all the same: they become blanks, and every place stays."""

from __future__ import annotations

import re

__all__ = ["blank_comments"]

# What is never closed is matched to the end of the text, so that it is looked at only once.
_STRING_OR_COMMENT = re.compile(
    r'"(?:[^"\\]|\\.)*+"?|//[^\n]*|/\*.*?\*/|(?P<unclosed>/\*.*)', re.DOTALL
)
_VISIBLE = re.compile(r"[^\n]")


def blank_comments(text: str) -> str:
    """``text`` with blanks for its ``//`` and ``/* */`` comments, as long as before.

    What stands in quotes is no comment. A comment that is never closed stays, for the JSON
    reader to complain of.
    """
    return _STRING_OR_COMMENT.sub(_replace_comment, text)


def _replace_comment(found: re.Match[str]) -> str:
    stays = found["unclosed"] or found[0].startswith('"')
    return found[0] if stays else _VISIBLE.sub(" ", found[0])
