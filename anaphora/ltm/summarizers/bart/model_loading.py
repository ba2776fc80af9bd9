"""Loading of BART models, with one clear error for every kind of failure."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from anaphora.errors import SummaryError
from anaphora.ltm.model_loading import first_line, quiet_transformers
from anaphora.storage.forks import forks_delayed

__all__ = [
    "context_window",
    "import_library",
    "load_pretrained",
    "require_packages",
    "resolve_model",
]

_T = TypeVar("_T")


def require_packages(*packages: str) -> None:
    """Raise :class:`SummaryError` if one of these is not installed, without importing them."""
    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        raise SummaryError(
            f"BART needs {' and '.join(missing)}: pip install 'anaphora[bart]'",
        )


def import_library(name: str) -> Any:
    """Import a package. Raises :class:`SummaryError` if that fails."""
    try:
        with forks_delayed():
            return import_module(name)
    except (ImportError, OSError) as error:  # OSError: a shared library is missing
        raise SummaryError(f"{name} cannot be imported: {error}") from error


def resolve_model(model: str | Path) -> str:
    """Return the folder of a model, or its hub id. Raises :class:`SummaryError` for a path that is
    no folder."""
    path = Path(model).expanduser()
    if path.is_dir():
        return str(path)
    text = str(model)
    # A hub id is "name" or "owner/name".
    if isinstance(model, Path) or text.startswith(("/", ".", "~")) or text.count("/") > 1:
        raise SummaryError(f"there is no folder {text}: name one that holds a model of BART")
    return text


def load_pretrained(model: str, load: Callable[..., _T], **options: Any) -> _T:
    """Call ``load(model, **options)``. Raises :class:`SummaryError` if that fails: because files
    are missing, cannot be downloaded, are damaged or belong to another kind of model."""
    try:
        with quiet_transformers():
            return load(model, **options)
    except SummaryError:
        raise
    except Exception as error:  # each library raises errors of its own
        raise SummaryError(
            f"the model {model} could not be loaded: {first_line(error)}; {_suggest_fix(model)}"
        ) from error


def context_window(config: Any) -> int | None:
    """Return the maximum input tokens of a model by its configuration; None if unlimited."""
    for name in ("max_encoder_position_embeddings", "max_position_embeddings"):
        found = getattr(config, name, None)
        if isinstance(found, int):
            return found
    return None


def _suggest_fix(model: str) -> str:
    if Path(model).is_dir():
        return (
            "the folder must hold config.json, the weights (model.safetensors) and the tokenizer "
            "(tokenizer.json), as save_pretrained writes them"
        )
    return f"download it once where there is a network (hf download {model}), or name a folder"
