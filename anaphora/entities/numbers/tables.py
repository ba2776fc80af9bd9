"""The tables of the languages, as they are shipped: YAML files that anyone can mend who speaks
the language."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any

import yaml

from anaphora.entities.languages import base

__all__ = ["common", "inflected", "table"]

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@lru_cache(maxsize=64)
def table(kind: str, language: str) -> dict[str, Any]:
    """The table of that kind (``numerals``) for a language; empty, if there is none."""
    code = base(language)
    return _read(f"{kind}/{code}.yaml") if code.isalnum() else {}


@lru_cache(maxsize=8)
def common(name: str) -> dict[str, Any]:
    """The table of that name that serves all languages (``units``)."""
    return _read(f"{name}.yaml")


def _read(path: str) -> dict[str, Any]:
    file = files(__package__).joinpath("tables", *path.split("/"))
    if not file.is_file():
        return {}
    # Bytes: YAML finds out for itself that they are UTF-8.
    read: dict[str, Any] = yaml.load(file.read_bytes(), _LOADER) or {}
    return read


def inflected(form: str, endings: Mapping[str, Iterable[str]]) -> Iterator[str]:
    """The forms of a word whose last character is one of ``endings`` (``перв*``); the word alone
    if it is none."""
    if form[-1:] not in endings:
        yield form
        return
    for ending in endings[form[-1]]:
        yield form[:-1] + ending
