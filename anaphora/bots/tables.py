"""Reads the tables of words: YAML files in the package, which those can mend who know no Python."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any

import yaml

__all__ = ["read_table"]

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@lru_cache(maxsize=64)
def read_table(path: str, package: str = "anaphora.bots") -> Mapping[str, Any]:
    """What the file holds, read once; nothing if there is no such file."""
    file = files(package).joinpath(path)
    if not file.is_file():
        return {}
    read: Mapping[str, Any] = yaml.load(file.read_text(encoding="utf-8"), Loader=_LOADER)
    return read
