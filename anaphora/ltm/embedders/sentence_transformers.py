"""Embedder for any model of sentence-transformers: a local folder or a hub id."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from anaphora.errors import AnaphoraError
from anaphora.ltm.embedders.embedder import Vectors
from anaphora.ltm.model_loading import first_line, quiet_transformers
from anaphora.storage.forks import fork_safe_lock, forks_delayed

__all__ = ["SentenceTransformers"]

_BATCH_SIZE = 32  # texts; a search waits for one batch at most
_DIGEST_BYTES = 1 << 16  # at the end of each file


class SentenceTransformers:
    """The model in the folder ``model``, or with that id on the Hugging Face hub (downloaded once).
    It is loaded when the first text is embedded.

    ``device`` defaults to the choice of sentence-transformers. ``name`` must identify the model; it
    defaults to the hub id, or to the name of the folder and a digest of its contents.
    """

    def __init__(
        self, model: str | Path, *, device: str | None = None, name: str | None = None
    ) -> None:
        is_path = isinstance(model, Path) or model.startswith(("/", ".", "~"))
        model = Path(model).expanduser() if is_path else model
        self._folder = Path(model) if is_path or Path(model).is_dir() else None
        if self._folder is not None and not self._folder.is_dir():
            raise AnaphoraError(f"{self._folder}: there is no such model folder")
        self._model_id, self._device = str(model), device
        self.name = name or (_digest_name(self._folder) if self._folder else self._model_id)
        self._loaded: Any = None
        self._lock = fork_safe_lock()  # the tokenizer is not thread-safe

    @property
    def dimension(self) -> int:
        """The length of a vector. Loads the model."""
        with self._lock:
            return int(self._load().get_embedding_dimension())

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See :meth:`~anaphora.ltm.embedders.embedder.Embedder.embed`; texts longer than the
        model's window are truncated."""
        parts = list(self._encode(texts, normalize_embeddings=True, convert_to_numpy=True))
        if not parts:
            return np.zeros((0, self.dimension), np.float32)
        return np.ascontiguousarray(np.concatenate(parts), dtype=np.float32)

    def _encode(self, texts: Sequence[str], **options: Any) -> Iterator[Any]:
        """Yield the model's output for each batch of texts."""
        whole = [text.encode("utf-8", "replace").decode() for text in texts]
        for begin in range(0, len(whole), _BATCH_SIZE):
            batch = whole[begin : begin + _BATCH_SIZE]
            with self._lock:
                model = self._load()
                try:
                    output = model.encode(
                        batch, batch_size=_BATCH_SIZE, show_progress_bar=False, **options
                    )
                except (RuntimeError, ValueError) as error:  # such as out of memory on the device
                    raise AnaphoraError(f"{self.name} cannot embed: {error}") from error
            yield output

    def _load(self) -> Any:
        if self._loaded is None:
            self._loaded = self._load_model()
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
            with quiet_transformers():
                return SentenceTransformer(
                    self._model_id,
                    device=self._device,
                    local_files_only=self._folder is not None,
                )
        except Exception as error:  # each kind of model raises errors of its own
            raise AnaphoraError(
                f"the embedding model {self._model_id} cannot be loaded: {first_line(error)}; "
                "name a folder of sentence-transformers, or an id of its hub"
            ) from error


def _digest_name(folder: Path) -> str:
    """Return a name unique to the model: fine-tuned weights differ everywhere, so also at their
    end."""
    digest = hashlib.sha256()
    for file in sorted(folder.rglob("*")):
        if file.suffix in (".json", ".safetensors", ".bin", ".onnx", ".txt") and file.is_file():
            size = file.stat().st_size
            digest.update(f"{file.relative_to(folder).as_posix()} {size}\n".encode())
            with file.open("rb") as opened:
                opened.seek(max(0, size - _DIGEST_BYTES))
                digest.update(opened.read())
    return f"{folder.resolve().name}#{digest.hexdigest()[:12]}"
