"""The protocol of embedders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Embedder", "Vectors"]

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
