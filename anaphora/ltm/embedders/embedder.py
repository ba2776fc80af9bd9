"""What an embedder is: the one contract of all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Embedder", "Vectors"]

Vectors: TypeAlias = NDArray[np.float32]


class Embedder(Protocol):
    """Makes vectors of texts; of two vectors the cosine tells how alike the meanings are.

    ``name`` tells the model (and whatever else the vectors depend on): vectors of different names
    are never compared. Any thread may call it.
    """

    @property
    def name(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """The vectors of the texts: float32 of shape (texts, dimension), each of length 1.

        Raises :class:`~anaphora.errors.AnaphoraError` if it cannot.
        """
        ...
