"""Texts as SQLite keeps them: any text of Python, also one that is none in UTF-8."""

from __future__ import annotations

from typing import TypeAlias

__all__ = ["Text", "kept", "read"]

Text: TypeAlias = str | bytes


def kept(text: str) -> Text:
    """The text as SQLite keeps it: as bytes if it is none in UTF-8 (lone surrogates)."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def read(text: Text) -> str:
    """The text that :func:`kept` gave."""
    return text if isinstance(text, str) else text.decode("utf-8", "surrogatepass")
