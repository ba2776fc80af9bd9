"""Reads the tables of words: YAML files in the package, which those can mend who know no Python."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from anaphora.entities.languages import load_yaml

__all__ = ["load_table"]


@lru_cache(maxsize=64)
def load_table(path: str) -> Mapping[str, Any]:
    """What the file holds, read once; nothing if there is no such file."""
    return load_yaml(__package__, path)
