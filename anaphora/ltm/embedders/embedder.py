"""The protocol of embedders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

__all__ = ["Embedder", "TokenEmbedder", "Vectors", "as_token_embedder"]

Vectors: TypeAlias = NDArray[np.float32]


class Embedder(Protocol):
    """Computes vectors of texts; the cosine of two vectors measures how similar they are.

    ``name`` identifies the model and everything else the vectors depend on: vectors of different
    names are never compared. Any thread may call it.
    """

    @property
    def name(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of the texts: float32 of shape (texts, dimension), each of length 1.

        Raises :class:`~anaphora.errors.AnaphoraError` on failure.
        """


class TokenEmbedder(Embedder, Protocol):
    """An embedder that also computes vectors of the tokens of a text. A search compares its first
    candidates with the query by them.

    ``token_name`` identifies these vectors as ``name`` does those of whole texts; it is empty if
    they are turned off.
    """

    @property
    def token_name(self) -> str: ...

    def embed_with_tokens(self, texts: Sequence[str]) -> tuple[Vectors, list[Vectors]]:
        """Return what :meth:`Embedder.embed` returns, and for each text the vectors of its content
        tokens: float32 of shape (tokens, d), each of length 1, with the same even d for all texts.

        Raises :class:`~anaphora.errors.AnaphoraError` on failure.
        """


def as_token_embedder(embedder: Embedder | None) -> TokenEmbedder | None:
    """Return the embedder if it computes vectors of tokens."""
    return cast("TokenEmbedder", embedder) if getattr(embedder, "token_name", "") else None
