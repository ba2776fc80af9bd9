"""Load the tables of words and rules of languages: YAML files that can be edited without Python.

What belongs to one language is in its folder ``languages/<code>``, one file per table; what holds
in every language is in the folder of the code :data:`ANY`. No table is required. The code that uses
a table documents its keys.

Tables are read when they are first needed, and spaCy is not imported here.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any, Literal, TypeAlias

import yaml

__all__ = ["ANY", "TableName", "cached_table", "languages_with", "load_table", "load_yaml"]

ANY = "xx"
"""The code of what holds in every language, as spaCy has it."""

TableName: TypeAlias = Literal[
    "abbreviations", "booleans", "coordinates", "countries", "cues", "dates", "exonyms",
    "function_words", "holidays", "home", "limits", "locale", "money", "numbers", "numerals",
    "orthography", "place_names", "recurrences", "relations", "replies", "sorting", "summaries",
]  # fmt: skip
"""The tables that a language may have."""

_PACKAGE = "anaphora.entities"
_FOLDER = "languages"
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TEXT_LOADER: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


def load_table(language: str, name: TableName, *, as_text: bool = False) -> dict[str, Any]:
    """Load a table of a language by its code (``en``, not ``en-US``); empty if there is none.

    It is read anew each time, so that callers may modify it. With ``as_text`` all values are texts:
    "no" is a word then.
    """
    if not language.isalnum():
        return {}
    return load_yaml(_PACKAGE, f"{_FOLDER}/{language}/{name}.yaml", as_text=as_text)


@lru_cache(maxsize=256)
def cached_table(language: str, name: TableName) -> Mapping[str, Any]:
    """Load a table as :func:`load_table` does, but only once. Callers must not modify it."""
    return load_table(language, name)


@lru_cache(maxsize=32)
def languages_with(name: TableName) -> tuple[str, ...]:
    """Return the sorted codes of the languages that have a table, without :data:`ANY`."""
    folders = files(_PACKAGE).joinpath(_FOLDER).iterdir()
    return tuple(
        sorted(
            folder.name
            for folder in folders
            if folder.name != ANY and folder.joinpath(f"{name}.yaml").is_file()
        )
    )


def load_yaml(package: str, path: str, *, as_text: bool = False) -> dict[str, Any]:
    """Read a YAML file in a package; empty if there is none."""
    file = files(package).joinpath(path)
    if not file.is_file():
        return {}
    # Bytes: YAML detects UTF-8 by itself.
    read: dict[str, Any] = yaml.load(file.read_bytes(), _TEXT_LOADER if as_text else _LOADER) or {}
    return read
