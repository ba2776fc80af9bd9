"""The bundled agents."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

__all__ = ["bundled_agents", "bundled_path"]

_SUFFIX = ".yaml"


def bundled_agents() -> list[str]:
    """Return the names of the bundled agents, sorted."""
    found = [entry.name for entry in files(__name__).iterdir()]
    return sorted([name.removesuffix(_SUFFIX) for name in found if name.endswith(_SUFFIX)])


def bundled_path(name: str) -> Path:
    """Return the file of a bundled agent. Raises ``KeyError`` if there is none."""
    if name not in bundled_agents():
        raise KeyError(name)
    return Path(str(files(__name__).joinpath(name + _SUFFIX)))
