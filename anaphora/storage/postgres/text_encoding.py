"""Store any ``str`` in PostgreSQL, whose texts can contain neither NUL nor lone surrogates."""

from __future__ import annotations

from hashlib import blake2b

__all__ = ["decode_text", "encode_text", "names_digest"]


def encode_text(text: str) -> bytes:
    """Return ``text`` as a value of the type bytea."""
    return text.encode("utf-8", "surrogatepass")


def decode_text(kept: bytes) -> str:
    """Invert :func:`encode_text`."""
    return kept.decode("utf-8", "surrogatepass")


def names_digest(*names: str) -> bytes:
    """Return a digest that identifies a sequence of names: 16 bytes. Names themselves may exceed
    the size limit of index entries."""
    text = "".join(f"{len(name)}:{name}" for name in names)
    return blake2b(encode_text(text), digest_size=16).digest()
