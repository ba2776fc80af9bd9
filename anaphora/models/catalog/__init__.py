"""The bundled models."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

__all__ = ["model_names", "model_path"]

_SUFFIX = ".yaml"


def model_names() -> tuple[str, ...]:
    """The names of the bundled models, sorted."""
    found = (entry.name for entry in files(__name__).iterdir())
    return tuple(sorted(name.removesuffix(_SUFFIX) for name in found if name.endswith(_SUFFIX)))


def model_path(name: str) -> Path:
    """The file of the bundled model ``name``. Raises ``KeyError`` if there is none."""
    if name not in model_names():
        raise KeyError(name)
    return Path(str(files(__name__).joinpath(name + _SUFFIX)))
