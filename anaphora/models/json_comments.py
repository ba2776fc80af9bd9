"""Comments in JSON, which people write all the same: they become blanks, and every place stays."""

from __future__ import annotations

import re

__all__ = ["blank_comments"]

_STRING_OR_COMMENT = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_VISIBLE = re.compile(r"[^\n]")


def blank_comments(text: str) -> str:
    """``text`` with blanks for its ``//`` and ``/* */`` comments, as long as before.

    What stands in quotes is no comment. A comment that is never closed stays, for the JSON
    reader to complain of.
    """
    return _STRING_OR_COMMENT.sub(_blanked, text)


def _blanked(found: re.Match[str]) -> str:
    return found[0] if found[0].startswith('"') else _VISIBLE.sub(" ", found[0])
