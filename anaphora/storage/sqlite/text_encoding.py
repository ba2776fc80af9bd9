"""Store any ``str`` in SQLite, including lone surrogates."""

from __future__ import annotations

from typing import TypeAlias

__all__ = ["EncodedText", "decode_text", "encode_text"]

EncodedText: TypeAlias = str | bytes


def encode_text(text: str) -> EncodedText:
    """Return ``text`` as a SQLite value: as bytes if UTF-8 cannot encode it (lone surrogates)."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def decode_text(text: EncodedText) -> str:
    """Invert :func:`encode_text`."""
    return text if isinstance(text, str) else text.decode("utf-8", "surrogatepass")
