"""Texts as SQLite keeps them: any text of Python, also one that is none in UTF-8."""

from __future__ import annotations

from typing import TypeAlias

__all__ = ["EncodedText", "decode_text", "encode_text"]

EncodedText: TypeAlias = str | bytes


def encode_text(text: str) -> EncodedText:
    """The text as SQLite keeps it: as bytes if it is none in UTF-8 (lone surrogates)."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def decode_text(text: EncodedText) -> str:
    """The text that :func:`encode_text` gave."""
    return text if isinstance(text, str) else text.decode("utf-8", "surrogatepass")
