"""An embedder that computes the vectors of a query once for several searches."""

from __future__ import annotations

from collections.abc import Sequence

from anaphora.ltm.embedders.embedder import Embedder, Vectors, as_token_embedder

__all__ = ["QueryEmbedder"]


class QueryEmbedder:
    """Embeds by ``embedder`` and keeps the vectors of the last texts."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder, self._tokens = embedder, as_token_embedder(embedder)
        self.token_name = self._tokens.token_name if self._tokens else ""
        self._texts: Sequence[str] = ()
        self._found: tuple[Vectors, list[Vectors]] | None = None

    @property
    def name(self) -> str:
        return self._embedder.name

    @property
    def dimension(self) -> int:
        return self._embedder.dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See :meth:`~anaphora.ltm.embedders.embedder.Embedder.embed`."""
        return self.embed_with_tokens(texts)[0]

    def embed_with_tokens(self, texts: Sequence[str]) -> tuple[Vectors, list[Vectors]]:
        """See :class:`~anaphora.ltm.embedders.embedder.TokenEmbedder`; without vectors of tokens
        if the embedder has none."""
        if self._found is None or self._texts != texts:
            self._found = (
                self._tokens.embed_with_tokens(texts)
                if self._tokens
                else (self._embedder.embed(texts), [])
            )
            self._texts = texts
        return self._found
