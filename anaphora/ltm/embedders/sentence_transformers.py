"""Vectors by any model of sentence-transformers: a local folder, or an id of its hub."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from anaphora.errors import AnaphoraError
from anaphora.ltm.embedders.embedder import Vectors
from anaphora.storage.forks import fork_safe_lock, forks_delayed

__all__ = ["SentenceTransformers"]

_BATCH_SIZE = 32  # texts; so long others wait who want a single one
_DIGEST_BYTES = 1 << 16  # bytes

# Transformers shows its progress by a switch of the whole process.
_loading_lock = fork_safe_lock()


class SentenceTransformers:
    """The model in the folder ``model``, or of that id of the Hugging Face hub (which is asked for
    it unless it was fetched before). It is loaded when the first text is embedded.

    ``device`` is chosen by sentence-transformers if left out. ``name`` tells the model from all
    others: the id, or the name of the folder and a digest of what lies there, if left out.
    """

    def __init__(
        self, model: str | Path, *, device: str | None = None, name: str | None = None
    ) -> None:
        is_path = isinstance(model, Path) or model.startswith(("/", ".", "~"))
        model = Path(model).expanduser() if is_path else model
        self._folder = Path(model) if is_path or Path(model).is_dir() else None
        if self._folder is not None and not self._folder.is_dir():
            raise AnaphoraError(f"{self._folder}: there is no such folder with a model")
        self._model_id, self._device = str(model), device
        self._name = name or (_digest_name(self._folder) if self._folder else self._model_id)
        self._loaded: Any = None
        self._dimension = 0
        self._lock = fork_safe_lock()  # its tokenizer serves one thread at a time

    @property
    def name(self) -> str:
        return self._name

    @property
    def dimension(self) -> int:
        """The length of a vector. It is known only when the model is loaded."""
        with self._lock:
            self._load()
            return self._dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See :meth:`~anaphora.ltm.embedders.embedder.Embedder.embed`; what is longer than the
        model's window is cut off there."""
        whole = [text.encode("utf-8", "replace").decode() for text in texts]
        parts = [self._embed(whole[n : n + _BATCH_SIZE]) for n in range(0, len(whole), _BATCH_SIZE)]
        return np.concatenate(parts) if parts else np.zeros((0, self.dimension), np.float32)

    def _embed(self, texts: list[str]) -> Vectors:
        with self._lock:
            model = self._load()
            try:
                vectors = model.encode(
                    texts,
                    batch_size=_BATCH_SIZE,
                    normalize_embeddings=True,
                    convert_to_numpy=True,
                    show_progress_bar=False,
                )
            except (RuntimeError, ValueError) as error:  # no memory left on the device, …
                raise AnaphoraError(f"{self._name} cannot embed: {error}") from error
        return np.ascontiguousarray(vectors, dtype=np.float32)

    def _load(self) -> Any:
        if self._loaded is None:
            self._loaded = self._load_model()
            self._dimension = int(self._loaded.get_embedding_dimension())
        return self._loaded

    def _load_model(self) -> Any:
        try:
            with forks_delayed():
                from sentence_transformers import SentenceTransformer
        except ImportError as error:
            raise AnaphoraError(
                "embedding texts needs sentence-transformers: pip install 'anaphora[embeddings]'"
            ) from error
        try:
            with _loading_lock, _without_progress_bars():
                return SentenceTransformer(
                    self._model_id,
                    device=self._device,
                    local_files_only=self._folder is not None,
                )
        except Exception as error:  # each kind of model fails in ways of its own
            raise AnaphoraError(
                f"the embedding model {self._model_id} cannot be loaded: {_first_line(error)}; "
                "name a folder of sentence-transformers, or an id of its hub"
            ) from error


@contextmanager
def _without_progress_bars() -> Iterator[None]:
    """No progress bars of transformers meanwhile."""
    from transformers.utils import logging as told

    logging: Any = told  # it is untyped
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()


def _digest_name(folder: Path) -> str:
    """A name that another model has not: weights that were trained further differ everywhere, and
    so at their end."""
    digest = hashlib.sha256()
    for file in sorted(folder.rglob("*")):
        if file.suffix in (".json", ".safetensors", ".bin", ".onnx", ".txt") and file.is_file():
            size = file.stat().st_size
            digest.update(f"{file.relative_to(folder).as_posix()} {size}\n".encode())
            with file.open("rb") as opened:
                opened.seek(max(0, size - _DIGEST_BYTES))
                digest.update(opened.read())
    return f"{folder.resolve().name}#{digest.hexdigest()[:12]}"


def _first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).strip().split("\n", 1)[0]
