"""The tables of numbers that serve all languages, and how words in tables are inflected."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from anaphora.entities.languages import load_yaml

__all__ = ["expand_endings", "load_shared_table"]


@lru_cache(maxsize=8)
def load_shared_table(name: str) -> dict[str, Any]:
    """The table of that name that serves all languages (``units``)."""
    return load_yaml(__package__, f"tables/{name}.yaml")


def expand_endings(form: str, endings: Mapping[str, Iterable[str]]) -> Iterator[str]:
    """The forms of a word whose last character is one of ``endings`` (``перв*``); the word alone
    if it is none."""
    if form[-1:] not in endings:
        yield form
        return
    for ending in endings[form[-1]]:
        yield form[:-1] + ending
