"""An embedder that computes the vector of a query once for several searches."""

from __future__ import annotations

from collections.abc import Sequence

from anaphora.ltm.embedders.embedder import Embedder, Vectors

__all__ = ["QueryEmbedder"]


class QueryEmbedder:
    """Embeds by ``embedder`` and keeps the vectors of the last texts."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._texts: Sequence[str] = ()
        self._vectors: Vectors | None = None

    @property
    def name(self) -> str:
        return self._embedder.name

    @property
    def dimension(self) -> int:
        return self._embedder.dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See :meth:`~anaphora.ltm.embedders.embedder.Embedder.embed`."""
        if self._vectors is None or self._texts != texts:
            self._texts, self._vectors = texts, self._embedder.embed(texts)
        return self._vectors
