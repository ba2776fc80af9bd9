"""Vectors of whole phrases from a sentence-transformers model, if the library is installed."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anaphora.errors import AnaphoraError

__all__ = ["Embeddings"]

_LIBRARY = "sentence_transformers"


class Embeddings:
    """A sentence-transformers model, by its folder or by the name of one in the library's cache.
    Nothing is downloaded.

    Raises :class:`AnaphoraError` if the library or the model is missing.
    """

    def __init__(self, name: str) -> None:
        make = _library().SentenceTransformer
        offline = "local_files_only" in inspect.signature(make).parameters
        if not offline and not Path(name).is_dir():
            raise AnaphoraError(
                f"'{name}' is not a folder, and this version of sentence-transformers would "
                "download the embeddings"
            )
        try:
            self._model = make(name, **({"local_files_only": True} if offline else {}))
        except Exception as error:  # the library and its dependencies raise many types
            reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
            raise AnaphoraError(
                f"cannot load the embeddings '{name}': {reason}\n"
                "  hint: nothing is downloaded; name the folder of a model"
            ) from error

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a unit vector for each text, as the rows of a matrix."""
        rows = self._model.encode(
            list(texts),
            normalize_embeddings=True,
            convert_to_numpy=True,
            show_progress_bar=False,
        )
        return np.asarray(rows, dtype=np.float32)


def _library() -> Any:
    try:
        return import_module(_LIBRARY)
    except ImportError as error:
        if error.name != _LIBRARY:  # the library is installed, but one of its dependencies is not
            raise AnaphoraError(f"sentence-transformers cannot be imported: {error}") from error
        raise AnaphoraError(
            "embeddings need the library sentence-transformers: pip install 'anaphora[embeddings]'"
        ) from None
